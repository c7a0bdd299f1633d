# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Up Body: one press sets a whole body up, once, and Remove Set-Up takes just that back."""

from importlib import import_module
from math import degrees
from types import SimpleNamespace

import armatures
import bpy
import figures
import pytest
import rigify_rigs

pytestmark = pytest.mark.usefixtures("rigify")

HUMAN = ["spine", "spine.003", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R"]
ANIMALS = {
    "wolf": ["spine.004", "spine.008", "spine.011", "front_toe.L", "front_toe.R", "toe.L", "toe.R"],
    "horse": ["spine.001", "spine.005", "head", "f_hoof.L", "f_hoof.R", "r_hoof.L", "r_hoof.R"],
    "bird": ["spine.004", "spine.005", "head", "Wing.002.L", "Wing.002.R", "foot.L", "foot.R"],
}


def set_up(**chosen):
    assert bpy.ops.superpose.set_up_body(**chosen) == {'FINISHED'}


def limited(ob):
    set_up_bones = [bone for bone in ob.pose.bones if bone.is_property_set("superpose")]
    return [bone.name for bone in set_up_bones if bone.superpose.limit.kind != 'NONE']


def traces(ob):
    """What is stored of ours on the armature and its bones."""
    return [owner.name for owner in (ob, *ob.pose.bones) if any("superpose" in key for key in owner.keys())]


def test_one_press_sets_up_a_human():
    ob = rigify_rigs.metarig("human")
    set_up()
    assert figures.effectors(ob) == HUMAN
    targets = [figures.target_of(ob, name) for name in HUMAN]
    assert sorted(ob.superpose.collection.objects.keys()) == sorted(target.name for target in targets)
    assert max(figures.distance(ob, name) for name in HUMAN) < 1e-5
    assert {"upper_arm.L", "forearm.R", "thigh.L", "shin.R", "f_index.02.L"} <= set(limited(ob))
    assert ob.pose.bones["shoulder.L"].superpose.stiffness == pytest.approx(0.9)
    assert ob.superpose_live
    assert bpy.context.scene.superpose_show_targets


def test_a_bust_stays_where_it_is():
    """It stands on no feet, so it would come along with its hands."""
    ob = rigify_rigs.metarig("human")
    with armatures.edited(ob) as bones:
        for side in "LR":
            for bone in (bones[f"thigh.{side}"], *bones[f"thigh.{side}"].children_recursive):
                bones.remove(bone)
    figures.make_active(ob)
    feet = [{"name": f"foot.{side}", "bone": ""} for side in "LR"]
    set_up(kind='HUMAN', roles=[*feet, {"name": "hips", "bone": "spine"}])
    assert figures.effectors(ob) == HUMAN[:5]
    assert ob.superpose.root_location == 'ANCHORED'
    before = ob.pose.bones["spine"].head.copy()
    figures.target_of(ob, "hand.L").location.x += 1.0
    armatures.refresh()
    assert ob.pose.bones["spine"].head == before



@pytest.mark.parametrize("name", ANIMALS)
def test_animals_are_held_by_what_they_stand_and_fly_on(name):
    ob = rigify_rigs.metarig(name)
    set_up()
    assert figures.effectors(ob) == ANIMALS[name]
    assert len(limited(ob)) >= 10


def test_a_paw_that_is_lifted_leaves_shoulder_blades_and_other_legs_as_they_are():
    ob = rigify_rigs.metarig("wolf")
    set_up(use_live=False)
    figures.target_of(ob, "front_toe.L").location += armatures.Vector((0, -0.1, 0.1))
    bpy.ops.superpose.solve()
    turned = {bone.name: degrees(bone.matrix_basis.to_quaternion().angle) for bone in ob.pose.bones}
    assert figures.distance(ob, "front_toe.L") < 1e-3
    assert max(turned["shoulder.L"], turned["shoulder.R"]) < 10
    assert max(turned[name] for name in ("thigh.L", "thigh.R", "shin.L", "shin.R", "front_foot.R")) < 15
    assert turned["front_shin.L"] > 20


def test_a_kind_that_the_user_says_stands_as_its_kind_does(addon):
    """A wolf that was taken for a human would be up along its back, and bend its joints by that."""
    ob = rigify_rigs.metarig("wolf")
    setup = import_module(f"{addon.name}.armature.setup.body")
    body = setup.recognised_body(ob)
    told = {kind: setup.standing_as_told(ob, body.confirmed(kind, {})) for kind in ("human", "quadruped")}
    assert told["quadruped"].up @ body.up > 0.97
    assert told["quadruped"].forward @ body.forward > 0.97
    assert abs(told["human"].up @ body.up) < 0.5
    roles = import_module(f"{addon.name}.operators.setup.roles")
    operator = SimpleNamespace(kind='HUMAN', roles=[])
    operator.made_before = lambda ob, body: {}
    operator.as_told = lambda body, made: body.confirmed("human", made)
    assert abs(roles.RolesOperator.body_of(operator, ob).up @ body.up) < 0.5


def test_what_is_not_wanted_is_not_made():
    ob = rigify_rigs.metarig("basic_human")
    set_up(use_targets=False, use_limits=False, use_live=False)
    assert not any(figures.target_of(ob, name) for name in HUMAN)
    assert limited(ob) == []
    assert not ob.superpose_live


def test_the_soft_chest_costs_a_hand_nothing():
    ob = rigify_rigs.metarig("basic_human")
    set_up(use_live=False)
    figures.target_of(ob, "hand.L").location += armatures.Vector((-0.1, -0.35, 0.3))
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 1e-3


@pytest.mark.once
def test_a_hand_that_is_dragged_far_takes_the_body_along_and_leaves_the_feet():
    ob = rigify_rigs.metarig("human")
    set_up(use_live=False)
    to_the_toes = ob.pose.bones["foot.L"].head + armatures.Vector((0.05, -0.15, 0.1))
    figures.target_of(ob, "hand.L").location = to_the_toes
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 0.02
    assert max(figures.distance(ob, f"foot.{side}") for side in "LR") < 0.002
    assert figures.distance(ob, "spine.006") > 0.5


def test_the_body_follows_a_target_from_the_pose_where_it_was_set_up():
    ob = rigify_rigs.metarig("basic_human")
    set_up()
    figures.target_of(ob, "hand.L").location += armatures.Vector((-0.1, -0.2, 0.1))
    assert max(figures.distance(ob, name) for name in ("hand.L", "foot.L", "foot.R")) < 1e-4
    assert max(figures.distance(ob, name) for name in ("hand.R", "spine.006")) < 0.02, "they follow softly"


def test_joints_get_the_comfort_of_humans():
    ob = rigify_rigs.metarig("basic_human")
    set_up(use_comfort=False)
    assert not ob.pose.bones["forearm.L"].superpose.comfort.is_set
    set_up()
    assert ob.pose.bones["forearm.L"].superpose.comfort.is_set


def test_a_second_press_changes_nothing():
    rigify_rigs.metarig("basic_human")
    set_up()
    armatures.refresh()
    before = figures.state()
    set_up()
    assert figures.state() == before


def test_one_step_takes_all_of_it_back():
    rigify_rigs.metarig("basic_human")
    bpy.ops.ed.undo_push(message="before")
    before = figures.state()
    set_up()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert figures.state() == before


def test_remove_set_up_leaves_nothing_behind():
    ob = rigify_rigs.metarig("basic_human")
    before = figures.state()
    set_up()
    bpy.ops.superpose.remove_setup()
    figures.select_bones(ob)
    assert figures.state() == before
    assert traces(ob) == []


def hand_made(ob):
    """A limit, an effector with a weight and a stiffness, set by the user."""
    figures.select_bones(ob, "shin.L")
    bpy.ops.superpose.add_limit(kind='FREE')
    figures.select_bones(ob, "hand.L", "toe.L")
    bpy.ops.superpose.add_effectors(only_ends=False)
    ob.pose.bones["hand.L"].superpose_position_weight = 3
    ob.pose.bones["shoulder.L"].superpose.stiffness = 0.25
    figures.select_bones(ob)


def test_what_was_set_before_stays_and_is_said(capfd):
    ob = rigify_rigs.metarig("basic_human")
    hand_made(ob)
    capfd.readouterr()
    set_up()
    said = "".join(capfd.readouterr())
    assert all(f"'{name}'" in said for name in ("hand.L", "shin.L", "shoulder.L"))
    assert ob.pose.bones["hand.L"].superpose_position_weight == 3
    assert figures.target_of(ob, "hand.L")
    bpy.ops.superpose.remove_setup()
    assert figures.effectors(ob) == ["hand.L", "toe.L"]
    assert ob.pose.bones["shoulder.L"].superpose.stiffness == 0.25
    assert limited(ob) == ["shin.L"]
    bpy.ops.superpose.remove_setup()
    assert traces(ob) == []


def test_what_the_user_adds_stays_and_is_said(capfd):
    ob = rigify_rigs.metarig("basic_human")
    set_up()
    figures.select_bones(ob, "toe.L")
    bpy.ops.superpose.add_effectors()
    figures.select_bones(ob, "shin.L")
    bpy.ops.superpose.add_limit(kind='HINGE')
    capfd.readouterr()
    bpy.ops.superpose.remove_setup()
    said = "".join(capfd.readouterr())
    assert "'toe.L'" in said
    assert "'shin.L'" in said
    assert figures.effectors(ob) == ["toe.L"]
    assert limited(ob) == ["shin.L"]
    assert [other.name for other in bpy.data.objects] == [ob.name]


def test_a_generated_rig_says_what_is_possible():
    rigify_rigs.generated("basic_human")
    figures.refused(
        bpy.ops.superpose.set_up_body, "follows controls.*such as torso, hand_ik.L, .* press Add Effectors"
    )


def test_armatures_that_cannot_be_set_up_are_refused():
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.object.mode_set(mode='EDIT')
    with pytest.raises(RuntimeError, match="is in edit mode"):
        bpy.ops.superpose.set_up_body()
    bpy.ops.object.mode_set(mode='OBJECT')
    ob.data.pose_position = 'REST'
    with pytest.raises(RuntimeError, match="shows its rest position"):
        bpy.ops.superpose.set_up_body()


def test_a_linked_armature_is_refused(tmp_path):
    name = rigify_rigs.metarig("basic_human").name
    path = str(tmp_path / "human.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, linked):
        linked.objects = [name]
    bpy.context.scene.collection.objects.link(bpy.data.objects[name])
    figures.make_active(bpy.data.objects[name])
    with pytest.raises(RuntimeError, match="is linked"):
        bpy.ops.superpose.set_up_body()


def test_another_kind_takes_the_place_of_the_one_before():
    """Else a human that was set up as a quadruped kept pinned hands, and limits that its pose is outside."""
    ob = rigify_rigs.metarig("basic_human")
    ob.pose.bones["hand.L"].superpose.mass = 0.5
    set_up(kind='HUMAN')
    as_human = made_of_it(ob)
    set_up(kind='ARM')
    assert "anchored" in str(made_of_it(ob)).lower()
    set_up(kind='QUADRUPED')
    assert made_of_it(ob) != as_human
    set_up(kind='HUMAN')
    assert made_of_it(ob) == as_human
    assert ob.pose.bones["hand.L"].superpose.mass == 0.5
    assert sum(target.name.endswith("target") for target in bpy.data.objects) == len(HUMAN)


def made_of_it(ob):
    settings = [
        (bone.superpose.hold, bone.superpose.limit.kind, tuple(bone.superpose.made)) for bone in ob.pose.bones
    ]
    return figures.effectors(ob), settings, ob.superpose.root_location, ob.superpose_live


@pytest.mark.once
def test_hair_of_hundreds_of_bones_is_no_part_of_the_body():
    ob = rigify_rigs.metarig("human")
    with armatures.edited(ob) as bones:
        for number in range(1000 - len(bones)):
            strand, link = divmod(number, 20)
            bone = bones.new(f"hair.{number:03}")
            bone.head, bone.tail = ((0.01 * (strand - 20), 0.1, 1.7 - 0.05 * (link + end)) for end in (0, 1))
            bone.parent = bones[f"hair.{number - 1:03}" if link else "spine.006"]
    set_up()
    assert len(figures.effectors(ob)) == len(HUMAN)


@pytest.mark.parametrize("mode", ['OBJECT', 'POSE'])
def test_mode_selection_and_pose_stay(mode):
    ob = rigify_rigs.metarig("basic_human")
    figures.select_bones(ob, "spine", "shin.L")
    bpy.ops.object.mode_set(mode=mode)
    selected, rotations = figures.selected_bones(ob), figures.rotations(ob)
    set_up()
    armatures.refresh()
    assert (ob.mode, figures.selected_bones(ob), bpy.context.object) == (mode, selected, ob)
    assert (figures.rotations(ob) == rotations).all()


def test_goals_and_masses_of_the_user_stay_too(capfd):
    ob = rigify_rigs.metarig("basic_human")
    set_up()
    ob.superpose.goals.add().name = "Look"
    ob.pose.bones["spine.006"].superpose.mass = 0.5
    capfd.readouterr()
    bpy.ops.superpose.remove_setup()
    assert "'spine.006', 'Look'" in "".join(capfd.readouterr())
    assert (ob.pose.bones["spine.006"].superpose.mass, ob.superpose.goals[0].name) == (0.5, "Look")
    assert figures.effectors(ob) == []


def test_a_limb_that_is_squashed_in_its_action_takes_no_play_from_it(rigify, capfd):
    ob = rigify_rigs.metarig("human")
    for frame, scale in ((1, 1), (30, 3), (60, 1)):
        ob.pose.bones["upper_arm.L"].scale = (1, scale, 1)
        ob.pose.bones["upper_arm.L"].keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.superpose.set_up_body(use_live=False)
    assert ob.pose.bones["forearm.L"].superpose.is_property_set("limit")
    assert "limits are not adapted to the action: Bone 'forearm.L'" in capfd.readouterr().out
