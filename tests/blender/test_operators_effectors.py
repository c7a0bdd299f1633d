# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors: what is added, removed and moved, and what the effectors survive."""

import armatures
import bpy
import figures
import pytest
import rigify_rigs

pytestmark = pytest.mark.usefixtures("blend")


def test_add_takes_the_selected_bones_in_the_armatures_order():
    ob = figures.figure()
    figures.select_bones(ob, "hand.L", "head")
    assert bpy.ops.superpose.add_effectors() == {'FINISHED'}
    assert figures.effectors(ob) == ["head", "hand.L"]
    assert ob.pose.bones[ob.superpose.active_bone_index].name == "hand.L"


def test_add_appends_and_leaves_the_others():
    ob = figures.figure()
    for names in (["head"], ["hips", "head"]):
        figures.select_bones(ob, *names)
        bpy.ops.superpose.add_effectors()
    assert figures.effectors(ob) == ["head", "hips"]


@pytest.mark.parametrize("mode", ['OBJECT', 'POSE'])
def test_of_all_bones_only_the_ends_are_added(mode):
    ob = figures.figure()
    figures.select_bones(ob, *figures.BONES)
    bpy.ops.object.mode_set(mode=mode)
    bpy.ops.superpose.add_effectors()
    assert figures.effectors(ob) == ["hips", "head", "hand.L", "hand.R"]


def test_the_user_may_want_every_bone_or_only_ends():
    ob = figures.figure()
    figures.select_bones(ob, *figures.BONES)
    bpy.ops.superpose.add_effectors(only_ends=False)
    assert figures.effectors(ob) == list(figures.BONES)
    bpy.ops.superpose.remove_setup()
    figures.select_bones(ob, "chest", "arm.L", "forearm.L", "hand.L", "head")
    bpy.ops.superpose.add_effectors(only_ends=True)
    assert figures.effectors(ob) == ["chest", "head", "hand.L"]


def test_hidden_bones_are_not_missed_when_all_are_selected():
    ob = figures.figure()
    bpy.ops.object.mode_set(mode='POSE')
    names = [name for name in figures.BONES if not name.endswith(".R")]
    for name in set(figures.BONES) - set(names):
        bone = ob.pose.bones[name]
        (bone if hasattr(bone, "hide") else bone.bone).hide = True
    figures.select_bones(ob, *names)
    bpy.ops.superpose.add_effectors()
    assert figures.effectors(ob) == ["hips", "head", "hand.L"]


def test_add_in_pose_mode_changes_neither_mode_nor_selection():
    ob = figures.figure()
    figures.select_bones(ob, "head")
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.add_effectors()
    assert ob.mode == 'POSE'
    assert figures.selected_bones(ob) == ["head"]


def test_remove_takes_the_active_one_and_keeps_what_its_joint_may_do():
    ob = figures.ready()
    ob.pose.bones["head"].superpose.stiffness = 0.5
    ob.pose.bones["head"].superpose.limit.kind = 'HINGE'
    ob.superpose.active_bone_index = ob.pose.bones.find("head")
    bpy.ops.superpose.remove_effector()
    assert figures.effectors(ob) == ["hips", "hand.L", "hand.R"]
    assert ob.pose.bones[ob.superpose.active_bone_index].name == "hand.L"
    assert ob.pose.bones["head"].superpose.stiffness == 0.5
    assert ob.pose.bones["head"].superpose.limit.kind == 'HINGE'
    assert figures.target_of(ob, "head") is None


def test_remove_every_one():
    ob = figures.ready()
    for _ in figures.EFFECTORS:
        bpy.ops.superpose.remove_effector()
    assert not figures.effectors(ob)
    assert not any(bone.is_property_set("superpose") for bone in ob.pose.bones)


@pytest.mark.parametrize(
    ("direction", "names"),
    [('UP', ["head", "hips", "hand.L", "hand.R"]), ('DOWN', ["hips", "hand.L", "head", "hand.R"])],
)
def test_move(direction, names):
    ob = figures.ready()
    ob.superpose.active_bone_index = ob.pose.bones.find("head")
    assert bpy.ops.superpose.move_effector(direction=direction) == {'FINISHED'}
    assert figures.effectors(ob) == names


def test_move_beyond_the_end_changes_nothing():
    ob = figures.ready()
    before = figures.state()
    ob.superpose.active_bone_index = ob.pose.bones.find("hand.R")
    assert bpy.ops.superpose.move_effector(direction='DOWN') == {'CANCELLED'}
    assert figures.state() == before


def test_effectors_follow_renamed_bones():
    ob = figures.turned_away(figures.ready())
    ob.data.bones["hand.L"].name = "palm"
    bpy.ops.superpose.solve()
    assert figures.effectors(ob) == ["hips", "head", "palm", "hand.R"]
    assert figures.distance(ob, "palm") < 1e-4


def test_animated_influence_stays_with_its_bone_when_the_list_is_reordered():
    ob = figures.ready()
    ob.pose.bones["head"].keyframe_insert("superpose_influence", frame=1)
    path = figures.curves(ob.animation_data.action)[0].data_path
    bpy.ops.superpose.move_effector(direction='UP')
    assert path == 'pose.bones["head"].superpose_influence'
    assert ob.path_resolve(path) == 1


def test_a_duplicate_keeps_the_set_up():
    ob = figures.turned_away(figures.ready())
    figures.make_active(ob)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != ob
    assert figures.effectors(copy) == list(figures.EFFECTORS)
    bpy.ops.superpose.solve()
    assert figures.distance(copy, "hand.L") < 1e-4
    assert not ob.superpose.is_solved


@pytest.mark.parametrize("what", ["OBJECT", "COLLECTION"])
def test_an_appended_rig_keeps_its_set_up(tmp_path, what):
    ob = figures.turned_away(figures.ready())
    collection = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(ob)
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    folder, name = ("Object", "Figure") if what == "OBJECT" else ("Collection", "Character")
    bpy.ops.wm.append(directory=f"{path}/{folder}/", filename=name)
    ob = bpy.data.objects["Figure"]
    figures.make_active(ob)
    assert figures.effectors(ob) == list(figures.EFFECTORS)
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 1e-4


BODY = ["spine", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R"]


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("mode", ['OBJECT', 'POSE'])
def test_of_a_body_hips_head_hands_and_feet_are_added(rigify, everything, mode):
    ob = rigify_rigs.metarig("human")
    names = [bone.name for bone in ob.data.bones] if everything else []
    figures.select_bones(ob, *names)
    bpy.ops.object.mode_set(mode=mode)
    bpy.ops.superpose.add_effectors()
    assert sorted(figures.effectors(ob)) == sorted(BODY)
    assert sorted(figures.selected_bones(ob)) == sorted(names)


def test_a_wolf_is_held_by_hips_head_and_paws(rigify):
    ob = rigify_rigs.metarig("wolf")
    bpy.ops.superpose.add_effectors()
    paws = [f"{paw}.{side}" for paw in ("front_toe", "toe") for side in "LR"]
    assert sorted(figures.effectors(ob)) == sorted(["spine.004", "spine.011", *paws])


def test_what_is_selected_of_a_body_is_what_is_added(rigify):
    ob = rigify_rigs.metarig("basic_human")
    figures.select_bones(ob, "shin.L", "forearm.R")
    bpy.ops.superpose.add_effectors()
    assert sorted(figures.effectors(ob)) == ["forearm.R", "shin.L"]


def test_the_user_may_want_the_whole_body_or_not(rigify):
    ob = rigify_rigs.metarig("basic_human")
    figures.select_bones(ob, "shin.L")
    bpy.ops.superpose.add_effectors(whole_body=True)
    assert sorted(figures.effectors(ob)) == sorted(BODY)
    bpy.ops.superpose.remove_setup()
    figures.select_bones(ob, *(bone.name for bone in ob.data.bones))
    bpy.ops.superpose.add_effectors(whole_body=False)
    assert len(figures.effectors(ob)) == len(ob.data.bones)


def test_a_body_that_is_placed_by_constraints_is_left_to_the_user(rigify):
    ob = rigify_rigs.metarig("basic_human")
    ob.pose.bones["hand.L"].constraints.new('COPY_LOCATION').target = armatures.new_object("Space")
    figures.refused(bpy.ops.superpose.add_effectors, "No bones of .*Bone 'hand.L' is placed by")
    figures.refused(lambda: bpy.ops.superpose.add_effectors(whole_body=True), "'hand.L' is placed by")


def test_a_body_that_is_not_recognised_says_so():
    ob = figures.figure()
    figures.refused(bpy.ops.superpose.add_effectors, "selected. The body of 'Figure' was not recognised")
    figures.refused(lambda: bpy.ops.superpose.add_effectors(whole_body=True), "was not recognised")
    assert figures.effectors(ob) == []


def placed_away(ob, *effectors):
    """Give the bones targets of their own, the first's 3 m away, and solve; return how far the root went."""
    figures.select_bones(ob, *effectors)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    figures.target_of(ob, effectors[0]).location.x += 3.0
    armatures.refresh()
    bpy.ops.superpose.solve()
    armatures.refresh()
    return ob.pose.bones["hips"].location.length


@pytest.mark.parametrize("kind", ['FREE', 'ANCHORED'])
def test_the_root_stays_with_one_effector_alone_until_it_is_set_free(kind):
    ob = figures.figure()
    assert placed_away(ob, "hand.L") == 0.0
    ob.superpose.root_location = kind
    bpy.ops.superpose.solve()
    assert (ob.pose.bones["hips"].location.length > 1.0) == (kind == 'FREE')


@pytest.mark.parametrize("effectors", [("hand.L", "hand.R"), ("hips",)])
def test_the_root_goes_along_with_two_effectors_or_its_own(effectors):
    assert placed_away(figures.figure(), *effectors) > 0.5
