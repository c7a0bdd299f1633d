# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be solved is refused with one message that names it; nothing is changed."""

import armatures
import bpy
import pytest

pytestmark = pytest.mark.usefixtures("blend")


@pytest.fixture
def ob(rooms):
    return armatures.chain_with_target()


def refused(rooms, ob, match):
    with pytest.raises(rooms.armature.RigError, match=match):
        armatures.read(rooms.armature, ob)


def accepted(rooms, ob):
    return armatures.read(rooms.armature, ob)[0]


def effector(ob):
    return ob.pose.bones["b2"].superpose


@pytest.mark.parametrize("make", [lambda: None, lambda: armatures.new_object("Empty")])
def test_no_armature(rooms, make):
    refused(rooms, make(), "armature")


def test_no_effectors(rooms, ob):
    effector(ob).enabled = False
    refused(rooms, ob, "no enabled effector")


def test_edit_mode(rooms, ob):
    with armatures.edited(ob):
        refused(rooms, ob, "edit mode")


def test_rest_position(rooms, ob):
    ob.data.pose_position = 'REST'
    refused(rooms, ob, "rest position")


def test_linked_armature(rooms, ob, tmp_path):
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {ob})
    armatures.empty_file()
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, into):
        into.objects = ["Rig"]
    bpy.context.scene.collection.objects.link(into.objects[0])
    refused(rooms, into.objects[0], "linked")


def test_missing_root_bone(rooms, ob):
    ob.superpose.root_bone = "gone"
    refused(rooms, ob, "'gone'")


def test_effector_above_the_root_bone(rooms, ob):
    ob.superpose.root_bone = "b3"
    refused(rooms, ob, "'b2' carries the root bone 'b3' and so stays")


def test_without_its_target_an_effector_stays(rooms, ob):
    effector(ob).target = None
    assert accepted(rooms, ob).targets == ("of 'b2'",)


def test_a_target_that_a_script_deletes(rooms, ob):
    bpy.data.objects.remove(effector(ob).target)
    refused(rooms, ob, "The target of 'b2' was deleted: Create makes a new one")


def test_a_target_that_is_in_no_scene(rooms, ob):
    bpy.context.scene.collection.objects.unlink(effector(ob).target)
    refused(
        rooms, ob, "The target of 'b2' is gone: Create makes a new one, or choose another object; 'Target'"
    )


def filed_away(thing):
    """Put the object into a collection of its own, and return how the view layer shows that."""
    collection = bpy.data.collections.new("Filed away")
    for user in thing.users_collection:
        user.objects.unlink(thing)
    collection.objects.link(thing)
    bpy.context.scene.collection.children.link(collection)
    return bpy.context.view_layer.layer_collection.children[collection.name]


def switch_off(thing):
    thing.hide_viewport = True


def switch_its_collection_off(thing):
    filed_away(thing).collection.hide_viewport = True


def leave_its_collection_out(thing):
    filed_away(thing).exclude = True


def move_to_another_scene(thing):
    filed_away(thing)
    bpy.context.scene.collection.children.unlink(bpy.data.collections["Filed away"])
    bpy.data.scenes.new("Other").collection.objects.link(thing)


OFF = (
    (switch_off, "switched off in viewports"),
    (switch_its_collection_off, "switched off in viewports"),
    (leave_its_collection_out, "in a collection that is excluded from the view layer"),
    (move_to_another_scene, "not in this scene"),
)


@pytest.mark.parametrize(("switch", "words"), OFF)
@pytest.mark.parametrize("name", ["Rig", "Target"])
def test_what_blender_does_not_evaluate_stands_still(rooms, ob, name, switch, words):
    """Although it has a copy, because others point to it, which does not move."""
    effector(ob).target.superpose.rig = ob
    armatures.refresh()
    switch(bpy.data.objects[name])
    refused(rooms, ob, f"'{name}' is {words}, so it stands still")


def fail(owner, path, index=-1, expression="gone"):
    owner.driver_add(path, index).driver.expression = expression
    armatures.refresh()


def fail_its_parent(ob):
    effector(ob).target.parent = armatures.new_object("Parent")
    fail(effector(ob).target.parent, "rotation_euler", 1)


def fail_what_carries_it(ob):
    ob.superpose.root_bone = "b1"
    fail(ob.pose.bones["b0"], "location", 0)


FAILING = (
    (fail_what_carries_it, "Bone 'b0' is not in its place: the driver of location fails"),
    (lambda ob: fail(effector(ob).target, "location", 2), "place: the driver of location fails"),
    (fail_its_parent, "'Target' is not in its place: the driver of rotation_euler of 'Parent'"),
    (lambda ob: fail(ob, "scale", 0), "Armature 'Rig' is not in its place"),
    (lambda ob: fail(ob.pose.bones["b2"], "superpose_influence"), "The driver of .*influence fails"),
)


@pytest.mark.parametrize(("spoil", "words"), FAILING)
def test_what_a_driver_fails_is_named(rooms, ob, spoil, words):
    """Blender takes 0 for it, and goes on."""
    spoil(ob)
    refused(rooms, ob, words)


def test_what_a_driver_fails_in_some_frame_is_named(rooms, ob):
    fail(effector(ob).target, "location", 2, "1 / (frame - 3)")
    rig = accepted(rooms, ob)
    with pytest.raises(rooms.armature.RigError, match="the driver of location fails"):
        list(rooms.armature.read_frames_with(bpy.context, rig, ob, (1, 3), lambda: None))


@pytest.mark.parametrize("kind", ["objects", "actions"])
def test_what_a_missing_library_has_is_named(rooms, ob, tmp_path, kind):
    """Blender has something empty in its place."""
    library, target = tmp_path / "library.blend", effector(ob).target
    target.keyframe_insert("location", frame=1)
    bpy.data.libraries.write(str(library), {target})
    with bpy.data.libraries.load(str(library), link=True) as (there, into):
        setattr(into, kind, getattr(there, kind))
    linked = getattr(into, kind)[0]
    if kind == "objects":
        bpy.context.scene.collection.objects.link(linked)
        effector(ob).target = linked
    else:
        target.animation_data.action = linked
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    library.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    refused(rooms, bpy.data.objects["Rig"], "'Target' is not in its place: .* is missing: find its library")


@pytest.mark.skipif(not bpy.app.alembic.supported, reason="this Blender reads no Alembic files")
def test_motion_from_a_missing_file_is_named(rooms, ob, tmp_path):
    path, target = tmp_path / "motion.abc", effector(ob).target
    for frame in (1, 2):
        target.location.x += frame
        target.keyframe_insert("location", frame=frame)
    bpy.ops.wm.alembic_export(filepath=str(path), start=1, end=2, as_background_job=False)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    effector(ob).target = bpy.data.objects["Target.001"]
    accepted(rooms, ob)
    path.unlink()
    refused(rooms, ob, "'Target.001' is not in its place: '.*motion.abc' is missing")


def hide(thing):
    thing.hide_set(True)


def hide_its_collection(thing):
    filed_away(thing).hide_viewport = True


def leave_out_of_renders(thing):
    thing.hide_render = True


@pytest.mark.parametrize("hidden", [hide, hide_its_collection, leave_out_of_renders])
def test_what_only_the_eye_hides_moves(rooms, ob, hidden):
    for thing in (ob, effector(ob).target):
        hidden(thing)
    accepted(rooms, ob)


def test_missing_target_bone(rooms, ob):
    effector(ob).target, effector(ob).target_bone = armatures.chain(2, name="Other"), "gone"
    refused(rooms, ob, "'gone'")
    effector(ob).target = armatures.new_object("Empty")
    assert effector(ob).target_bone == ""  # there is no field to clear it
    effector(ob).target_bone = "gone"
    refused(rooms, ob, "'gone'")


def test_own_armature_without_bone(rooms, ob):
    effector(ob).target = ob
    refused(rooms, ob, "own armature")


@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 1)])
def test_zero_scale_target(rooms, ob, scale):
    effector(ob).target.scale = scale
    refused(rooms, ob, "'Target' is scaled to zero")


def test_target_that_is_not_finite(rooms, ob):
    effector(ob).target.location.x = float("nan")
    refused(rooms, ob, "'Target' is not finite")


@pytest.mark.parametrize("place", [1e7, -1e30])
def test_a_target_that_is_absurdly_far(rooms, ob, place):
    effector(ob).target.location.z = place
    refused(rooms, ob, "'Target' is more than a million times")


@pytest.mark.parametrize("length", [2e6, 1e20])
def test_an_offset_beside_which_the_rig_is_a_point(rooms, ob, length):
    ob.pose.bones["b2"].superpose_offset.x = 2 * length
    refused(rooms, ob, "offset of the effector on 'b2' is more than a million times")
    ob.pose.bones["b2"].superpose_position_weight = 0
    accepted(rooms, ob)


def test_what_is_far_is_told_by_the_size_of_the_rig(rooms, ob):
    effector(ob).target.location.z = 1e7
    ob.scale = (1e3, 1e3, 1e3)
    accepted(rooms, ob)


@pytest.mark.parametrize("setting", ["superpose_position_weight", "superpose_influence"])
def test_a_far_target_that_only_turns_or_does_nothing_is_fine(rooms, ob, setting):
    effector(ob).target.location.z = 1e12
    setattr(ob.pose.bones["b2"], setting, 0)
    accepted(rooms, ob)


def test_zero_scale_armature(rooms, ob):
    ob.scale = (1, 0, 1)
    refused(rooms, ob, "'Rig' is scaled to zero")


@pytest.mark.parametrize("of_target", [False, True])
def test_infinite_scale(rooms, ob, of_target):
    """Blender makes the largest number there is of it."""
    (effector(ob).target if of_target else ob).scale.x = float("inf")
    refused(rooms, ob, f"{'Target' if of_target else 'Rig'}' is scaled far more along one axis")


def test_zero_scale_bone(rooms, ob):
    ob.pose.bones["b1"].scale = (1, 0, 1)
    refused(rooms, ob, "'b1' is scaled to zero")


@pytest.mark.filterwarnings("error")
def test_a_bone_that_is_nowhere(rooms, ob):
    """The first one is named, which carries the others there."""
    ob.pose.bones["b1"].scale = (float("nan"), 1, 1)
    refused(rooms, ob, "'b1' is nowhere: its location, rotation or scale is not finite")


def test_sheared_bone(rooms, ob):
    ob.pose.bones["b0"].scale = (1, 2, 1)
    ob.pose.bones["b1"].rotation_quaternion = (1, 1, 0, 0)
    refused(rooms, ob, "'b1' has a sheared or non-uniform scale, inherited")


@pytest.mark.parametrize(("offset", "rotation_weight"), [(0.5, 0), (0, 1), (0, 0)])
def test_a_sheared_bone_that_may_not_turn_and_is_asked_along_its_axes(rooms, ob, offset, rotation_weight):
    with armatures.edited(ob) as bones:
        bones["b2"].align_orientation(bones["b1"])
    ob.pose.bones["b1"].scale = (1, 2, 1)
    ob.pose.bones["b2"].superpose.stiffness = 1
    ob.pose.bones["b2"].superpose_offset.x = offset
    ob.pose.bones["b2"].superpose_rotation_weight = rotation_weight
    accepted(rooms, ob)  # uneven along its axes, which stay at right angles
    ob.pose.bones["b2"].rotation_quaternion = (0.9, 0.4, 0, 0)
    if offset or rotation_weight:
        refused(rooms, ob, "'b2' has a sheared or non-uniform scale, inherited")
    else:
        accepted(rooms, ob)


def test_a_bone_that_a_constraint_makes_flat(rooms, ob):
    constraint = ob.pose.bones["b1"].constraints.new('LIMIT_SCALE')
    constraint.use_max_x, constraint.max_x = True, 0.5
    constraint.name = "Squash"
    refused(rooms, ob, r"'b1' has a sheared .* scale, .*by constraint 'Squash' \(Limit Scale\) of 'b1'")


def limit(ob, bone="b1"):
    constraint = ob.pose.bones[bone].constraints.new('LIMIT_ROTATION')
    constraint.name = "Keep"
    return constraint


def test_constrained_bone(rooms, ob):
    limit(ob)
    refused(rooms, ob, "'b1'.*'Keep'")


def test_a_muted_constraint_is_ignored(rooms, ob):
    limit(ob).mute = True
    accepted(rooms, ob)


def test_a_constraint_without_influence_is_ignored(rooms, ob):
    limit(ob).influence = 0
    accepted(rooms, ob)


def test_a_constraint_with_animated_influence_counts(rooms, ob):
    constraint = limit(ob)
    constraint.influence = 0
    constraint.keyframe_insert("influence", frame=1)
    refused(rooms, ob, "'Keep'")


def test_a_constrained_bone_that_moving_bones_carry(rooms, ob):
    limit(ob)
    ob.pose.bones["b1"].superpose.stiffness = 1
    refused(rooms, ob, "'b1' cannot be carried")


def test_a_constrained_bone_that_stands_still_is_held_and_named(rooms, ob):
    limit(ob, "b0")
    ob.pose.bones["b0"].superpose.stiffness = 1
    rig = accepted(rooms, ob)
    assert "'b0'" in rig.notes[0]
    assert not rig.free_location.any()


@pytest.mark.parametrize(
    ("count", "use_tail", "names"),
    [(0, True, {"b0", "b1", "b2", "b3"}), (2, True, {"b2", "b3"}), (2, False, {"b1", "b2"})],
)
def test_bones_in_the_chain_of_an_ik_constraint(rooms, ob, count, use_tail, names):
    constraint = ob.pose.bones["b3"].constraints.new('IK')
    constraint.chain_count, constraint.use_tail = count, use_tail
    assert rooms.armature.rig.obstacles.obstacles(ob).keys() == names
    refused(rooms, ob, "'b2'.* of 'b3'")


@pytest.mark.parametrize("path", ["rotation_quaternion", "location", "scale"])
def test_driven_bone(rooms, ob, path):
    ob.pose.bones["b1"].driver_add(path, 0)
    refused(rooms, ob, f"'b1'.*driver on its {path}")


def test_zero_weights_are_the_solvers_to_refuse(rooms, ob):
    bone = ob.pose.bones["b2"]
    bone.superpose_position_weight = bone.superpose_rotation_weight = 0
    rig, _, arrays = armatures.read(rooms.armature, ob)
    with pytest.raises(rooms.solvers.SolverError, match="zero weight"):
        rooms.solvers.solve(arrays[0], arrays[1], rig.effectors, arrays[2])
