# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""When settings may be others than before, though nobody has changed one.

That is another file, undo and redo, and what is appended, linked or pasted.
"""

from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING

import bpy
from bpy.app import handlers
from bpy.app.handlers import persistent

if TYPE_CHECKING:
    from bpy.types import BlendImportContext, Object

TELLS_OF_IMPORTS = hasattr(handlers, "blend_import_post")  # Blender from 4.3 on
_CHANGES = [handlers.load_post, handlers.undo_post, handlers.redo_post]
_CLIPBOARD = "copybuffer_pose.blend"  # the file in which Blender keeps a pose that was copied
_looks: list[Callable[..., None]] = []
_pasted: list[Callable[["Object"], None]] = []


def watch(look: Callable[..., None]) -> None:
    """Have a persistent function called after every such change, and once in a moment.

    An add-on sees no file while it is being switched on, so the present one is looked at right after. Blender
    4.2 does not say that something was appended; there it is seen as soon as another object is made active.
    """
    for change in _CHANGES:
        change.append(look)
    if not TELLS_OF_IMPORTS:
        active = bpy.types.LayerObjects, "active"
        bpy.msgbus.subscribe_rna(key=active, owner=look, args=(), notify=look, options={'PERSISTENT'})
    else:
        _listen()
    _looks.append(look)
    bpy.app.timers.register(look)


def unwatch(look: Callable[..., None]) -> None:
    """Have it called no more."""
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    _looks.remove(look)
    if TELLS_OF_IMPORTS:
        _listen_no_more()
    for change in reversed(_CHANGES):
        change.remove(look)
    bpy.msgbus.clear_by_owner(look)


def watch_pasted(prepare: Callable[["Object"], None]) -> None:
    """Have a function called with the armatures of a pose that Blender, from 4.3 on, reads to paste it."""
    _listen()
    _pasted.append(prepare)


def unwatch_pasted(prepare: Callable[["Object"], None]) -> None:
    """Have it called no more."""
    _pasted.remove(prepare)
    _listen_no_more()


def _listen() -> None:
    if not (_looks or _pasted):
        handlers.blend_import_post.append(_on_import)


def _listen_no_more() -> None:
    if not (_looks or _pasted):
        handlers.blend_import_post.remove(_on_import)


def _poses_to_paste(imported: "BlendImportContext") -> "list[Object]":
    """Return the armature objects of a pose that Blender reads to paste it; they come into no file."""
    objects = [item for item in imported.import_items if item.id_type == 'OBJECT' and item.source_library]
    return [item.id for item in objects if PurePath(item.source_library.filepath).name == _CLIPBOARD]


@persistent
def _on_import(imported: "BlendImportContext", *_: object) -> None:
    poses = _poses_to_paste(imported)
    for ob in poses:
        for prepare in _pasted:
            prepare(ob)
    if not poses:
        for look in _looks:
            look()
