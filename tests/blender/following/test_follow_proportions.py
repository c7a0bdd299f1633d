# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows the motion of another one whose trunk and arms are otherwise proportioned."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
from mathutils import Quaternion
from walking import LAST, PARTS, TURNED, bones_of, stander, targets_of, walker

follow = bpy.ops.superpose.follow_motion
HEAD = PARTS[1]
# It leans over as it walks, and swings an arm whose hand turns.
LEANS = {"spine.001": 0.3, "spine.003": 0.2, "upper_arm.L": -0.9, "hand.L": 1.0}


@pytest.fixture
def body(rigify, made_once):
    return made_once("who is to follow who leans", lambda: (walker(TURNED | LEANS), stander()))


def grown(ob, **parts):
    """Make the body larger by these factors from a bone on, about that bone's head."""
    with armatures.edited(ob) as bones:
        for name, factor in parts.items():
            pivot, moved = bones[name].head.copy(), (bones[name], *bones[name].children_recursive)
            ends = [[pivot + factor * (end - pivot) for end in (bone.head, bone.tail)] for bone in moved]
            for bone, (head, tail) in zip(moved, ends, strict=True):
                bone.head, bone.tail = head, tail
    figures.make_active(ob)


def over_rest(ob, begin, end, of):
    """How far ``of(begin)`` is from ``of(end)`` in each frame (frames,), 1 for as far as at rest."""
    rest = (ob.data.bones[end].head_local - ob.data.bones[begin].head_local).length
    ways = []
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        ways.append((of(end) - of(begin)).length / rest)
    return np.array(ways)


def stretched(ob, begin, end):
    """How far a part is stretched in each frame (frames,), 1 at rest."""
    return over_rest(ob, begin, end, lambda name: ob.pose.bones[name].head)


def led(ob, begin, end):
    """How far targets of a part are from each other in each frame (frames,), 1 for as far as at rest."""
    return over_rest(ob, begin, end, lambda name: figures.target_of(ob, name).matrix_world.translation)


BODIES = [
    {"spine.001": 0.7},
    {"spine.001": 1.3, "shoulder.L": 0.8, "shoulder.R": 0.8},
    {"upper_arm.L": 1.4, "upper_arm.R": 1.4},
    {"spine.004": 1.8},
]


@pytest.mark.once
@pytest.mark.parametrize("parts", BODIES)
def test_it_meets_all(leader, body, parts):
    grown(body, **parts)
    follow(use_contacts=False)
    bpy.ops.superpose.bake()
    assert body.superpose.message.endswith("all met"), body.superpose.message


@pytest.mark.once
@pytest.mark.parametrize("parts", BODIES)
def test_its_arms_are_led_as_far_out_as_the_leaders(leader, body, parts):
    grown(body, **parts)
    for side in "LR":
        body.pose.bones[f"upper_arm.{side}"].superpose.is_effector = True
    follow(use_contacts=False)
    assert np.ptp(stretched(leader, "upper_arm.R", "hand.R")) > 0.01
    for side in "LR":
        arm = f"upper_arm.{side}", f"hand.{side}"
        np.testing.assert_allclose(led(body, *arm), stretched(leader, *arm), atol=1e-4)


@pytest.mark.once
def test_its_hips_are_as_low_as_its_legs_need_where_the_leaders_stretch_farther(leader, body):
    with armatures.edited(leader) as bones:
        for side in "LR":
            bones[f"thigh.{side}"].tail.y = bones[f"shin.{side}"].head.y = -0.2
    figures.make_active(body)
    follow(use_contacts=False)
    assert stretched(leader, "thigh.L", "foot.L").max() > 1.05
    bpy.ops.superpose.bake()
    assert body.superpose.message.endswith("all met"), body.superpose.message


def test_its_head_turns_as_the_leaders_and_goes_where_its_trunk_takes_it(leader, body, capfd):
    grown(body, **{"spine.001": 0.7})
    follow(use_contacts=False)
    assert "'spine.006' by rotation alone, as the trunks are not alike" in capfd.readouterr().out
    head, chest = body.pose.bones[HEAD], body.pose.bones["spine.003"]
    assert head.superpose_position_weight == 0
    assert head.superpose_rotation_weight == chest.superpose_rotation_weight == 1
    bpy.ops.superpose.bake()
    turns = [found[:, PARTS.index(HEAD), :3, :3] for found in (bones_of(body), bones_of(leader))]
    np.testing.assert_allclose(*turns, atol=1e-3)


def test_between_bodies_that_are_alike_the_place_of_the_head_counts(leader, body, capfd):
    follow()
    assert "alone" not in capfd.readouterr().out
    assert body.pose.bones[HEAD].superpose_position_weight == 1


@pytest.mark.once
def test_all_that_follows_counts_alike_if_it_is_to(leader, body):
    bones = [
        bone for bone in body.pose.bones if bone.is_property_set("superpose") and bone.superpose.is_effector
    ]

    def counted():
        return [(bone.superpose_position_weight, bone.superpose_rotation_weight) for bone in bones]

    before = counted(), [bone.superpose.hold for bone in bones]
    body.pose.bones["spine.003"].superpose_rotation_weight = 0
    follow(use_alike=False, use_turn=False)
    body.pose.bones["spine.003"].superpose_rotation_weight = 1e-4
    assert (counted(), [bone.superpose.hold for bone in bones]) == before
    follow()
    assert {weight for weights in counted() for weight in weights} == {0, 1}
    assert [place > 0 for place, _ in counted()] == [place > 0 for place, _ in before[0]]
    assert {bone.superpose.hold for bone in bones} == {'FOLLOWS'}


@pytest.mark.once
def test_where_keys_fail_all_counts_and_holds_as_before(addon, leader, body, monkeypatch):
    before = figures.state()

    def fail(*_):
        assert figures.state() != before
        raise KeyError

    monkeypatch.setattr(import_module(f"{addon.name}.armature.motion.following"), "key_targets", fail)
    with pytest.raises(RuntimeError, match="KeyError"):
        follow()
    assert figures.state() == before


def test_a_foot_that_is_recorded_badly_leaves_the_rest_of_the_body_where_it_goes(leader, body):
    bad = leader.pose.bones["foot.L"]
    for frame in (5, 6, 7):
        bad.rotation_quaternion = Quaternion((0, 0, 1), 2.5 * (frame - 6))
        bad.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.ops.superpose.set_up_body(use_live=False)
    follow(use_contacts=False)
    bpy.ops.superpose.bake()
    apart = bones_of(body)[:, :4, :3, 3] - targets_of(body)[:, :4, :3, 3]
    assert np.linalg.norm(apart, axis=-1).max() < 0.01
    assert "'foot.L'" in body.superpose.message


@pytest.mark.once
def test_a_place_that_keys_have_count_still_does(leader, body, capfd):
    grown(body, **{"spine.001": 0.7})
    body.pose.bones[HEAD].keyframe_insert("superpose_position_weight", frame=1)
    follow()
    assert "alone" not in capfd.readouterr().out
    assert body.pose.bones[HEAD].superpose_position_weight > 0


@pytest.mark.once
@pytest.mark.parametrize("parts", BODIES)
def test_without_a_chest_that_follows_the_place_of_the_head_says_how_the_trunk_bends(
    leader, body, parts, capfd
):
    grown(body, **parts)
    body.pose.bones["spine.003"].superpose.is_effector = False
    follow(use_contacts=False)
    assert "alone" not in capfd.readouterr().out
    bpy.ops.superpose.bake()
    assert body.superpose.message.endswith("all met"), body.superpose.message


@pytest.mark.once
def test_feet_and_hips_go_where_they_go_on_a_body_with_the_same_legs(leader, body):
    follow(use_contacts=False, use_level=False)
    alike = targets_of(body)
    grown(body, **{"spine.001": 0.7})
    follow(use_contacts=False, use_level=False)
    rows = [PARTS.index(name) for name in ("spine", "foot.L", "foot.R")]
    # Which way is up is told by the body's shape, and so another by a tenth of a degree.
    np.testing.assert_allclose(targets_of(body)[:, rows], alike[:, rows], atol=2e-3)


@pytest.mark.once
def test_without_effectors_at_the_trunk_arms_are_led_the_same_way(leader, body):
    grown(body, **{"spine.001": 0.8})
    follow(use_contacts=False)
    led = targets_of(body)
    for name in ("spine", "spine.003", HEAD):
        body.pose.bones[name].superpose.is_effector = False
    follow(use_contacts=False)
    hands = [PARTS.index(name) for name in ("hand.L", "hand.R")]
    apart = targets_of(body)[:, hands] - led[:, hands]
    np.testing.assert_allclose(apart - apart[:1], 0, atol=1e-4)
