# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo that shows again what was posed and placed and not keyed, whatever keys come back with it."""

from bpy.app.handlers import depsgraph_update_post, persistent, redo_post, undo_post
from bpy.types import Depsgraph, Scene

from .armature import evaluate_again, seen_again


@persistent
def _on_undo(*_: object) -> None:
    seen = seen_again()
    if seen is None:
        return

    def show(scene: Scene, depsgraph: Depsgraph) -> None:
        depsgraph_update_post.remove(show)
        if seen.put_back():
            evaluate_again(scene, depsgraph)

    depsgraph_update_post.insert(0, show)  # before anybody else sees what keys make of it


def register() -> None:
    for change in (undo_post, redo_post):
        change.append(_on_undo)


def unregister() -> None:
    for change in (redo_post, undo_post):
        change.remove(_on_undo)
