# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluation from within what Blender calls after one."""

from bpy.types import Depsgraph, Scene


def evaluate_again(scene: Scene, depsgraph: Depsgraph) -> None:
    """Evaluate what was written while Blender tells of an update.

    If objects came or went in that update, Blender (4.2 to 5.0) forgets which ones when it is updated again
    within it, and crashes when it next goes through them. The scene has to be made anew for it then.
    """
    if depsgraph.id_type_updated('SCENE'):
        scene.update_tag()
    depsgraph.view_layer.update()
