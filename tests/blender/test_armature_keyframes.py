# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys: every rotation mode is continuous and plays back as solved, and what is not baked stays as it was."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

FRAMES = list(range(1, 41))


@pytest.fixture
def actions(addon, rooms):
    """The module that knows where an action keeps its curves."""
    return import_module(f"{addon.name}.armature.fcurves.actions")


def curves(actions, ob):
    return {(curve.data_path, curve.array_index): curve for curve in actions.curves_of(ob.animation_data)}


def values(curve):
    return np.array([point.co[:] for point in curve.keyframe_points])


def solved_clip(rooms, ob, count=40):
    """The rig, the present frame repeated, and a pose in which every bone turns twice about a slow axis."""
    rig, frame, (skeleton, pose, _) = armatures.read(rooms.armature, ob)
    angle = np.linspace(0, 4 * np.pi, count)[:, None]
    axes = np.stack([np.cos(angle / 5), np.sin(angle / 5), np.full_like(angle, 0.7)], axis=-1)
    axes = axes / np.linalg.norm(axes, axis=-1, keepdims=True)
    turns = rooms.geometry.rotation_vector_to_quaternion(angle[..., None] * axes)
    rotations = np.repeat(turns, len(rig.names), axis=1)
    signs = np.where(np.arange(count) % 3 == 0, -1, 1)[:, None, None]  # the solver may give either sign
    shift = (rig.parents < 0)[:, None] * 0.01 * angle[..., None]
    clip = rooms.solvers.Pose(rotations * signs, pose.translations + shift)
    return rig, [frame] * count, skeleton, clip


def bake(rooms, ob, action_mode='NEW', frames=FRAMES):
    rig, repeated, skeleton, clip = solved_clip(rooms, ob, len(frames))
    new = rooms.armature.channels(rig, repeated, clip)
    rooms.armature.write_keys(ob, rig, frames, new, action_mode)
    return rig, skeleton, clip


def check_plays_back(rooms, ob, rig, skeleton, clip, frames=FRAMES):
    rotations, heads = rooms.solvers.forward(skeleton, clip)
    for row, frame in enumerate(frames):
        bpy.context.scene.frame_set(frame)
        seen = rooms.geometry.nearest_rotation(armatures.blenders_linear(ob, rig.names))
        assert rooms.geometry.angle_between(rotations[row], seen).max() < 1e-5
        assert np.abs(heads[row] - armatures.blenders_heads(ob, rig.names)).max() < 3e-5


@pytest.mark.parametrize("mode", armatures.MODES)
def test_baked_clips_play_back_and_are_continuous(rooms, actions, mode):
    ob = armatures.chain(2)
    for bone in ob.pose.bones:
        bone.rotation_mode = mode
    armatures.add_effector(ob, "b1")
    rig, skeleton, clip = bake(rooms, ob)
    check_plays_back(rooms, ob, rig, skeleton, clip)
    step = 4 * np.pi / (len(FRAMES) - 1)
    for (path, index), curve in curves(actions, ob).items():
        jump = np.abs(np.diff(values(curve)[:, 1])).max()
        assert jump < (4 * step if mode in {'QUATERNION', 'AXIS_ANGLE'} else np.pi), (path, index)


def test_quaternions_start_on_the_side_of_the_present_ones(rooms):
    ob = armatures.chain(1)
    ob.pose.bones["b0"].rotation_quaternion = (-1, 0, 0, 0)
    armatures.add_effector(ob, "b0")
    rig, frames, _, clip = solved_clip(rooms, ob)
    assert rooms.armature.channels(rig, frames, clip).rotations[0, 0, 0] < 0


def test_eulers_start_near_the_present_ones(rooms):
    ob = armatures.chain(1)
    bone = ob.pose.bones["b0"]
    bone.rotation_mode, bone.rotation_euler = 'XYZ', (7.0, -9.0, 20.0)
    armatures.add_effector(ob, "b0")
    rig, frame, (_, pose, _) = armatures.read(rooms.armature, ob)
    turn = rooms.geometry.rotation_vector_to_quaternion(np.array([[[0.01, 0, 0]]]))
    turned = rooms.solvers.Pose(rooms.geometry.multiply(turn, pose.rotations), pose.translations)
    new = rooms.armature.channels(rig, [frame], turned)
    assert np.abs(new.rotations[0, 0, :3] - (7.0, -9.0, 20.0)).max() < 0.1


@pytest.mark.parametrize("mode", armatures.MODES[2:])
def test_gimbal_lock_is_passed_without_a_jump(rooms, mode):
    """The second angle goes through a quarter turn while the others stand still."""
    ob = armatures.chain(1)
    bone = ob.pose.bones["b0"]
    bone.rotation_mode = mode
    armatures.add_effector(ob, "b0")
    rig, frame, (_, pose, _) = armatures.read(rooms.armature, ob)
    angles = np.zeros((41, 1, 3))
    angles[:, 0, "XYZ".index(mode[1])] = np.linspace(0, np.pi, 41)
    turns = rooms.geometry.rotation_vector_to_quaternion(angles)
    clip = rooms.solvers.Pose(turns, np.repeat(pose.translations, 41, 0))
    new = rooms.armature.channels(rig, [frame] * 41, clip)
    assert np.abs(new.rotations[..., :3] - angles).max() < 1e-6


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("mode", armatures.MODES[2:])
def test_as_good_as_in_gimbal_lock_angles_stay_as_the_rotation_does(rooms, mode, sign):
    """Matrices of single precision shake a bone there, which tells nothing of first and last angle."""
    modes, rng, first = rooms.armature.joints.rotation_modes, np.random.default_rng(2), np.zeros((1, 1, 4))
    first[..., :3] = rng.uniform(-1, 1, 3)
    first[..., "XYZ".index(mode[1])] = sign * np.pi / 2
    shaken = rooms.geometry.rotation_vector_to_quaternion(3e-7 * rng.standard_normal((60, 1, 3)))
    turns = rooms.geometry.multiply(shaken, modes.to_quaternions(first, [mode]))
    own = np.repeat(first, 60, axis=0)
    found = modes.to_channels(turns, [mode], own, np.zeros((1, 3), bool))
    assert np.abs(found - own).max() < 1e-5
    cosines = np.abs((modes.to_quaternions(found, [mode]) * turns).sum(axis=-1))
    assert np.arccos(np.minimum(cosines, 1)).max() < 2e-6


@pytest.mark.parametrize("mode", armatures.MODES[2:])
@pytest.mark.parametrize("axis", range(3))
def test_locked_angles_are_each_frames_own_however_they_move(rooms, mode, axis):
    rng, locked = np.random.default_rng(1), np.arange(3)[None] == axis
    modes, solved = rooms.armature.joints.rotation_modes, np.zeros((60, 1, 4))
    solved[..., :3] = rng.uniform(-3, 3, (60, 1, 3))
    animated = np.where(np.arange(4) == axis, solved, rng.uniform(-3, 3, solved.shape))
    found = modes.to_channels(modes.to_quaternions(solved, [mode]), [mode], animated, locked)
    assert np.allclose(np.exp(1j * found)[..., axis], np.exp(1j * solved)[..., axis])
    same = [modes.to_quaternions(channels, [mode]) for channels in (found, solved)]
    assert np.allclose(np.abs((same[0] * same[1]).sum(axis=-1)), 1)


def test_only_what_the_solve_changed_gets_keys(rooms, actions):
    ob = armatures.chain(4)
    armatures.add_effector(ob, "b2")
    ob.pose.bones["b1"].superpose.stiffness = 1
    bake(rooms, ob)
    bones = {path.split('"')[1] for path, _ in curves(actions, ob)}
    assert bones == {"b0", "b2"}


def key_by_hand(ob, frames):
    for frame in frames:
        for bone in ob.pose.bones:
            bone.keyframe_insert("rotation_quaternion", frame=frame, group=bone.name)
            bone.keyframe_insert("scale", frame=frame, group=bone.name)


def test_keys_of_a_new_curve_are_those_of_one_that_had_others(addon, blend, rng):
    keys = import_module(f"{addon.name}.armature.fcurves.keys")
    ob, times, found = armatures.new_object("Carrier"), np.arange(1.0, 13.0), []
    values = rng.normal(size=len(times))
    for index, begun in enumerate((False, True)):
        ob.keyframe_insert("location", index=index, frame=4)
        curve = figures.curves(ob.animation_data.action)[-1]
        if not begun:
            curve.keyframe_points.clear()
        keys.replace_keys(curve, times, values)
        found.append(keys.read_keys(curve, keys.WHOLE))
    assert all(np.array_equal(found[0][name], found[1][name]) for name in keys.WHOLE)


def test_other_keys_stay(rooms, actions):
    ob = armatures.chain(3)
    key_by_hand(ob, (-10, 5.5, 20, 100))
    armatures.add_effector(ob, "b1")
    old = ob.animation_data.action
    before = {key: values(curve) for key, curve in curves(actions, ob).items()}
    first = curves(actions, ob)['pose.bones["b0"].rotation_quaternion', 1].keyframe_points[0]
    first.handle_left_type = first.handle_right_type = 'FREE'
    first.handle_left, first.interpolation, first.type = (-13, 2), 'SINE', 'EXTREME'
    bake(rooms, ob, 'CURRENT')
    after = {key: values(curve) for key, curve in curves(actions, ob).items()}
    assert ob.animation_data.action == old
    for key, keys in before.items():
        path = key[0]
        if "b2" in path or "scale" in path:
            assert np.array_equal(after[key], keys)
        else:
            assert np.array_equal(after[key][:, 0], [-10, 0, *FRAMES, 41, 100])
    kept = curves(actions, ob)['pose.bones["b0"].rotation_quaternion', 1].keyframe_points[0]
    assert (kept.handle_left[:], kept.interpolation, kept.type) == ((-13, 2), 'SINE', 'EXTREME')


def test_a_new_action_leaves_the_old_one_alone(rooms, actions):
    ob = armatures.chain(3)
    key_by_hand(ob, (1, 100))
    armatures.add_effector(ob, "b1")
    old, before = ob.animation_data.action, {key: values(c) for key, c in curves(actions, ob).items()}
    rig, skeleton, clip = bake(rooms, ob)
    assert ob.animation_data.action != old
    assert old.use_fake_user
    check_plays_back(rooms, ob, rig, skeleton, clip)
    new = curves(actions, ob)
    assert np.array_equal(values(new['pose.bones["b2"].scale', 0]), before['pose.bones["b2"].scale', 0])
    ob.animation_data.action = old
    if hasattr(old, "slots"):
        ob.animation_data.action_slot = old.slots[0]
    assert all(np.array_equal(values(c), before[key]) for key, c in curves(actions, ob).items())


def strip_of(ob, start=100.0, scale=2.0):
    animation = ob.animation_data
    action, track = animation.action, animation.nla_tracks.new()
    slot = animation.action_slot if hasattr(animation, "action_slot") else None
    strip = track.strips.new("Strip", int(start), action)
    if slot:
        strip.action_slot = slot
    strip.scale, animation.action = scale, None
    return track, strip


def tweak(ob, track, strip):
    ob.animation_data.nla_tracks.active = None  # so that the selected strip is meant
    track.select, strip.select = True, True
    ob.animation_data.use_tweak_mode = True


def test_an_nla_strip_is_baked_in_its_own_time(rooms, actions):
    ob = armatures.chain(2)
    key_by_hand(ob, (0, 50))
    armatures.add_effector(ob, "b1")
    tweak(ob, *strip_of(ob))
    frames = list(range(110, 151, 2))
    rig, skeleton, clip = bake(rooms, ob, 'CURRENT', frames)
    times = values(curves(actions, ob)['pose.bones["b1"].rotation_quaternion', 0])[:, 0]
    assert np.allclose(times, [0, 4.5, *range(5, 26), 25.5, 50])
    check_plays_back(rooms, ob, rig, skeleton, clip, frames)
    ob.animation_data.use_tweak_mode = False
    check_plays_back(rooms, ob, rig, skeleton, clip, frames)


@pytest.mark.parametrize("frames", [range(110, 151, 2), range(100, 201, 2)], ids=["within", "all of it"])
def test_a_strip_that_plays_backwards_is_baked_in_its_own_time(rooms, actions, frames):
    ob = armatures.chain(2)
    key_by_hand(ob, (0, 50))
    armatures.add_effector(ob, "b1")
    track, strip = strip_of(ob)
    strip.use_reverse = True
    tweak(ob, track, strip)
    rig, skeleton, clip = bake(rooms, ob, 'CURRENT', frames)
    times = values(curves(actions, ob)['pose.bones["b1"].rotation_quaternion', 0])[:, 0]
    assert (np.diff(times) > 0).all()
    assert np.isin([100 - frame / 2 for frame in frames], times).all()
    check_plays_back(rooms, ob, rig, skeleton, clip, frames)


def test_a_new_action_is_refused_while_tweaking(rooms):
    ob = armatures.chain(2)
    key_by_hand(ob, (0, 50))
    armatures.add_effector(ob, "b1")
    tweak(ob, *strip_of(ob))
    with pytest.raises(rooms.armature.RigError, match="tweak"):
        bake(rooms, ob, 'NEW')


def test_a_track_that_plays_solo_is_refused_unless_it_is_the_tweaked_one(rooms):
    ob = armatures.chain(2)
    key_by_hand(ob, (0, 50))
    armatures.add_effector(ob, "b1")
    track, strip = strip_of(ob)
    track.is_solo = True
    with pytest.raises(rooms.armature.RigError, match=f"'{track.name}' plays solo"):
        bake(rooms, ob)
    assert ob.animation_data.action is None
    tweak(ob, track, strip)
    frames = list(range(110, 151, 2))
    check_plays_back(rooms, ob, *bake(rooms, ob, 'CURRENT', frames), frames)


def with_keyed_modes(*modes):
    """A chain whose first bone has these rotation modes from frames 1, 20, ... on."""
    ob = armatures.chain(2)
    bone = ob.pose.bones["b0"]
    for number, mode in enumerate(modes):
        bone.rotation_mode = mode
        bone.keyframe_insert("rotation_mode", frame=max(1, 20 * number))
    bpy.context.scene.frame_set(1)
    armatures.add_effector(ob, "b1")
    return ob


def test_a_rotation_mode_that_changes_is_refused(rooms):
    ob = with_keyed_modes('QUATERNION', 'XYZ')
    before, count = figures.keys(ob.animation_data.action), len(bpy.data.actions)
    with pytest.raises(rooms.armature.RigError, match="rotation mode of bone 'b0' changes"):
        bake(rooms, ob)
    assert len(bpy.data.actions) == count
    assert figures.keys(ob.animation_data.action) == before


@pytest.mark.parametrize(("later", "change"), [(0.5, True), (0.1, False)])
def test_inverse_kinematics_limits_that_change_are_refused(rooms, later, change):
    ob, frames = armatures.chain(2), FRAMES[:5]
    bone = ob.pose.bones["b0"]
    bone.use_ik_limit_x = True
    for frame, most in ((frames[0], 0.1), (frames[-1], later)):
        bone.ik_max_x = most
        bone.keyframe_insert("ik_max_x", frame=frame)
    armatures.add_effector(ob, "b1")
    if not change:
        return check_plays_back(rooms, ob, *bake(rooms, ob, frames=frames), frames)
    with pytest.raises(rooms.armature.RigError, match="limits of bone 'b0' \\(ik_max_x\\) change"):
        bake(rooms, ob, frames=frames)


@pytest.mark.parametrize(("later", "count"), [('QUATERNION', 40), ('XYZ', 19)])
def test_a_rotation_mode_that_is_keyed_but_stays_is_baked(rooms, later, count):
    ob, frames = with_keyed_modes('QUATERNION', later), FRAMES[:count]
    check_plays_back(rooms, ob, *bake(rooms, ob, frames=frames), frames)


def lock(curve):
    curve.lock = True


def lock_group(curve):
    curve.group.lock = True


def mute(curve):
    curve.mute = True


def modify(curve):
    curve.modifiers.new('NOISE')


def sample(curve):
    curve.convert_to_samples(1, 50)


@pytest.mark.parametrize("spoil", [lock, lock_group, mute, modify, sample])
def test_curves_that_cannot_take_keys_are_refused_and_nothing_changes(rooms, actions, spoil):
    ob = armatures.chain(2)
    key_by_hand(ob, (1, 50))
    armatures.add_effector(ob, "b1")
    spoil(curves(actions, ob)['pose.bones["b1"].rotation_quaternion', 2])
    before, count = {key: values(c) for key, c in curves(actions, ob).items()}, len(bpy.data.actions)
    with pytest.raises(rooms.armature.RigError, match=r'pose\.bones\["b1"\]'):
        bake(rooms, ob, 'CURRENT')
    assert len(bpy.data.actions) == count
    assert all(np.array_equal(values(c), before[key]) for key, c in curves(actions, ob).items())


def linked_action(path, action):
    bpy.data.libraries.write(str(path), {action})
    name = action.name
    bpy.data.actions.remove(action)
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.actions = [name]
    return into.actions[0]


def test_a_linked_action_is_refused_or_copied(rooms, tmp_path):
    ob = armatures.chain(2)
    key_by_hand(ob, (1, 50))
    armatures.add_effector(ob, "b1")
    action = linked_action(tmp_path / "library.blend", ob.animation_data.action)
    ob.animation_data.action = action
    if hasattr(action, "slots"):
        ob.animation_data.action_slot = action.slots[0]
    with pytest.raises(rooms.armature.RigError, match="linked"):
        bake(rooms, ob, 'CURRENT')
    rig, skeleton, clip = bake(rooms, ob, 'NEW')
    assert ob.animation_data.action.library is None
    check_plays_back(rooms, ob, rig, skeleton, clip)


@pytest.mark.parametrize(("start", "end", "step", "complaint"), [(10, 9, 1, "ends"), (1, 10, 0, "step")])
def test_frame_ranges_that_are_none_are_refused(rooms, start, end, step, complaint):
    with pytest.raises(rooms.armature.RigError, match=complaint):
        rooms.armature.frame_numbers(bpy.context.scene, 'CUSTOM', start, end, step)


def test_frame_ranges(rooms):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 6
    assert rooms.armature.frame_numbers(scene, 'SCENE') == [3, 4, 5, 6]
    assert rooms.armature.frame_numbers(scene, 'CUSTOM', 1, 6, 2) == [1, 3, 5]
    with pytest.raises(rooms.armature.RigError, match="preview"):
        rooms.armature.frame_numbers(scene, 'PREVIEW')
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 4, 5
    assert rooms.armature.frame_numbers(scene, 'PREVIEW') == [4, 5]


def test_the_present_frame_comes_back_after_an_error(rooms):
    scene = bpy.context.scene
    scene.frame_set(7, subframe=0.25)
    with pytest.raises(ZeroDivisionError), rooms.armature.present_frame_kept(scene):
        scene.frame_set(99 // (scene.frame_current - 7))
    assert (scene.frame_current, scene.frame_subframe) == (7, 0.25)
