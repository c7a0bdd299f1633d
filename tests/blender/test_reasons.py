# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why an effector was missed, in a set-up body, and what the buttons beside it do."""

import re
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs

pytestmark = pytest.mark.once

HIPS, HAND, FEET = "spine", "hand.L", ("foot.L", "foot.R")


@pytest.fixture
def human(rigify):
    """A metarig as Set Up Body leaves it, without Live."""
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    for foot in FEET:
        ob.pose.bones[foot].superpose.hold = 'PINNED'
    return ob


def missed(ob, name, *by):
    """The kinds and the subjects of the reasons, the effector's target being moved."""
    figures.target_of(ob, name).location += armatures.Vector(by)
    armatures.refresh()
    figures.make_active(ob)
    bpy.ops.superpose.solve()
    effector = ob.pose.bones[name].superpose
    assert effector.is_missed
    return {reason.kind: reason.about for reason in effector.reasons}


def test_hips_that_are_missed_have_a_reason_that_the_warning_of_solve_says_too(human, capfd):
    assert missed(human, HIPS, 0, 0, 0.5)['PIN'] in FEET
    assert "the pin of 'foot." in capfd.readouterr().out
    (lack,) = re.findall("at least (.+) while 'foot.[LR]' stays", short(human, HIPS))  # though its heel lifts
    assert 0.1 < to_length(lack) < human.pose.bones[HIPS].superpose.position_residual


def test_a_hand_far_away_is_too_short_and_held_by_a_foot(human):
    found = missed(human, HAND, 1.5, 0, 1.0)
    assert found['PIN'] in FEET
    assert 'SHORT' in found


def length_text(length):
    addon = bpy.types.SUPERPOSE_OT_solve.__module__.partition(".operators")[0]
    return import_module(f"{addon}.reports").length_text(bpy.context.scene, length)


def to_length(words):
    return bpy.utils.units.to_value('METRIC', 'LENGTH', words)


def short(ob, name):
    """What is said of the effector being too short, or nothing."""
    reasons = ob.pose.bones[name].superpose.reasons
    return next((reason.words for reason in reasons if reason.kind == 'SHORT'), "")


def length_of(ob, *bones):
    """How long the way from head to head is."""
    heads = [ob.pose.bones[name].head for name in bones]
    return sum((one - other).length for one, other in pairwise(heads))


@pytest.mark.parametrize("placed", ['PLAIN', 'MOVED', 'SCALED'])
def test_by_how_much_legs_are_too_short_for_hips_is_said_while_a_foot_stays(human, rng, placed):
    """With one foot alone, by its ankle, so that the way from it to the hips is known."""
    armatures.transform_at_random(human, rng, placed)
    armatures.refresh()
    bpy.ops.superpose.snap_targets()
    foot, to_world = human.pose.bones["foot.L"], human.matrix_world
    foot.superpose.use_sole = human.pose.bones["foot.R"].superpose.enabled = False
    missed(human, HIPS, 0, 0, 5 * to_world.median_scale)
    away = figures.target_of(human, HIPS).matrix_world.translation - to_world @ foot.head
    lack = away.length - length_of(human, HIPS, "thigh.L", "shin.L", "foot.L") * to_world.median_scale
    assert short(human, HIPS) == f"too short by at least {length_text(lack)} while 'foot.L' stays"


def test_by_how_much_a_leg_is_too_short_below_hips_that_are_pinned(human):
    human.pose.bones[HIPS].superpose.hold, foot = 'PINNED', human.pose.bones["foot.L"]
    foot.superpose.hold, foot.superpose.use_sole = 'FOLLOWS', False
    assert missed(human, "foot.L", 0, 0, -0.4)['PIN'] == HIPS
    lack = (human.pose.bones[HIPS].head - figures.target_of(human, "foot.L").location).length
    lack -= length_of(human, HIPS, "thigh.L", "shin.L", "foot.L")
    assert 0.1 < lack < foot.superpose.position_residual
    assert short(human, "foot.L") == f"too short by at least {length_text(lack)} while '{HIPS}' stays"


def test_what_a_drag_leaves_behind_is_said_to_be_too_short_from_where_its_limb_begins(human):
    """Of a pose that moves have led to nobody knows what else keeps it off."""
    wanted = human.pose.bones["hand.R"].head.copy()
    bpy.ops.superpose.pose(bone="shin.L", translation=(0, -0.6, 0.3))
    lack = (human.pose.bones["shoulder.R"].head - wanted).length
    lack -= length_of(human, "shoulder.R", "upper_arm.R", "forearm.R", "hand.R")
    assert human.pose.bones["hand.R"].superpose.position_residual > lack > 0.1
    assert short(human, "hand.R") == f"too short by at least {length_text(lack)} from 'shoulder.R' on"


def test_a_bone_that_reaches_past_a_target_that_is_too_near_is_too_long(blend):
    """An upper arm of 50 cm and a forearm of 20 get no nearer to the shoulder than 30, however they fold."""
    ob = armatures.chain(3, 0.5)
    with armatures.edited(ob) as bones:
        bones["b2"].use_connect = False
        bones["b2"].head = bones["b1"].head + 0.4 * (bones["b1"].tail - bones["b1"].head)
    ob.superpose.root_location = 'ANCHORED'
    armatures.add_effector(ob, "b2", armatures.new_object("Target"))
    bpy.ops.superpose.snap_targets()
    ob.pose.bones["b2"].superpose_rotation_weight = 0.0
    ob.pose.bones["b2"].superpose.target.location = ob.pose.bones["b0"].head + armatures.Vector((0.1, 0, 0))
    armatures.refresh()
    bpy.ops.superpose.solve()
    (reason,) = ob.pose.bones["b2"].superpose.reasons
    assert (reason.kind, reason.words) == ('LONG', "too long by at least 20 cm from 'b0' on")


def test_nothing_is_called_shorter_than_it_misses_its_target_by(blend, rng):
    ob, told = figures.ready(), []
    begin = {name: figures.target_of(ob, name).location.copy() for name in figures.EFFECTORS}
    for _ in range(20):
        for name, place in begin.items():
            figures.target_of(ob, name).location = place + armatures.Vector(rng.normal(scale=0.5, size=3))
            ob.pose.bones[name].superpose.hold = str(rng.choice(['PINNED', 'FOLLOWS']))
        armatures.refresh()
        bpy.ops.superpose.solve()
        for name in begin:
            miss = length_text(ob.pose.bones[name].superpose.position_residual)
            lacks = re.findall("at least (.+) while", short(ob, name))
            told += [(to_length(lack), to_length(miss)) for lack in lacks]
    assert len(told) > 10
    assert all(lack <= miss for lack, miss in told)


def test_what_is_in_its_place_and_only_turned_is_not_called_too_short(blend):
    """A hand at full reach from the hips, a hair beyond it, that cannot turn."""
    ob = figures.ready()
    for name in ("head", "hand.R"):
        ob.pose.bones[name].superpose.enabled = False
    ob.pose.bones["hips"].superpose.hold, ob.pose.bones["hips"].superpose_rotation_weight = 'PINNED', 0.0
    ob.pose.bones["hand.L"].superpose.stiffness = 1.0
    missed(ob, "hand.L", 5, 0, 0)
    assert short(ob, "hand.L")
    bpy.ops.superpose.snap_targets()
    target, hips = (figures.target_of(ob, name) for name in ("hand.L", "hips"))
    target.location += 1e-5 * (target.location - hips.location)
    target.rotation_mode = 'XYZ'
    target.rotation_euler.x += 1
    missed(ob, "hand.L", 0, 0, 0)
    assert not short(ob, "hand.L")


def test_where_nothing_is_pinned_it_is_what_pulls_the_other_way(human):
    for foot in FEET:
        human.pose.bones[foot].superpose.hold = 'FOLLOWS'
    assert 'EFFECTOR' in missed(human, HIPS, 0, 0, 0.5)


def test_a_floor_that_must_hold_is_named(blend):
    ob = figures.ready()
    table = armatures.new_object("Table")
    table.location.z = 1.2
    goal = ob.superpose.goals.add()
    goal.kind, goal.rank, goal.name, goal.bone, goal.target = 'PLANE', 'MUST', "Table Top", HAND, table
    assert missed(ob, HAND, -0.2, -0.2, -0.6)['GOAL'] == "Table Top"
    (reason,) = (reason for reason in ob.pose.bones[HAND].superpose.reasons if reason.kind == 'GOAL')
    assert reason.words == "the plane of 'hand.L' must hold"
    ob.superpose.goals.add()
    ob.superpose.active_goal_index = 1
    bpy.ops.superpose.show_goal(goal="Table Top")
    assert ob.superpose.active_goal_index == 0
    with pytest.raises(RuntimeError, match="has no goal 'Wall'"):
        bpy.ops.superpose.show_goal(goal="Wall")


def test_what_is_met_has_no_reasons(human):
    missed(human, HIPS, 0, 0, 0.5)
    bpy.ops.superpose.reset()
    bpy.ops.superpose.snap_targets()
    bpy.ops.superpose.solve()
    assert not any(len(human.pose.bones[name].superpose.reasons) for name in (HIPS, HAND, *FEET))


def test_releasing_the_pin_lets_the_effector_be_met(human):
    """One by the ankle: a foot that is pinned by its sole has its heel give way to the hips already."""
    for name in FEET:
        human.pose.bones[name].superpose.use_sole = False
    pin = missed(human, HIPS, 0, 0, 0.3)['PIN']
    before = human.pose.bones[HIPS].superpose.position_residual
    for name in FEET:
        bpy.ops.superpose.release_pin(bone=name)
        assert human.pose.bones[name].superpose.hold == 'FOLLOWS'
    assert pin in FEET
    bpy.ops.superpose.solve()
    assert human.pose.bones[HIPS].superpose.position_residual < before
    figures.refused(bpy.ops.superpose.release_pin, "'spine.001' is no effector", bone="spine.001")
    figures.refused(bpy.ops.superpose.release_pin, "has no bone 'nobody'", bone="nobody")


def test_a_limit_is_shown_with_its_bone_active(human):
    bpy.context.scene.superpose_show_limits = False
    bpy.context.scene.superpose_limits_of = 'SELECTED'
    bpy.ops.superpose.show_limit(bone="forearm.L")
    assert human.data.bones.active.name == "forearm.L"
    assert bpy.context.scene.superpose_show_limits
    assert bpy.context.scene.superpose_limits_of == 'ACTIVE'
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.show_limit(bone="upper_arm.L")
    assert figures.selected_bones(human) == ["upper_arm.L"]


def test_an_effector_is_made_active_in_the_list(human):
    bpy.ops.superpose.show_effector(bone="foot.R")
    assert human.pose.bones[human.superpose.active_bone_index].name == "foot.R"


def test_an_arm_of_hinges_says_which_one_turns_no_other_way(blend):
    ob = armatures.chain(4, 0.5)
    ob.superpose.root_location = 'ANCHORED'
    for name, axis in (("b0", (0, 1, 0)), ("b1", (1, 0, 0)), ("b2", (1, 0, 0)), ("b3", (1, 0, 0))):
        limit = ob.pose.bones[name].superpose.limit
        limit.kind, limit.axis, limit.hinge_min, limit.hinge_max = 'HINGE', axis, -3.0, 3.0
    armatures.add_effector(ob, "b3", armatures.new_object("Target"))
    bpy.ops.superpose.snap_targets()
    ob.pose.bones["b3"].superpose.target.rotation_euler.z += 0.5
    armatures.refresh()
    bpy.ops.superpose.solve()
    effector = ob.pose.bones["b3"].superpose
    assert effector.is_missed
    (reason,) = effector.reasons
    assert reason.kind == 'LIMIT'
    assert reason.words == f"'{reason.about}' turns no other way"
    assert reason.about in effector.held_back.splitlines()


@pytest.mark.parametrize(
    ("distance", "is_free", "words"),
    [
        (0.5, True, "no pose was found that comes nearer"),
        (0.5, False, "the root stays, and no pose was found that comes nearer"),
        (0.0, True, "no pose was found that turns it nearer"),
        (0.0, False, "no pose was found that turns it nearer"),
    ],
)
def test_where_nothing_is_known_it_is_said_what_no_pose_does(addon, blend, distance, is_free, words):
    """Of one effector, off by half a turn, or by half a metre as well, with a root that may move or not."""
    report = SimpleNamespace(
        missed=np.array([[True]]),
        gave_way=np.array([[False]]),
        distances=np.array([[distance]]),
        visible=np.array([[0.001]]),
        out_of_reach=np.zeros((1, 1)),
        placed=np.array([[True]]),
        kept_off=(import_module(f"{addon.name}.reports.report").KeptOff(),),
        **{"strays": (), "behind": {}, "lacks": None, "in_haste": False, "is_unsought": False},
    )
    rig = SimpleNamespace(free_location=np.full((1, 3), is_free), comforts=())
    reasons = import_module(f"{addon.name}.reports.reasons")
    (found,) = reasons.reasons_of(bpy.context.scene, None, rig, report, 0)
    assert (found.kind, found.words) == ('STUCK', words)


def told(ob, name):
    """The reasons of an effector in words."""
    return [reason.words for reason in ob.pose.bones[name].superpose.reasons]


def test_a_drag_tells_what_comes_first(human):
    """Hips are dragged from feet that are pinned by their ankles: hands give way to the hips.

    Where they are dragged down feet turn, as ankles bend no farther; that pins hold each other is not why.
    """
    for name in FEET:
        human.pose.bones[name].superpose.use_sole = False
    bpy.ops.superpose.pose(bone=HIPS, translation=(-0.2, 0, 0.1))
    assert re.fullmatch("the pin of 'foot.[LR]' holds", *told(human, HIPS))
    (reason,) = human.pose.bones[HAND].superpose.reasons
    assert (reason.about, reason.words) == (HIPS, f"'{HIPS}' is moved, and comes first")
    bpy.ops.superpose.pose(bone=HIPS, translation=(0, 0, -0.6))
    for name in FEET:
        assert human.pose.bones[name].superpose.is_missed
        assert {reason.kind for reason in human.pose.bones[name].superpose.reasons} == {'LIMIT'}


def test_a_hand_that_gives_way_to_nothing_but_comfort_says_so(human):
    for name in FEET:
        human.pose.bones[name].superpose.use_sole = False
    bpy.ops.superpose.pose(bone=HIPS, translation=(0, 0, 0.3))
    assert human.pose.bones[HAND].superpose.gave_way
    assert told(human, HAND) == ["it only follows, and gave way to comfort"]


@pytest.mark.parametrize("by", ['HINGE', 'LOCK'])
def test_an_arm_that_has_come_to_rest_says_what_turns_no_other_way(addon, blend, by):
    """Its hand is led above the table that it turns on, or rolled: shoulder and wrist do not turn there."""
    drags = import_module(f"{addon.name}.dragging.drag")
    armature, reports = (import_module(f"{addon.name}.{name}") for name in ("armature", "reports.report"))
    ob = armatures.chain(4, 0.5)
    ob.superpose.root_location = 'ANCHORED'
    for name, axis in (("b0", 1), ("b1", 0), ("b2", 0), ("b3", 0)):
        bone = ob.pose.bones[name]
        if by == 'HINGE':
            limit = bone.superpose.limit
            limit.kind, limit.hinge_min, limit.hinge_max = 'HINGE', -3.0, 3.0
            limit.axis = [float(axis == each) for each in range(3)]
        else:
            bone.lock_rotation = [axis != each for each in range(3)]
    armatures.add_effector(ob, "b3", armatures.new_object("Target"))
    armatures.refresh()
    bpy.ops.superpose.snap_targets()
    armatures.refresh()
    rig = armature.read_rig(ob)
    frame = armature.read_frame(rig, ob, bpy.context.evaluated_depsgraph_get())
    drag, place = drags.Drag(rig, armature.settings_of(ob), frame, frozenset({0})), frame.targets[0]
    turned = place @ np.array(armatures.Euler((0, 0, 0.6)).to_matrix().to_4x4())
    for share in (0.5, 1.0):
        drag.move({0: (1 - share) * place + share * turned})
    found = drag.rest()
    told = reports.report_of(found.rig, [found.frame], found.skeleton, found.solution)
    assert told.missed[0, 0]
    assert told.kept_off[0].held_back
    assert told.kept_off[0].confined
