# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where targets are cut to another place the body is there at once."""

import bpy
import numpy as np
import pytest
import rigify_rigs
from mathutils import Matrix, Vector

pytestmark = [pytest.mark.usefixtures("blend", "rigify"), pytest.mark.once]

STEP = {"foot.L": (0, 0.2, 0), "foot.R": (0, -0.2, 0.1), "hand.L": (0.05, -0.2, 0), "spine": (0, 0, -0.06)}


@pytest.mark.parametrize(("turn", "way"), [(1.6, (3, 1, 0)), (1, (0, 0, 3)), (3.1, (0, 0, 0))])
def test_a_body_that_follows_frame_by_frame_is_there_in_the_first_frame(turn, way):
    """What must hold began where the body stood, though all else had led there: hips were 90 cm off."""
    ob, there = rigify_rigs.metarig("human"), Matrix.Translation(way) @ Matrix.Rotation(turn, 4, 'Z')
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.ops.superpose.set_up_body(use_live=False)
    targets = {bone.name: bone.superpose.target for bone in ob.pose.bones if bone.superpose.target}
    for name, target in targets.items():
        stepped = Matrix.Translation(Vector(STEP.get(name, (0, 0, -0.03)))) @ target.matrix_world
        for frame, matrix in ((1, target.matrix_world.copy()), (2, stepped), (3, there @ stepped)):
            target.matrix_world = matrix
            for path in ("location", "rotation_euler", "rotation_quaternion"):
                target.keyframe_insert(path, frame=frame)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=3, frames='FOLLOWING')
    heads = []
    for frame in (2, 3):
        bpy.context.scene.frame_set(frame)
        heads.append([ob.matrix_world @ ob.pose.bones[name].head for name in STEP])
    before, after = np.array([[there @ head for head in heads[0]], heads[1]])
    assert np.linalg.norm(after - before, axis=-1).max() < 0.02
