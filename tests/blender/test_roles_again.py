# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Up Body again as the same kind: what a role no longer names goes, unless the user has changed it."""

import armatures
import bpy
import figures
import pytest
import rigify_rigs
from test_tips_of_legs import without_toes

pytestmark = pytest.mark.usefixtures("rigify")

ELSEWHERE = {"hand.L": "forearm.L", "chest": "spine.002"}


def set_up(roles=None, **chosen):
    said = [{"name": name, "bone": bone} for name, bone in (roles or {}).items()]
    assert bpy.ops.superpose.set_up_body(roles=said, **chosen) == {'FINISHED'}


def made_of_it(ob):
    """What every bone has, without the order of effectors, and the objects there are."""
    bones = [
        (
            bone.name,
            bone.superpose.is_effector,
            bone.superpose.made_as,
            bone.superpose.limit.kind,
            tuple(bone.superpose.limit.axis),
            tuple(bone.superpose.comfort.spread),
            round(bone.superpose.stiffness, 4),
            tuple(sorted(bone.superpose.made)),
        )
        for bone in ob.pose.bones
    ]
    return bones, sorted(other.name for other in bpy.data.objects)


def human_set_up(roles=None):
    ob = rigify_rigs.metarig("basic_human")
    set_up(roles)
    return ob


@pytest.mark.parametrize("roles", [ELSEWHERE, {"foot.R": ""}, {"hand.L": "hand.R", "hand.R": "hand.L"}])
def test_the_second_press_leaves_what_its_roles_alone_would(blend, roles):
    ob = human_set_up()
    set_up(roles)
    twice = made_of_it(ob)
    bpy.ops.superpose.remove_setup()
    set_up(roles)
    once = made_of_it(ob)
    assert twice == once


def test_what_is_gone_is_said(capfd):
    human_set_up()
    capfd.readouterr()
    set_up(ELSEWHERE)
    said = "".join(capfd.readouterr())
    assert "no longer by spine.003, hand.L" in said


@pytest.mark.parametrize("kind", ['AUTO', 'HUMAN'])
def test_what_was_said_holds_until_something_else_is(kind):
    ob = human_set_up(ELSEWHERE)
    before = made_of_it(ob)
    set_up(kind=kind)
    assert made_of_it(ob) == before
    set_up({"hand.L": "hand.L", "chest": "spine.003"})
    assert {"hand.L", "spine.003"} <= set(figures.effectors(ob))
    assert not {"forearm.L", "spine.002"} & set(figures.effectors(ob))


@pytest.mark.parametrize("change", ["hold", "weight", "influence", "key"])
def test_what_the_user_has_changed_stays(change):
    ob = human_set_up()
    hand = ob.pose.bones["hand.L"]
    if change == "hold":
        hand.superpose.hold = 'PINNED'
    elif change == "weight":
        hand.superpose_rotation_weight = 0.5
    elif change == "influence":
        hand.superpose_influence = 0.5
    else:
        hand.superpose.target.keyframe_insert("location", frame=1)
    target = hand.superpose.target
    set_up(ELSEWHERE)
    assert {"hand.L", "forearm.L"} <= set(figures.effectors(ob))
    assert hand.superpose.target == target
    assert "spine.003" not in figures.effectors(ob)


def test_a_target_that_something_else_asks_for_stays():
    ob = human_set_up()
    target = figures.target_of(ob, "hand.L")
    ob.pose.bones["head" if "head" in ob.pose.bones else "spine.006"].superpose.target = target
    set_up({"hand.L": "forearm.L"})
    assert target in list(bpy.data.objects)


def test_effectors_of_toes_stay():
    ob = human_set_up()
    toe = ob.pose.bones["toe.L"]
    toe.superpose.is_effector, toe.superpose.order = True, 9
    toe.superpose.made |= {'EFFECTOR'}
    set_up(ELSEWHERE)
    assert "toe.L" in figures.effectors(ob)


def test_the_pose_stays_where_live_is_on_already():
    """What follows and gave way in a drag stays as it is, too."""
    ob = human_set_up()
    armatures.refresh()
    figures.target_of(ob, "hand.L").location += armatures.Vector((-0.3, -0.1, 0.6))
    armatures.refresh()
    head = ob.pose.bones["spine.006"].matrix.copy()
    set_up({"hand.R": ""})
    armatures.refresh()
    assert figures.distance(ob, "spine.006") > 0.01
    assert ob.pose.bones["spine.006"].matrix == head


def test_a_leg_that_was_held_by_its_tip_goes_too(blend):
    ob = rigify_rigs.metarig("basic_quadruped")
    without_toes(ob)
    set_up()
    assert ob.pose.bones["foot.L"].superpose.is_effector
    set_up({"hindfoot.L": "shin.L"})
    assert not ob.pose.bones["foot.L"].superpose.is_effector
