# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo that shows again what was posed, placed and set and not keyed, whatever keys come back with it."""

from bpy.app import timers
from bpy.app.handlers import depsgraph_update_post, persistent, redo_post, undo_post
from bpy.types import Depsgraph, Scene

from .armature import SeenBefore, evaluate_again, seen_again, show_again

# What undo or redo has brought back, until it is evaluated. Several steps may be taken before that: it is
# what the last of them has brought.
_brought_back: list[SeenBefore] = []


@persistent
def _on_undo(*_: object) -> None:
    _brought_back[:] = seen_again()
    if _brought_back and _on_update not in depsgraph_update_post:
        depsgraph_update_post.insert(0, _on_update)  # before anybody else sees what keys make of it


def _on_update(scene: Scene, depsgraph: Depsgraph) -> None:
    seen = _brought_back[:]
    _brought_back.clear()
    if show_again(seen):
        evaluate_again(scene, depsgraph)
    if not timers.is_registered(_leave):
        timers.register(_leave)


def _leave() -> None:
    """Have Blender call no more. Whoever goes while it goes through those that it calls has one left out."""
    if not _brought_back and _on_update in depsgraph_update_post:  # loading a file takes it off
        depsgraph_update_post.remove(_on_update)


def register() -> None:
    for change in (undo_post, redo_post):
        change.append(_on_undo)


def unregister() -> None:
    for change in (redo_post, undo_post):
        change.remove(_on_undo)
    _brought_back.clear()
    _leave()
    if timers.is_registered(_leave):
        timers.unregister(_leave)
