# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that are simulated, whose frames Blender has only if they are played from the first."""

import armatures
import bpy
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")

CORNERS = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]


def falling():
    """A rigid body that falls from the first frame of the scene on."""
    mesh = bpy.data.meshes.new("Ball")
    mesh.from_pydata(CORNERS, [], [])
    ball = armatures.new_object("Ball", mesh)
    ball.location = (0.6, -0.2, 1.9)
    figures.make_active(ball)
    bpy.ops.rigidbody.object_add()
    return ball


def on_falling_body():
    """An empty on a vertex of a soft body that falls from the first frame on."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=2, y_subdivisions=2, size=0.5, location=(0.6, -0.2, 1.9))
    body, empty = bpy.context.object, armatures.new_object("On Body")
    body.modifiers.new("Soft Body", 'SOFT_BODY').settings.use_goal = False
    empty.parent, empty.parent_type = body, 'VERTEX'
    return empty


@pytest.mark.parametrize(("make", "step"), [(falling, 1), (falling, 2), (on_falling_body, 1)])
def test_a_part_of_a_fall_is_baked_as_it_is_played(make, step):
    ob, thing = figures.ready(), make()
    hand = ob.pose.bones["hand.L"]
    hand.superpose.target, hand.superpose_rotation_weight = thing, 0
    figures.make_active(ob)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=8, frame_end=10, step=step)
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
        assert frame not in (8, 10) or figures.distance(ob, "hand.L") < 1e-3
    assert thing.matrix_world.translation.z < 1.6
