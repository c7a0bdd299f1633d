# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that hang on each other: one that goes along with the body takes none away from its bone."""

import armatures
import bpy
import figures
import pytest
from live_figures import MOVE, move

HANDS = ("hand.L", "hand.R")


@pytest.fixture(autouse=True)
def _nothing_live(blend):
    yield
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def by_parent(target, bearer):
    target.parent = bearer


def by_constraint(target, bearer):
    constraint = target.constraints.new('CHILD_OF')
    constraint.target = bearer


def by_an_object_between(target, bearer):
    between = armatures.new_object("Between")
    between.parent = bearer
    target.parent = between


@pytest.fixture(params=[by_parent, by_constraint, by_an_object_between])
def ob(request):
    """The figure, whose hips are free and carry the targets of both hands."""
    ob = figures.ready()
    bearer = figures.target_of(ob, "hips")
    ob.pose.bones["hips"].superpose.hold = 'FREE'
    for hand in HANDS:
        hang(figures.target_of(ob, hand), bearer, request.param)
    return ob


def hang(target, bearer, way):
    """Have one target carry another one, which stays where it is."""
    place = target.matrix_world.copy()
    way(target, bearer)
    armatures.refresh()
    target.matrix_world = place
    armatures.refresh()


def told(ob, bone):
    return pytest.approx(ob.pose.bones[bone].superpose.position_residual, abs=1e-4)


STAYS = "'Figure hips target' is carrying targets that stay"


@pytest.mark.once
def test_live_leaves_a_target_that_carries_others(ob):
    ob.superpose_live = True
    armatures.refresh()
    place = figures.target_of(ob, "hips").matrix_world.copy()
    for _ in range(3):
        move(ob, "head", way=MOVE)
        for bone in ("head", *HANDS):
            assert figures.distance(ob, bone) == told(ob, bone)
        assert STAYS in ob.superpose.notes
    assert figures.target_of(ob, "hips").matrix_world == place


@pytest.mark.once
def test_the_pose_tool_leaves_a_target_that_carries_others(ob):
    """The hands are pinned, so their targets stay."""
    bpy.ops.object.mode_set(mode='POSE')
    for hand in HANDS:
        ob.pose.bones[hand].superpose.hold = 'PINNED'
    bpy.ops.superpose.pose(bone="hips", translation=(0.05, 0, -0.1))
    assert STAYS in ob.superpose.notes
    assert ob.pose.bones["hips"].superpose.is_missed
    for bone in ("hips", *HANDS):
        assert figures.distance(ob, bone) == told(ob, bone)


@pytest.mark.parametrize("way", [by_parent, by_an_object_between])
def test_targets_that_all_go_along_with_a_drag_each_meet_their_bones(blend, way):
    ob = figures.ready()
    for bone, bearer in (("head", "hips"), ("hand.L", "head"), ("hand.R", "head")):
        hang(figures.target_of(ob, bone), figures.target_of(ob, bearer), way)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.pose(bone="hips", translation=(0.5, 0, -0.1))
    assert "stay" not in ob.superpose.notes
    assert max(figures.distance(ob, bone) for bone in figures.effectors(ob)) < 1e-4


@pytest.mark.parametrize("way", [by_parent, by_an_object_between])
def test_targets_that_all_go_along_each_meet_their_bones(blend, way):
    """With Live, where keys pose the body."""
    ob = figures.ready()
    for bone, bearer in (("head", "hips"), ("hand.L", "head")):
        hang(figures.target_of(ob, bone), figures.target_of(ob, bearer), way)
    for frame, angle in ((1, 0.0), (10, 0.5)):
        for name in ("hips", "chest", "arm.L"):
            bone = ob.pose.bones[name]
            bone.rotation_quaternion = (1, angle, 0, angle)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
            bone.location.x = angle
            bone.keyframe_insert("location", frame=frame)
    ob.superpose_live = True
    for frame in (1, 5, 10, 3):
        bpy.context.scene.frame_set(frame)
        assert max(figures.distance(ob, bone) for bone in figures.effectors(ob)) < 1e-4
