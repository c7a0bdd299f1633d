# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live posing of a human that has comfort poses."""

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from armatures import Vector
from live_figures import move

pytestmark = pytest.mark.once


def human(grips=("spine", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R")):
    """Rigify's human with human comfort and six targets, live, well away from comfort."""
    ob = rigify_rigs.metarig("basic_human")
    figures.select_bones(ob, *grips)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    bpy.ops.superpose.human_comfort()
    figures.target_of(ob, "hand.L").location += Vector((-0.25, -0.2, -0.1))
    armatures.refresh()
    ob.superpose_live = True
    armatures.refresh()
    return ob


def joints(ob, *names):
    return np.array([ob.pose.bones[name].head for name in names])


def test_other_limbs_stay_while_a_hand_of_a_human_at_comfort_moves_a_little(rigify):
    ob = human()
    others = "upper_arm.R", "forearm.R", "shin.L", "shin.R", "thigh.L", "thigh.R"
    before = joints(ob, *others)
    for way in np.vstack([np.eye(3), -np.eye(3)]):
        move(ob, way=Vector(0.1 * way), steps=2)
        assert figures.distance(ob, "hand.L") < 1e-4
        assert np.linalg.norm(joints(ob, *others) - before, axis=1).max() < 0.005
        move(ob, way=Vector(-0.1 * way), steps=2)
        assert np.linalg.norm(joints(ob, *others) - before, axis=1).max() < 1e-5


@pytest.mark.parametrize("way", [(-0.5, -0.2, -0.3), pytest.param((0.1, -0.3, 0.4), marks=pytest.mark.slow)])
def test_far_away_the_pose_goes_by_the_target_and_not_by_the_way_there(rigify, way):
    poses = []
    for steps in (1, 10):
        ob = human()
        move(ob, way=Vector(way), steps=steps)
        poses.append(joints(ob, "forearm.L", "hand.R", "spine.006", "shin.L", "shin.R"))
    assert np.linalg.norm(poses[1] - poses[0], axis=1).max() < 1e-3


@pytest.mark.parametrize(
    "ways", [((0.03, 0, 0.245), (-0.115, 0, 0.425)), ((-0.3, -0.3, 0), (-0.5, -0.3, 0.2))]
)
def test_a_mouse_that_leaps_leads_a_body_where_a_slow_one_does(rigify, mouse, ways):
    """In a scene that is drawn ten times a second, a hand goes by a quarter of a metre in a move."""
    heads = []
    for steps in (1, 20):
        ob = rigify_rigs.metarig("human")
        bpy.ops.superpose.set_up_body()
        armatures.refresh()
        start = Vector()
        for end in map(Vector, ways):
            move(ob, way=end - start, steps=steps)
            start = end
        heads.append(joints(ob, "spine.006", "upper_arm.R", "forearm.L", "shin.L"))
    assert np.linalg.norm(heads[0] - heads[1], axis=1).max() < 0.02


def test_a_body_that_crouches_leans_to_no_side_as_its_hands_follow(rigify, mouse):
    ob = rigify_rigs.metarig("human")
    bpy.ops.superpose.set_up_body()
    armatures.refresh()
    before = joints(ob, "spine.006")[0]
    move(ob, way=Vector((0, 0, -0.2)), steps=40, bone="spine")
    head, left, right = joints(ob, "spine.006", "forearm.L", "forearm.R")
    assert np.abs(head - before)[:2].max() < 0.05
    np.testing.assert_allclose(left * (-1, 1, 1), right, atol=1e-3)


def test_a_body_rises_with_the_animated_thing_that_its_hands_are_on_as_the_frame_shows_it(rigify, mouse):
    """Hips that take no part in frames stayed as low as the thing was: 56 cm lower than in the frame."""
    ob = rigify_rigs.metarig("human")
    bpy.ops.superpose.set_up_body()
    thing = armatures.new_object("Box")
    thing.location = 0, -0.5, 0.2
    for side, bone in ((1, "hand.L"), (-1, "hand.R")):
        target = figures.target_of(ob, bone)
        target.parent, target.location = thing, (0.22 * side, 0, 0)
    thing.keyframe_insert("location", frame=1)
    bpy.context.scene.frame_set(24)
    armatures.refresh()
    for _ in range(10):
        thing.location.z += 0.09
        armatures.refresh()
    mouse.rest()
    dragged = joints(ob, "spine", "spine.006")
    thing.keyframe_insert("location", frame=24)
    bpy.context.scene.frame_set(1)
    crouched = joints(ob, "spine")
    bpy.context.scene.frame_set(24)
    assert crouched[0, 2] < 0.6
    assert np.linalg.norm(dragged - joints(ob, "spine", "spine.006"), axis=1).max() < 0.15


def test_hips_stay_beside_animated_targets_where_nothing_has_given_way(rigify, mouse):
    """As where nothing is animated; if they hardly did they would go aside by 22 cm."""
    ob = rigify_rigs.metarig("human")
    bpy.ops.superpose.set_up_body()
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=1)
    armatures.refresh()
    before = joints(ob, "spine")
    move(ob, way=Vector((-0.2, 0, 0.3)), steps=10, bone="hand.R")
    assert figures.distance(ob, "hand.R") < 1e-4
    assert np.linalg.norm(joints(ob, "spine") - before) < 0.1
