# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows the motion of another armature."""

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from mathutils import Matrix, Vector
from walking import (
    LAST,
    PARTS,
    bones_of,
    contacts_of,
    curves_of,
    levelled,
    lifted,
    targets_of,
)

TOES = ("toe.L", "toe.R")

follow = bpy.ops.superpose.follow_motion


def test_targets_go_where_the_bones_of_an_equal_body_go(leader, body):
    before = figures.state_of(leader)
    assert follow(use_level=False) == {'FINISHED'}
    assert figures.state_of(leader) == before
    np.testing.assert_allclose(targets_of(body), lifted(leader, body), atol=2e-5)


def test_the_body_begins_where_it_stands_and_steps_on_its_floor(leader, body):
    follow()
    made, rest = targets_of(body), np.array([body.data.bones[name].matrix_local for name in PARTS])
    np.testing.assert_allclose(made[0, 0, :2, 3], rest[0, :2, 3], atol=1e-5)
    assert abs(made[:, 4:, 2, 3].min() - rest[4:, 2, 3].min()) < 0.02


@pytest.mark.once
@pytest.mark.parametrize(("is_level", "turn"), [(True, 0.0), (False, 0.15)])
def test_feet_that_stand_lie_flat(leader, body, is_level, turn):
    """The right foot, which stands, points up all the time."""
    levelled(curve for curve in curves_of(leader) if "location" in curve.data_path)
    foot = leader.pose.bones["foot.R"]
    foot.rotation_mode = 'XYZ'
    foot.rotation_euler.x = -0.15
    follow(use_level=is_level)
    made, rest = targets_of(body)[1:-1, PARTS.index("foot.R")], body.data.bones["foot.R"].matrix_local
    ways = *made[:, :3, 1], np.array(rest.col[1])
    pitches = [np.arctan2(way[2], np.hypot(way[0], way[1])) for way in ways]
    assert abs(np.median(pitches[:-1]) - pitches[-1] - turn) < 0.01


@pytest.mark.once
def test_feet_that_stand_on_an_edge_lie_flat(leader, body):
    """The right foot, which stands, is turned about its length all the time."""
    levelled(curve for curve in curves_of(leader) if "location" in curve.data_path)
    foot = leader.pose.bones["foot.R"]
    foot.rotation_mode = 'XYZ'
    foot.rotation_euler.y = 0.15
    follow()
    made, rest = targets_of(body)[1:-1, PARTS.index("foot.R")], body.data.bones["foot.R"].matrix_local
    np.testing.assert_allclose(np.median(made[:, 2, :3], axis=0), np.array(rest)[2, :3], atol=0.01)


@pytest.mark.once
def test_toes_turn_along_with_feet_that_are_laid_flat(leader, body):
    levelled(curve for curve in curves_of(leader) if "location" in curve.data_path)
    leader.pose.bones["foot.R"].rotation_mode = 'XYZ'
    leader.pose.bones["foot.R"].rotation_euler.x = -0.15
    body.pose.bones["toe.R"].superpose.is_effector = True
    follow(use_toes=False)
    bpy.context.scene.frame_set(4)
    places = [figures.target_of(body, name).matrix_world for name in ("foot.R", "toe.R")]
    rests = [body.data.bones[name].matrix_local for name in ("foot.R", "toe.R")]
    np.testing.assert_allclose(places[0].inverted() @ places[1], rests[0].inverted() @ rests[1], atol=1e-4)


@pytest.mark.once
@pytest.mark.parametrize("names", [("wolf", "horse"), ("horse", "cat")])
def test_quadrupeds_of_other_proportions_stand_on_their_own_feet(rigify, names):
    leader, ob = (rigify_rigs.metarig(name) for name in names)
    for frame in (1, 2):
        leader.location.x = 0.01 * frame
        leader.keyframe_insert("location", frame=frame)
    armatures.refresh()
    bpy.ops.superpose.set_up_body(use_live=False)
    follow()
    size = ob.dimensions.z
    for bone in (bone for bone in ob.pose.bones if bone.is_property_set("superpose")):
        target, rest = bone.superpose.target, bone.bone.matrix_local
        if target:
            assert abs(target.matrix_world.translation.z - rest.translation.z) < 0.12 * size, bone.name
            turn = target.matrix_world.to_quaternion().rotation_difference(rest.to_quaternion()).angle
            assert min(turn, 2 * np.pi - turn) < 0.6, bone.name


def turn_at_rest(ob, bone, angle):
    """Turn a limb about the armature's Y axis."""
    with armatures.edited(ob) as bones:
        pivot = bones[bone].head.copy()
        turn = Matrix.Translation(pivot) @ Matrix.Rotation(angle, 4, 'Y') @ Matrix.Translation(-pivot)
        for part in (bones[bone], *bones[bone].children_recursive):
            part.transform(turn)


@pytest.mark.once
def test_toes_and_fingers_stay_at_feet_and_hands_of_a_body_that_rests_otherwise(leader, body):
    turn_at_rest(leader, "thigh.L", -0.5)
    turn_at_rest(leader, "upper_arm.R", -0.7)
    figures.make_active(body)
    pairs = ("foot.L", "toe.L"), ("hand.R", "f_index.01.R"), ("hand.R", "f_index.02.R")
    for _, name in pairs:
        body.pose.bones[name].superpose.is_effector = True
    follow()
    for pair in pairs:
        heads = [body.data.bones[name].head_local for name in pair]
        for frame in range(1, LAST + 1):
            bpy.context.scene.frame_set(frame)
            places = [figures.target_of(body, name).matrix_world.translation for name in pair]
            assert abs((places[1] - places[0]).length - (heads[1] - heads[0]).length) < 1e-5, (pair, frame)


@pytest.mark.once
@pytest.mark.parametrize(
    ("scale", "said"), [((-2, 2, 2), "mirrored"), ((2, 2, 1), "unevenly"), ((3, 3, 3), None)]
)
def test_a_leader_whose_scale_is_left_aside_is_said(leader, body, scale, said):
    follow()
    plain = targets_of(body)
    leader.scale = scale
    armatures.refresh()
    follow()
    np.testing.assert_allclose(targets_of(body), plain, atol=1e-5)
    assert ("'Walk' is" in body.superpose.found) == bool(said)
    assert (said or "") in body.superpose.found


def test_a_body_of_another_kind_is_refused(leader, body):
    horse = rigify_rigs.metarig("horse")
    bpy.ops.superpose.set_up_body(use_live=False)
    figures.refused(follow, "'Walk' is a body of another kind, human, than 'metarig.001', quadruped")
    assert bpy.context.object == horse


def test_a_bake_over_it_meets_all(leader, body):
    follow(use_contacts=False)
    bpy.ops.superpose.bake()
    apart = bones_of(body)[..., :3, 3] - targets_of(body)[..., :3, 3]
    assert np.linalg.norm(apart, axis=-1).max() < 1e-4


@pytest.mark.once
def test_a_live_body_follows_as_frames_go_by(leader, body):
    body.superpose_live = True
    follow()
    apart = bones_of(body)[..., :3, 3] - targets_of(body)[..., :3, 3]
    assert np.linalg.norm(apart, axis=-1).max() < 1e-3


@pytest.mark.once
@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (2, -2, 2)])
def test_the_points_that_should_meet_targets_do_where_the_motion_has_them(leader, body, scale):
    body.scale = scale
    follow()
    plain, marks = targets_of(body), contacts_of(body)
    hand, foot = (body.pose.bones[name] for name in ("hand.L", "foot.L"))
    hand.superpose_offset = 0.1, 0.05, 0.02
    for frame, length in ((1, 0.0), (LAST, 0.2)):
        foot.superpose_offset[1] = length
        foot.keyframe_insert("superpose_offset", frame=frame)
    follow()
    moved = targets_of(body)
    np.testing.assert_allclose(moved[..., :3, :3], plain[..., :3, :3], atol=1e-5)
    shift = np.einsum("fji,fj->fi", plain[:, 2, :3, :3], (moved - plain)[:, 2, :3, 3])
    x, y, z = hand.superpose_offset
    wanted = np.sign(np.prod(scale)) * x, y, z  # the target of a mirrored bone has the opposite X
    np.testing.assert_allclose(shift, np.tile(wanted, (LAST, 1)), atol=1e-5)
    gone = np.linalg.norm((moved - plain)[:, 4, :3, 3], axis=-1)
    np.testing.assert_allclose(gone[[0, -1]], (0.0, 0.2), atol=1e-5)
    assert contacts_of(body) == marks


@pytest.mark.parametrize("mode", ['QUATERNION', 'AXIS_ANGLE', 'XYZ', 'YZX'])
def test_targets_keep_their_rotation_modes_and_scales(leader, body, mode):
    for name in PARTS:
        figures.target_of(body, name).rotation_mode = mode
        figures.target_of(body, name).scale = 0.5, 2, 1
    follow(use_contacts=False, use_level=False)
    assert {figures.target_of(body, name).rotation_mode for name in PARTS} == {mode}
    assert all(tuple(figures.target_of(body, name).scale) == (0.5, 2, 1) for name in PARTS)
    np.testing.assert_allclose(targets_of(body), lifted(leader, body), atol=2e-5)


def test_a_motion_of_the_armature_object_itself_counts(leader, body):
    for frame, x in ((1, 0.0), (LAST, 2.0)):
        leader.location.x = x
        leader.keyframe_insert("location", frame=frame)
    follow(use_contacts=False)
    gone = targets_of(body)[-1, 0, :3, 3] - targets_of(body)[0, 0, :3, 3]
    assert np.linalg.norm(gone) > 0.9  # of 2 m by a body twice as large


def test_what_the_user_keyed_or_chose_stays_in_the_file(leader, body):
    hand, foot = (figures.target_of(body, name) for name in ("hand.L", "foot.L"))
    hand.keyframe_insert("location", frame=5)
    old, other = hand.animation_data.action, armatures.new_object("Prop")
    body.pose.bones["foot.L"].superpose.target = other
    follow()
    assert (old.use_fake_user, len(figures.curves(old))) == (True, 3)
    assert hand.animation_data.action != old
    assert figures.target_of(body, "hand.L") == hand
    assert figures.target_of(body, "foot.L") not in (foot, other)
    assert other.animation_data is None


def test_a_second_press_makes_nothing_new_but_keys(leader, body):
    follow()
    before, first = len(bpy.data.objects), targets_of(body)
    follow()
    assert len(bpy.data.objects) == before
    np.testing.assert_array_equal(targets_of(body), first)


@pytest.mark.once
def test_hands_turn_with_the_motion_if_they_are_to(leader, body):
    hand = body.pose.bones["hand.L"]
    assert hand.superpose_rotation_weight == 0
    follow(use_turn=False)
    assert hand.superpose_rotation_weight == 0
    follow()
    assert hand.superpose_rotation_weight == 1


def test_the_scene_gets_the_range_if_it_is_to(leader, body):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 200
    follow(use_scene_range=False)
    assert (scene.frame_start, scene.frame_end) == (3, 200)
    follow(range='CUSTOM', frame_start=2, frame_end=5)
    assert (scene.frame_start, scene.frame_end) == (2, 5)
    follow()
    assert (scene.frame_start, scene.frame_end) == (1, LAST)


def test_what_poses_the_body_is_said_unless_it_is_live(leader, body):
    for is_live in (False, True):
        body.superpose_live = is_live
        follow(range='CUSTOM', frame_start=1, frame_end=2, use_contacts=False)
        assert ("Bake to Keyframes, or Live, poses the body" in body.superpose.found) is not is_live


def test_a_rotation_that_keys_leave_out_is_not_said_to_count(leader, body, capfd):
    for name in ("hand.L", "hand.R"):
        body.pose.bones[name].keyframe_insert("superpose_rotation_weight", frame=1)
    follow()
    assert "follow 'Walk'" in (said := capfd.readouterr().out)
    assert "counts now" not in said


def test_targets_are_shown_where_the_new_keys_have_them(leader, body):
    bpy.context.scene.frame_set(6)
    for share in (1.0, 0.3):
        for curve in curves_of(leader):
            for key in curve.keyframe_points:
                key.co.y *= share
            curve.update()
        follow()
        shown = figures.target_of(body, "hand.R").matrix_world.copy()
        bpy.context.scene.frame_set(6)
        assert shown == figures.target_of(body, "hand.R").matrix_world


@pytest.mark.once
def test_hands_that_come_to_turn_stand_with_their_tips_at_once(leader, body):
    for curve in curves_of(leader):
        curve.mute = curve.data_path.endswith("location")
    arm, hand = leader.pose.bones["upper_arm.L"], leader.data.bones["hand.L"]
    lowered = Vector((0, 0, 0.02 - hand.tail_local.z))
    arm.location = arm.bone.matrix_local.to_3x3().inverted() @ lowered
    follow()
    found = contacts_of(body)
    assert len(found['pose.bones["hand.L"].superpose_tip_contact', 0]) > 1
    follow()
    assert contacts_of(body) == found


@pytest.mark.once
@pytest.mark.parametrize("names", [PARTS, PARTS[1:]])
def test_targets_are_the_same_in_any_order_of_effectors(leader, body, names):
    hand = leader.pose.bones["upper_arm.R"]
    hand.location.y = 0.5
    body.pose.bones["spine"].superpose.is_effector = "spine" in names
    found = []
    for order in (1, -1):
        for place, name in enumerate(PARTS):
            body.pose.bones[name].superpose.order = order * place
        follow(use_contacts=False)
        found.append(targets_of(body)[:, PARTS.index(names[0]) :])
    np.testing.assert_allclose(*found, atol=1e-5)


def test_a_mirrored_body_gets_targets_as_large_as_another(leader, body):
    body.scale.x = -1
    armatures.refresh()
    size = figures.target_of(body, "hand.L").empty_display_size
    body.pose.bones["hand.L"].superpose.target = None
    follow()
    assert figures.target_of(body, "hand.L").empty_display_size == pytest.approx(size)


@pytest.mark.once
def test_a_mirrored_body_follows_as_its_mirror_image_does(leader, body):
    """Feet that are laid flat, toes that bend and get targets, and contacts, which turn a foot."""
    leader.pose.bones["foot.R"].rotation_mode = 'XYZ'
    leader.pose.bones["foot.R"].rotation_euler.x = -0.15
    found = []
    for x in (-1, 1):
        body.scale.x = x
        body.animation_data_clear()
        bpy.ops.superpose.reset()
        armatures.refresh()
        follow()
        assert contacts_of(body)
        made = np.array([figures.target_of(body, toe).scale for toe in TOES])
        np.testing.assert_allclose(made, 1, atol=1e-5)
        bpy.ops.superpose.bake()
        found.append([bones_of(body), bones_of(body, TOES)])
    for mirrored, plain in zip(*found, strict=True):
        np.testing.assert_allclose(mirrored, plain, atol=1e-3)


def test_a_target_that_is_gone_is_replaced(leader, body):
    gone = figures.target_of(body, "hand.L")
    for collection in gone.users_collection:
        collection.objects.unlink(gone)
    follow()
    assert figures.target_of(body, "hand.L").users_scene


def test_keys_of_contacts_count_only_where_some_are_written(leader, body, tmp_path):
    body.keyframe_insert("location", frame=1)
    action = linked(body.animation_data.action, tmp_path)
    body.animation_data.action = action
    armatures.refresh()
    figures.refused(follow, f"Action '{action.name}' of '{body.name}' is linked")
    assert follow(use_contacts=False) == {'FINISHED'}


def linked(action, folder):
    """The action, in a library now."""
    name, path = action.name, str(folder / "library.blend")
    bpy.data.libraries.write(path, {action})
    bpy.data.actions.remove(action)
    with bpy.data.libraries.load(path, link=True) as (_, here):
        here.actions = [name]
    return here.actions[0]
