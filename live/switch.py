# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch of live posing, and the handlers that exist only while any armature has it on.

It belongs to the armature object, so it is saved with the file and undone like any setting. Everything that
can turn it says so: the user (update), another file (load_post), undo and redo.
"""

import bpy
from bpy.app.handlers import load_post, persistent, redo_post, undo_post
from bpy.props import BoolProperty
from bpy.types import Context, Object

from ..reloads import unwatch, watch
from .handlers import enter_file, is_running, start, stop, take_as_restored


def _on_switch(ob: Object, _: Context) -> None:
    if ob.superpose_live and ob.is_property_set("superpose"):
        ob.superpose.property_unset("followed")  # solve now, whatever was found before
    _follow()
    ob.update_tag()


@persistent
def _follow(*_: object) -> None:
    """Have the handlers if any armature is live, else none; what they knew may be of before."""
    take_as_restored()
    if not any(ob.superpose_live for ob in bpy.data.objects):
        stop()
    elif not is_running():
        start()


@persistent
def _on_undo(*_: object) -> None:
    """Have armatures and their targets evaluated as they came back: Blender may take them for unchanged where
    they were posed and brought along since its step of undo, and show these as they were then.
    """
    for ob in bpy.data.objects:
        if ob.superpose_live and ob.type == 'ARMATURE':
            for each in (ob, *(bone.superpose.target for bone in ob.pose.bones)):
                if each is not None:
                    each.update_tag()


@persistent
def _on_load(*_: object) -> None:
    if is_running():
        enter_file()


def register() -> None:
    Object.superpose_live = BoolProperty(
        name="Live",
        description="Let the body follow while you move targets and while frames change. Automatic "
        "keyframing keys only what the mouse moves. Renders that begin in a window do not wait for the "
        "body: bake for these. Large rigs and slow methods lag behind the mouse",
        options=set(),
        override={'LIBRARY_OVERRIDABLE'},
        update=_on_switch,
    )
    watch(_follow)
    load_post.append(_on_load)  # after what switches it on
    for change in (undo_post, redo_post):
        change.append(_on_undo)


def unregister() -> None:
    for change in (redo_post, undo_post):
        change.remove(_on_undo)
    load_post.remove(_on_load)
    unwatch(_follow)
    stop()
    del Object.superpose_live
