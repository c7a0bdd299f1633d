# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluation from within what Blender calls after one."""

from bpy.types import Depsgraph, Scene


def evaluate_again(scene: Scene, depsgraph: Depsgraph) -> None:
    """Evaluate what was written while Blender tells of an update.

    Updated from within an update in which objects came or went, Blender forgets which these are and crashes
    when it next goes through them (4.2 to 5.0), unless the scene is made anew.
    """
    if depsgraph.id_type_updated('SCENE'):
        scene.update_tag()
    depsgraph.view_layer.update()
