# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The switches of the overlay, and the handler that exists only while one is on.

Switches belong to the scene, so they are saved with the file and undone like any setting. Everything that
can turn one says so: the user (update), another file (load_post), undo and redo. Then the drawing is added
or taken off; nothing of ours runs at any other time.
"""

import bpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Scene, SpaceView3D

from ..reloads import unwatch, watch
from . import draw, front

# What Blender gives out for each drawing, while there is any.
_drawing: list[object] = []


def is_on() -> bool:
    """Return whether limits or targets are drawn in any scene."""
    return bool(_drawing)


def _on_switch(_: Scene, __: Context) -> None:
    _follow()


@persistent
def _follow(*_: object) -> None:
    """Draw if any scene has a switch on, else do not."""
    wanted = any(s.superpose_show_limits or s.superpose_show_targets for s in bpy.data.scenes)
    if wanted and not _drawing:
        for drawn, when in ((draw.draw_overlay, 'POST_VIEW'), (front.draw_front, 'POST_PIXEL')):
            _drawing.append(SpaceView3D.draw_handler_add(drawn, (), 'WINDOW', when))
    elif _drawing and not wanted:
        _stop()


def _stop() -> None:
    while _drawing:
        SpaceView3D.draw_handler_remove(_drawing.pop(), 'WINDOW')
    draw.forget()
    front.forget()


def register() -> None:
    Scene.superpose_show_limits = BoolProperty(
        name="Show Limits",
        description="Draw in the viewport where limits let joints turn; a limit that its joint is at has a "
        "red outline",
        options=set(),
        update=_on_switch,
    )
    Scene.superpose_show_targets = BoolProperty(
        name="Show Targets",
        description="Draw the targets that Superpose made as boxes, and the effectors as handles, in the "
        "colours of their sides of the body. Click a box or a handle to select it",
        options=set(),
        update=_on_switch,
    )
    Scene.superpose_limits_of = EnumProperty(
        name="Limits of",
        description="Bones whose limits are drawn",
        items=(
            ('ACTIVE', "Active Bone", "Draw the limit of the active bone"),
            ('SELECTED', "Selected Bones", "Draw the limits of the selected bones"),
            ('ALL', "All Bones", "Draw the limits of all bones that can be seen"),
        ),
        default='ACTIVE',
        options=set(),
    )
    watch(_follow)


def unregister() -> None:
    unwatch(_follow)
    _stop()
    del Scene.superpose_limits_of
    del Scene.superpose_show_targets
    del Scene.superpose_show_limits
