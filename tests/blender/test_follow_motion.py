# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows the motion of another armature."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from mathutils import Euler, Matrix, Quaternion, Vector

LAST = 12
PARTS = ("spine", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R")
TURNED = {"thigh.L": 0.4, "shin.L": -0.5, "upper_arm.R": 0.6, "forearm.R": 0.4, "spine.004": 0.2}
follow = bpy.ops.superpose.follow_motion


@pytest.fixture
def leader(rigify):
    """A human that walks a little, twice as large, turned round and not where the world begins."""
    ob = rigify_rigs.metarig("human")
    ob.name = "Walk"
    for frame in range(1, LAST + 1):
        share = (frame - 1) / (LAST - 1)
        for name, angle in TURNED.items():
            bone = ob.pose.bones[name]
            bone.rotation_quaternion = Quaternion((1, 0, 0), angle * np.sin(np.pi * share))
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        hips = ob.pose.bones["spine"]
        hips.location = hips.bone.matrix_local.to_3x3().inverted() @ Vector((0, -0.3 * share, 0))
        hips.keyframe_insert("location", frame=frame)
    ob.matrix_world = Matrix.LocRotScale(Vector((3, -2, 1)), Euler((0, 0, 2)), Vector((2, 2, 2)))
    return ob


@pytest.fixture
def body(leader):
    """The same human, which stands elsewhere."""
    ob = rigify_rigs.metarig("human")
    ob.location, ob.rotation_euler = (-1, 1, 0.5), (0, 0, -0.7)
    armatures.refresh()
    bpy.ops.superpose.set_up_body(use_live=False, use_limits=False)
    bpy.context.scene.frame_set(1)
    return ob


def places(ob, of):
    """What is at ``of(name)`` in each frame (frames, parts, 4, 4), in the armature object's space."""
    found = []
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(ob.matrix_world.inverted() @ of(name)) for name in PARTS])
    found = np.array(found)
    found[..., :3, :3] /= np.linalg.norm(found[..., :3, :3], axis=-2, keepdims=True)
    return found


def bones_of(ob):
    return places(ob, lambda name: ob.matrix_world @ ob.pose.bones[name].matrix)


def contacts_of(ob):
    keys = figures.keys(ob.animation_data.action)
    return {place: found for place, found in keys.items() if place[0].endswith("contact")}


def targets_of(ob):
    return places(ob, lambda name: figures.target_of(ob, name).matrix_world)


def lifted(leader, ob):
    """The leader's bones, moved as a whole to begin over the follower's rest and stand on its floor."""
    wanted, made = bones_of(leader), targets_of(ob)
    wanted[..., :3, 3] += (made - wanted)[0, 0, :3, 3]
    return wanted


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


@pytest.mark.parametrize(("is_level", "turn"), [(True, 0.0), (False, 0.15)])
def test_feet_that_stand_lie_flat(leader, body, is_level, turn):
    """The right foot, which stands, points up all the time."""
    levelled(curve for curve in figures.curves(leader.animation_data.action) if "location" in curve.data_path)
    foot = leader.pose.bones["foot.R"]
    foot.rotation_mode = 'XYZ'
    foot.rotation_euler.x = -0.15
    follow(use_level=is_level)
    made, rest = targets_of(body)[1:-1, PARTS.index("foot.R")], body.data.bones["foot.R"].matrix_local
    ways = *made[:, :3, 1], np.array(rest.col[1])
    pitches = [np.arctan2(way[2], np.hypot(way[0], way[1])) for way in ways]
    assert abs(np.median(pitches[:-1]) - pitches[-1] - turn) < 0.01


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


def test_a_live_body_follows_as_frames_go_by(leader, body):
    body.superpose_live = True
    follow()
    apart = bones_of(body)[..., :3, 3] - targets_of(body)[..., :3, 3]
    assert np.linalg.norm(apart, axis=-1).max() < 1e-3


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


def test_an_effector_that_the_motion_has_not_follows_nothing(leader, body):
    with armatures.edited(leader) as bones:
        bones.remove(bones["breast.L"])
    figures.make_active(body)
    body.pose.bones["breast.L"].superpose.is_effector = True
    bpy.ops.superpose.create_targets()
    follow()
    assert body.pose.bones["breast.L"].superpose.target is None
    assert figures.target_of(body, "hand.L").animation_data.action


def levelled(curves):
    for curve in curves:
        for key in curve.keyframe_points:
            key.co.y = 0
        curve.update()


def curves_of(leader):
    return figures.curves(leader.animation_data.action)


def ends(scene):
    return scene.frame_start, scene.frame_end


@pytest.mark.parametrize("off", [-2e-4, 2e-4])
def test_keys_that_are_hardly_off_their_frames_add_none(leader, body, off):
    for curve in curves_of(leader):
        for key in curve.keyframe_points:
            key.co.x += off
        curve.update()
    follow()
    assert ends(bpy.context.scene) == (1, LAST)


def test_a_motion_under_remapped_time_has_its_own_frames(leader, body):
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = 100, 300
    follow()
    assert ends(bpy.context.scene) == (3, 3 * LAST)


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="actions have no slots")
def test_what_an_action_has_for_others_is_no_part_of_the_motion(leader, body):
    other = armatures.new_object("Prop")
    other.animation_data_create().action = leader.animation_data.action
    other.animation_data.action_slot = leader.animation_data.action.slots.new('OBJECT', "Prop")
    other.keyframe_insert("location", frame=900)
    follow()
    assert ends(bpy.context.scene) == (1, LAST)


def test_a_motion_of_strips_begins_and_ends_with_those_that_play(leader, body):
    animation = leader.animation_data
    action, animation.action = animation.action, None
    for start, name in ((31, "Walk"), (61, "Muted"), (91, "Alone")):
        track = animation.nla_tracks.new()
        track.name = name
        track.strips.new(name, start, action)
    animation.nla_tracks["Muted"].mute = True
    follow()
    assert ends(bpy.context.scene) == (31, 90 + LAST)
    animation.nla_tracks["Alone"].is_solo = True
    follow()
    assert ends(bpy.context.scene) == (91, 90 + LAST)
    animation.use_nla = False
    figures.refused(follow, "No other armature in this scene is animated")


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


def test_a_target_that_is_gone_is_replaced(leader, body):
    gone = figures.target_of(body, "hand.L")
    for collection in gone.users_collection:
        collection.objects.unlink(gone)
    follow()
    assert figures.target_of(body, "hand.L").users_scene


def moved_in_time(leader, by):
    for curve in curves_of(leader):
        for key in curve.keyframe_points:
            key.co.x += by
        curve.update()


def test_a_scene_begins_with_frame_0_at_the_earliest(leader, body):
    moved_in_time(leader, -6)
    follow()
    assert ends(bpy.context.scene) == (0, LAST - 6)
    moved_in_time(leader, -20)
    follow()
    assert ends(bpy.context.scene) == (0, LAST - 6)
    (curve, *_) = figures.curves(figures.target_of(body, "hand.L").animation_data.action)
    assert tuple(curve.range()) == (-25, LAST - 26)


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


def nothing_is_animated(leader, _):
    leader.animation_data_clear()


def its_action_is_empty(leader, _):
    leader.animation_data.action = bpy.data.actions.new("Empty")


def it_stands_still(leader, _):
    levelled(figures.curves(leader.animation_data.action))


def it_is_switched_off(leader, _):
    leader.hide_viewport = True


def it_has_no_size(leader, _):
    leader.scale = 0, 0, 0


def it_has_no_size_at_first(leader, _):
    for frame, size in ((1, 0), (LAST, 1)):
        leader.scale = size, size, size
        leader.keyframe_insert("scale", frame=frame)


def a_bone_has_no_size_at_first(leader, _):
    hand = leader.pose.bones["hand.L"]
    for frame, size in ((1, 0), (LAST, 1)):
        hand.scale = size, size, size
        hand.keyframe_insert("scale", frame=frame)


def it_shows_its_rest_position(leader, _):
    leader.data.pose_position = 'REST'
    leader.keyframe_insert("location", frame=1)
    leader.location.x += 1
    leader.keyframe_insert("location", frame=LAST)


def it_is_no_body(leader, body):
    leader.data = bpy.data.armatures.new("Other")
    with armatures.edited(leader) as bones:
        bones.new("Bone").tail = 0, 0, 1
    figures.make_active(body)


def there_are_two(leader, _):
    other = leader.copy()
    other.name = "Run"
    bpy.context.scene.collection.objects.link(other)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (nothing_is_animated, "No other armature in this scene is animated: import a motion first"),
        (its_action_is_empty, "No other armature in this scene is animated: import a motion first"),
        (it_stands_still, "'Walk' does not move from frame 1 to 12"),
        (it_is_switched_off, "Armature 'Walk' is switched off in viewports"),
        (it_has_no_size, "Armature 'Walk' is scaled to zero"),
        (it_has_no_size_at_first, "Armature 'Walk' is scaled to zero"),
        (a_bone_has_no_size_at_first, "Bone 'hand.L' of 'Walk' is scaled to zero in frame 1"),
        (it_shows_its_rest_position, "Armature 'Walk' shows its rest position"),
        (it_is_no_body, "The body of 'Walk' was not recognised"),
        (there_are_two, "Several armatures are animated, so choose a motion: 'Run', 'Walk'"),
    ],
)
def test_what_cannot_be_followed_is_refused_and_changes_nothing(leader, body, change, why):
    change(leader, body)
    bpy.context.scene.frame_set(4)
    before = figures.state()
    figures.refused(follow, why)
    assert figures.state() == before


def test_a_bone_that_is_nowhere_is_named(leader, body):
    leader.pose.bones["spine.001"].scale.x = float("nan")
    names = [set(group.keys()) for group in (bpy.data.objects, bpy.data.actions)]
    with pytest.raises(RuntimeError, match=r"Bone 'spine\.\d+' of 'Walk' is nowhere in frame 1"):
        follow()
    assert [set(group.keys()) for group in (bpy.data.objects, bpy.data.actions)] == names


def test_stopped_it_leaves_all_as_it_was(leader, body, addon):
    tracks = import_module(f"{addon.name}.armature.motion.tracks")
    targets = import_module(f"{addon.name}.armature.motion.targets")
    lead = import_module(f"{addon.name}.armature.motion.lead").lead_by_roles(body, leader)
    body.pose.bones["foot.L"].superpose.target = None
    before = figures.state()

    def work():
        with targets.targets_given(bpy.context, lead):
            yield from tracks.read_tracks(bpy.context, lead, range(1, LAST + 1), True)

    steps = work()
    for _ in range(5):
        next(steps)
    steps.close()
    assert figures.state() == before
