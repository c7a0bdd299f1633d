# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body whose hips a bone on the floor carries, as in rigs for games: it moves, and the floor stays."""

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

FEET = ("foot.L", "foot.R")


@pytest.fixture
def ob():
    """Rigify's small human on a floor bone that carries a sword too, two bones long."""
    ob = rigify_rigs.metarig("basic_human")
    with armatures.edited(ob) as bones:
        for name, parent, head, tail in (
            ("floor", None, (0, 0, 0), (0, 0.3, 0)),
            ("sword", "floor", (-0.8, 0, 0.5), (-0.8, 0, 0.8)),
            ("blade", "sword", (-0.8, 0, 0.8), (-0.8, 0, 1.5)),
        ):
            bone = bones.new(name)
            bone.head, bone.tail, bone.parent = head, tail, bones.get(parent or "")
        bones["spine"].parent = bones["floor"]
    return ob


def matrices(ob):
    armatures.refresh()
    return {bone.name: np.array(ob.matrix_world @ bone.matrix) for bone in ob.pose.bones}


def moved(ob, before, *names):
    """How far the heads of the bones have gone, (bones, 3)."""
    now = matrices(ob)
    return np.array([now[name][:3, 3] - before[name][:3, 3] for name in names])


def pose(bone, way):
    return bpy.ops.superpose.pose(bone=bone, translation=way, makes_set_up=True)


def test_in_a_crouch_the_floor_stays_to_the_bit(ob):
    before = matrices(ob)
    pose("spine", (0, 0, -0.4))
    assert ob.superpose.root_bone == "spine"
    after = matrices(ob)
    for still in ("floor", "sword"):
        assert (after[still] == before[still]).all()
    assert moved(ob, before, "spine")[0] == pytest.approx((0, 0, -0.4), abs=1e-4)
    np.testing.assert_allclose(moved(ob, before, *FEET), np.zeros((2, 3)), atol=0.05)  # heels may lift


@pytest.mark.parametrize("spoil", ["connect", "lock"])
def test_hips_that_cannot_move_leave_it_to_the_floor(ob, spoil):
    if spoil == "connect":
        with armatures.edited(ob) as bones:
            bones["spine"].use_connect = True
    else:
        ob.pose.bones["spine"].lock_location = (True, True, True)
    bpy.ops.superpose.set_up_body(use_live=False)
    assert ob.superpose.root_bone == ""
    before = matrices(ob)
    pose("spine", (0, 0, -0.1))
    assert moved(ob, before, "spine")[0] == pytest.approx((0, 0, -0.1), abs=1e-4)


def test_the_users_root_bone_stays_and_that_of_the_set_up_goes_with_it(ob):
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.ops.superpose.remove_setup()
    assert not ob.is_property_set("superpose")
    ob.superpose.root_bone = "floor"
    bpy.ops.superpose.set_up_body(use_live=False)
    assert ob.superpose.root_bone == "floor"


def test_the_users_own_settings_stay_where_the_root_bone_of_the_set_up_goes(ob):
    ob.pose.bones["head" if "head" in ob.pose.bones else "spine.006"].superpose.mass = 0.2
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.ops.superpose.remove_setup()
    assert ob.pose.bones["spine.006"].superpose.mass == pytest.approx(0.2)
    assert ob.superpose.root_bone == ""


def test_the_floor_that_is_dragged_takes_the_body_along_and_stays_level(ob):
    before = matrices(ob)
    pose("floor", (0.1, 0, 0))
    after = matrices(ob)
    np.testing.assert_allclose(after["floor"][:3, :3], before["floor"][:3, :3], atol=1e-5)
    np.testing.assert_allclose(moved(ob, before, "floor", "sword", "spine"), [(0.1, 0, 0)] * 3, atol=1e-4)
    np.testing.assert_allclose(moved(ob, before, "hand.L", "hand.R"), [(0.1, 0, 0)] * 2, atol=1e-3)
    np.testing.assert_allclose(moved(ob, before, *FEET), np.zeros((2, 3)), atol=1e-3)


@pytest.mark.parametrize(("bone", "own"), [("sword", {"sword", "blade"}), ("blade", {"sword", "blade"})])
def test_what_hangs_on_the_floor_beside_the_body_is_dragged_by_itself(ob, bone, own):
    bpy.ops.superpose.set_up_body(use_live=False, use_targets=False)
    before = matrices(ob)
    way = (0, 0.1, 0.1) if bone == "sword" else (0, 0.05, -0.3 + (0.3**2 - 0.05**2) ** 0.5)
    pose(bone, way)
    after = matrices(ob)
    still = [name for name in before if name not in own]
    assert max(np.abs(after[name] - before[name]).max() for name in still) < 1e-6
    assert moved(ob, before, bone)[0] == pytest.approx(way, abs=1e-4)


def test_an_animated_floor_carries_the_body_and_targets_are_met_in_all_frames(ob):
    bpy.ops.superpose.set_up_body(use_live=False)
    floor, target = ob.pose.bones["floor"], figures.target_of(ob, "hand.L")
    for frame, along in ((1, 0.0), (20, 0.5)):
        floor.location = (along, 0, 0)
        floor.keyframe_insert("location", frame=frame)
        target.keyframe_insert("location", frame=frame)
        target.location.z += 0.1
    for name in figures.effectors(ob):
        ob.pose.bones[name].superpose.hold = 'FREE' if name != "hand.L" else 'FOLLOWS'
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20)
    for frame in (1, 7, 20):
        bpy.context.scene.frame_set(frame)
        assert figures.distance(ob, "hand.L") < 1e-4
        assert ob.pose.bones["floor"].location.x == pytest.approx(0.5 * _eased(frame), abs=0.02)


def test_a_pin_on_what_carries_the_body_is_refused_by_name(ob):
    bpy.ops.superpose.set_up_body(use_live=False)
    armatures.add_effector(ob, "floor")
    figures.refused(bpy.ops.superpose.solve, "'floor' carries the root bone 'spine' and so stays")


def _eased(frame):
    """How far Blender's own curve is between two keys 19 frames apart, roughly."""
    share = (frame - 1) / 19
    return share * share * (3 - 2 * share)


@pytest.mark.parametrize("use_targets", [True, False], ids=["targets", "none"])
def test_with_live_the_floor_that_is_moved_by_hand_takes_body_and_targets_along(ob, use_targets):
    """But for what is pinned; put back, all is as it was, to the bit."""
    bpy.ops.superpose.set_up_body(use_targets=use_targets)
    before, targets = matrices(ob), places_of_targets(ob)
    for way in (0.04, 0.1):  # as a mouse drags it
        ob.pose.bones["floor"].location.x = way
        armatures.refresh()
    others = ("floor", "sword", "spine", "hand.L", "hand.R", "spine.006")
    np.testing.assert_allclose(moved(ob, before, *others), [(0.1, 0, 0)] * len(others), atol=1e-4)
    np.testing.assert_allclose(moved(ob, before, *FEET), np.zeros((2, 3)), atol=0.02)  # heels may lift
    for name, place in places_of_targets(ob).items():
        way = (0.0 if name in FEET else 0.1, 0, 0)
        assert place - targets[name] == pytest.approx(way, abs=1e-4), name
    ob.pose.bones["floor"].location.x = 0
    after = matrices(ob)
    assert all((after[name] == matrix).all() for name, matrix in before.items())
    assert all(place == pytest.approx(targets[name]) for name, place in places_of_targets(ob).items())


def places_of_targets(ob):
    armatures.refresh()
    targets = {bone.name: bone.superpose.target for bone in ob.pose.bones if bone.superpose.target}
    return {name: np.array(target.matrix_world.translation) for name, target in targets.items()}


def test_with_live_keys_of_the_floor_take_body_and_targets_along_where_no_target_is_animated(ob):
    bpy.ops.superpose.set_up_body()
    before, targets = matrices(ob), places_of_targets(ob)
    floor = ob.pose.bones["floor"]
    for frame, along in ((1, 0.0), (10, 0.6)):
        bpy.context.scene.frame_set(frame)
        floor.location.x = along
        floor.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(10)
    others = ("floor", "spine", "hand.L", *FEET)
    np.testing.assert_allclose(moved(ob, before, *others), [(0.6, 0, 0)] * len(others), atol=1e-4)
    for name, place in places_of_targets(ob).items():
        assert place - targets[name] == pytest.approx((0.6, 0, 0), abs=1e-4), name
