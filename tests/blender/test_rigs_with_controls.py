# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose controls hang on mechanisms, bones that do not deform and that constraints place."""

from itertools import pairwise

import armatures
import bpy
import figures
import pytest
import rigify_rigs

NEAR = 1e-4


def mechanism_rig():
    """body, mechanism (held to the empty Space), upper, lower and hand, each the next one's parent."""
    ob = armatures.new_object("Rig", bpy.data.armatures.new("Rig"))
    with armatures.edited(ob) as bones:
        parent = None
        for index, name in enumerate(("body", "mechanism", "upper", "lower", "hand")):
            bone = bones.new(name)
            bone.head, bone.tail = (0.1 * (index % 2), 0, index), (0.1 * ((index + 1) % 2), 0, index + 1)
            bone.parent, parent = parent, bone
    ob.data.bones["mechanism"].use_deform = False
    constraint = ob.pose.bones["mechanism"].constraints.new('CHILD_OF')
    constraint.target = armatures.new_object("Space")
    figures.make_active(ob)
    return ob


def follow(ob, *names, by=(0.3, -0.4, -0.5)):
    """Make the bones effectors, and move the targets away from where they are."""
    figures.select_bones(ob, *names)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    for name in names:
        figures.target_of(ob, name).location += armatures.Vector(by)
    armatures.refresh()


def heads(ob):
    armatures.refresh()
    return {bone.name: bone.head.copy() for bone in ob.pose.bones}


@pytest.mark.usefixtures("blend")
def test_a_limb_turns_from_where_it_hangs_and_nothing_above_it_moves():
    ob = mechanism_rig()
    before = heads(ob)
    follow(ob, "hand")
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand") < NEAR
    after = heads(ob)
    assert all((after[name] - before[name]).length < 1e-6 for name in ("body", "mechanism", "upper"))
    assert "'upper' is solved from its parent on: constraint 'Child Of'" in ob.superpose.notes


@pytest.mark.usefixtures("blend")
def test_of_a_bone_that_hangs_and_is_held_one_thing_is_said():
    ob = mechanism_rig()
    ob.pose.bones["upper"].constraints.new('COPY_ROTATION').target = armatures.new_object("Turned")
    ob.pose.bones["upper"].superpose.stiffness = 1
    follow(ob, "hand", by=(0.05, -0.05, 0))
    bpy.ops.superpose.solve()
    assert "'upper' stays as it is: constraint 'Copy Rotation'" in ob.superpose.notes
    assert "from its parent on" not in ob.superpose.notes


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("names", [("upper",), ("upper", "lower")])
def test_a_control_that_has_a_target_goes_there(names):
    ob = mechanism_rig()
    follow(ob, *names)
    bpy.ops.superpose.solve()
    assert max(figures.distance(ob, name) for name in names) < NEAR
    assert ob.pose.bones["upper"].location.length > 0.1


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("reason", ["anchored", "locked"])
def test_a_control_that_may_not_move_stays(reason):
    ob = mechanism_rig()
    follow(ob, "upper")
    if reason == "anchored":
        ob.superpose.root_location = 'ANCHORED'
    else:
        ob.pose.bones["upper"].lock_location = (True, True, True)
    bpy.ops.superpose.solve()
    assert ob.pose.bones["upper"].location.length == 0
    assert ob.superpose.is_missed


@pytest.mark.usefixtures("blend")
def test_a_limb_that_hangs_on_what_the_solve_moves_is_refused():
    ob = mechanism_rig()
    follow(ob, "hand", "body")
    with pytest.raises(RuntimeError, match=r"'upper' depends on bone 'body'.*one after the other"):
        bpy.ops.superpose.solve()


@pytest.mark.usefixtures("blend")
def test_a_deforming_bone_that_is_placed_is_a_joint_and_refused():
    ob = mechanism_rig()
    ob.data.bones["mechanism"].use_deform = True
    follow(ob, "hand")
    with pytest.raises(RuntimeError, match=r"'mechanism' cannot be solved.*Choose a Root Bone below it"):
        bpy.ops.superpose.solve()


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("deforms", [True, False])
@pytest.mark.parametrize("held", [True, False])
def test_an_effector_that_is_placed_is_refused_with_a_way_out(deforms, held):
    ob = mechanism_rig()
    ob.data.bones["mechanism"].use_deform = deforms
    for name in ("body", "mechanism") if held else ():
        ob.pose.bones[name].superpose.stiffness = 1
    ob.superpose.root_location = 'ANCHORED' if held else 'FREE'
    follow(ob, "mechanism")
    way_out = "Choose a free control bone as the effector"
    with pytest.raises(RuntimeError, match=rf"'mechanism' cannot be.*{way_out}"):
        bpy.ops.superpose.solve()


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("name", ["add_effectors", "create_targets"])
def test_what_cannot_be_solved_is_told_as_soon_as_it_is_set_up(name, capfd):
    ob = mechanism_rig()
    figures.select_bones(ob, "mechanism")
    bpy.ops.superpose.add_effectors()
    if name == "create_targets":
        capfd.readouterr()
        bpy.ops.superpose.create_targets()
    assert "Warning: This cannot be solved yet: Bone 'mechanism'" in "".join(capfd.readouterr())


@pytest.mark.usefixtures("blend")
def test_what_can_be_solved_is_told_nothing(capfd):
    follow(mechanism_rig(), "hand")
    assert "Warning" not in "".join(capfd.readouterr())


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("kind", ['COPY_SCALE', 'LIMIT_SCALE', 'MAINTAIN_VOLUME'])
@pytest.mark.parametrize("space", ['WORLD', 'LOCAL'])
def test_constraints_of_size_are_no_obstacle(kind, space):
    ob = mechanism_rig()
    constraint = ob.pose.bones["lower"].constraints.new(kind)
    constraint.owner_space = space
    if kind == 'COPY_SCALE':
        constraint.target = armatures.new_object("Size")
        constraint.target.scale = (1.5, 1.5, 1.5)
    elif kind == 'LIMIT_SCALE':
        for axis in "xyz":
            setattr(constraint, f"use_max_{axis}", True)
            setattr(constraint, f"max_{axis}", 0.6)
    armatures.refresh()
    follow(ob, "hand", by=(0.1, -0.2, -0.2))
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand") < NEAR
    assert figures.turn(ob, "hand") < 1e-3


@pytest.fixture
def generated_rig(rigify, made_once):
    return made_once("generated", lambda: rigify_rigs.generated("basic_human"))


CONTROLS = ("torso", "hand_ik.L", "hand_ik.R", "foot_ik.L", "foot_ik.R")


def test_the_controls_of_a_generated_rigify_rig(generated_rig):
    assert generated_rig.name == "rig"
    follow(generated_rig, *CONTROLS, by=(0.1, -0.1, -0.1))
    bpy.ops.superpose.solve()
    assert not generated_rig.superpose.is_missed
    bpy.ops.superpose.remove_setup()
    follow(generated_rig, "hand_fk.L", by=(-0.05, -0.2, 0.05))
    bpy.ops.superpose.solve()
    assert figures.distance(generated_rig, "hand_fk.L") < NEAR
    bpy.ops.superpose.remove_setup()
    follow(generated_rig, "DEF-hand.L")
    with pytest.raises(RuntimeError, match=r"'DEF-hand.L' cannot be solved.*a free control bone"):
        bpy.ops.superpose.solve()


def control_rig(stretches=False):
    """An arm whose deforming bones Blender's IK puts onto a control, hand_ik, that hangs on nothing."""
    ob = armatures.new_object("Rig", bpy.data.armatures.new("Rig"))
    places = {"upper": (0, 0, 1), "lower": (0.5, 0.05, 1), "hand": (1, 0, 1), "tip": (1.2, 0, 1)}
    with armatures.edited(ob) as bones:
        for name, following in pairwise(places):
            bone = bones.new(name)
            bone.head, bone.tail = places[name], places[following]
            bone.parent = bones.get({"lower": "upper", "hand": "lower"}.get(name, ""))
        control = bones.new("hand_ik")
        control.head, control.tail, control.use_deform = places["hand"], places["tip"], False
    reach = ob.pose.bones["lower"].constraints.new('IK')
    reach.target, reach.subtarget, reach.chain_count, reach.use_stretch = ob, "hand_ik", 2, stretches
    turn = ob.pose.bones["hand"].constraints.new('COPY_ROTATION')
    turn.target, turn.subtarget = ob, "hand_ik"
    figures.make_active(ob)
    return ob


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("name", ["solve", "bake"])
@pytest.mark.parametrize(("by", "misses"), [((-0.2, 0.1, 0.2), False), ((1.0, 0, 0), True)])
def test_a_control_is_measured_by_what_it_drives(by, misses, name):
    ob = control_rig()
    follow(ob, "hand_ik", by=by)
    bpy.context.scene.frame_end = 2
    for _ in range(2):  # what the first one leaves is no reason to believe the second
        getattr(bpy.ops.superpose, name)()
        result = ob.pose.bones["hand_ik"].superpose
        armatures.refresh()
        distance = (
            ob.pose.bones["hand"].head - figures.target_of(ob, "hand_ik").matrix_world.translation
        ).length
        assert result.position_residual == pytest.approx(distance, abs=1e-3)
        assert (distance > 0.5) == result.is_missed == misses
        assert ("'hand', which it drives, does not come along" in ob.superpose.strays) == misses


@pytest.mark.usefixtures("blend")
def test_a_control_alone_meets_its_target_whatever_its_rig_is_made_of():
    ob = control_rig()
    with armatures.edited(ob) as bones:
        bones.new("alone").tail = (0, 0, 1)
    follow(ob, "alone")
    bpy.ops.superpose.solve()
    assert not ob.superpose.is_missed


def test_a_rigify_hand_that_does_not_reach_is_told(generated_rig):
    follow(generated_rig, *CONTROLS, by=(0.1, -0.1, -0.1))
    for limb in ("upper_arm_parent.L", "thigh_parent.L"):
        generated_rig.pose.bones[limb]["IK_Stretch"] = 0.0
    figures.target_of(generated_rig, "hand_ik.L").location.x += 0.6
    armatures.refresh()
    bpy.ops.superpose.solve()
    hand, target = generated_rig.pose.bones["DEF-hand.L"], figures.target_of(generated_rig, "hand_ik.L")
    distance = (hand.head - target.matrix_world.translation).length
    assert distance > 0.4
    shown = generated_rig.pose.bones["hand_ik.L"].superpose.position_residual
    assert shown == pytest.approx(distance, abs=1e-3)
    assert "'DEF-hand.L', which it drives, does not come along" in generated_rig.superpose.strays


def test_a_rigify_hand_that_is_dragged_out_of_reach_is_told(generated_rig, capfd):
    for limb in ("upper_arm_parent.L", "thigh_parent.L"):
        generated_rig.pose.bones[limb]["IK_Stretch"] = 0.0
    armatures.refresh()
    bpy.ops.superpose.pose(bone="torso", translation=(0.0, 0.05, 0.0))
    assert "missed" not in capfd.readouterr().out
    begin = generated_rig.pose.bones["DEF-hand.L"].head.copy()
    bpy.ops.superpose.pose(bone="hand_ik.L", translation=(0.6, 0.0, 0.0))
    assert (generated_rig.pose.bones["DEF-hand.L"].head - begin).length < 0.3
    assert "Missed 'hand_ik.L' by" in capfd.readouterr().out


@pytest.mark.parametrize("bone", ["", "foot_ik.L"], ids=["whole body", "one bone"])
def test_a_plane_says_that_it_leaves_out_what_controls_drive(bone, generated_rig):
    ob = generated_rig
    follow(ob, "hand_ik.L", by=(0, 0, 0.1))
    goal = ob.superpose.goals.add()
    goal.kind, goal.bone = 'PLANE', bone
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert ("The plane leaves out" in ob.superpose.notes) == (not bone)


def test_a_goal_about_what_controls_drive_is_refused_by_name(generated_rig):
    ob = generated_rig
    follow(ob, "hand_ik.L", by=(0, 0, 0.1))
    ob.superpose.goals.add().kind = 'BALANCE'
    armatures.refresh()
    with pytest.raises(RuntimeError, match="The balance uses the bone: disable the goal"):
        bpy.ops.superpose.solve()


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("end", ["head", "tail"])
@pytest.mark.parametrize("follows", [None, "chest", "hips"])
def test_a_bone_that_only_its_parent_carries_is_not_driven(end, follows):
    """The belly is posed by hand, away from the hips' head; a constraint elsewhere in the rig drives nothing.

    Nor is what follows the chest driven by the hips: the chest is solved. What follows the hips is.
    """
    ob = figures.figure()
    with armatures.edited(ob) as bones:
        belly = bones.new("belly")
        belly.parent = bones["hips"]
        belly.head, belly.tail = [(0, 0, 1), (0, 0.2, 1.1)][:: 1 if end == "head" else -1]
    ob.pose.bones["belly"].location = (0, 0.2, 0)
    if follows:
        constraint = ob.pose.bones["belly"].constraints.new('COPY_ROTATION')
        constraint.target, constraint.subtarget = ob, follows
    else:
        ob.pose.bones["head"].constraints.new('LIMIT_ROTATION').owner_space = 'LOCAL'
    follow(ob, "hips", "forearm.L", by=(0.05, 0, 0.05))
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hips") < NEAR
    assert ("'belly', which it drives" in ob.superpose.strays) == (follows == "hips")
