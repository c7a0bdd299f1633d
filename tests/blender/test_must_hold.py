# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinned effectors, on Rigify's human metarig: its hips are dragged down, its feet stay."""

import bpy
import figures
import pytest
import rigify_rigs
from drawn_panels import draw
from mathutils import Vector

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("blend", "rigify")]

HIPS, HEAD, HANDS, FEET = "spine", "spine.006", ("hand.L", "hand.R"), ("foot.L", "foot.R")
DOWN = Vector((0, 0, -0.44))
SHINS = ("shin.L", "shin.R")
UNSEEN = 1e-3  # metres


@pytest.fixture
def human():
    """The metarig at rest with targets for hips, head, hands and feet; those of hips and feet are pinned."""
    ob = rigify_rigs.metarig("basic_human")
    figures.select_bones(ob, HIPS, HEAD, *HANDS, *FEET)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    for name in (HIPS, *FEET):
        ob.pose.bones[name].superpose.hold = 'PINNED'
    return ob


def drag_hips(ob, way=DOWN):
    ob.pose.bones[HIPS].superpose.target.location += way
    bpy.context.view_layer.update()
    figures.make_active(ob)
    bpy.ops.superpose.solve()
    bpy.context.view_layer.update()


def reasons(ob, name):
    """Why the effector missed its target."""
    found = ob.pose.bones[name].superpose.reasons
    return [(reason.kind, reason.about, reason.words) for reason in found]


def left(ob, name):
    return ob.pose.bones[name].superpose.position_residual


def test_hips_and_feet_hold_and_the_head_gives_way(human):
    drag_hips(human)
    assert max(left(human, name) for name in (HIPS, *FEET)) < UNSEEN
    assert left(human, HEAD) > 0.4
    head = human.pose.bones[HEAD].superpose
    assert head.is_missed
    short, pin = reasons(human, HEAD)
    assert short[0] == 'SHORT'
    assert pin == ('PIN', HIPS, f"the pin of '{HIPS}' holds")
    human.superpose.active_bone_index = human.pose.bones.find(HEAD)
    bpy.ops.object.mode_set(mode='POSE')
    assert {"hold", f"The pin of '{HIPS}' holds"} <= set(draw())


def test_where_all_follow_hips_and_head_share_what_is_missed(human):
    for name in (HIPS, *FEET):
        human.pose.bones[name].superpose.hold = 'FOLLOWS'
    drag_hips(human)
    assert left(human, HIPS) == pytest.approx(left(human, HEAD), abs=1e-3)
    assert ('EFFECTOR', HIPS, f"'{HIPS}' pulls the other way") in reasons(human, HEAD)
    assert ('EFFECTOR', HEAD, f"'{HEAD}' pulls the other way") in reasons(human, HIPS)


def test_within_human_limits_knees_bend_forward(human):
    """Feet that stay flat would need ankles that bend farther than people's, so they may turn."""
    figures.select_bones(human, *human.pose.bones.keys())
    bpy.ops.superpose.apply_limit_preset()
    for name in FEET:
        human.pose.bones[name].superpose_rotation_weight = 0.0
    drag_hips(human)
    assert max(left(human, name) for name in (HIPS, *FEET)) < UNSEEN
    for shin, foot in zip(SHINS, FEET, strict=True):
        knee, ankle = human.pose.bones[shin].head, human.pose.bones[foot].head
        assert knee.y < ankle.y - 0.2


def test_live_keeps_pins_and_has_one_pose_for_one_target(human):
    human.superpose_live = True
    target, poses = human.pose.bones[HIPS].superpose.target, []
    rest = target.location.copy()
    for share in (0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.25):
        target.location = rest + share * DOWN
        bpy.context.view_layer.update()
        assert max(left(human, name) for name in (HIPS, *FEET)) < UNSEEN
        poses.append([bone.matrix.translation.copy() for bone in human.pose.bones])
    for there, back in zip(poses[:3], poses[:3:-1], strict=True):
        assert max((one - other).length for one, other in zip(there, back, strict=True)) < UNSEEN
