# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins stand between the keys that have them in one place, as Live plays the frames and as they are baked."""

from functools import partial
from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import apart, channels
from mathutils import Quaternion

STEP, KEYS = 0.4, (1, 7, 13, 19, 25)  # metres, frames
STANDING = {(1, 7): "R", (7, 13): "L", (13, 19): "R", (19, 25): "L"}  # the foot that stays between two keys
HALF_A_MILLIMETRE = 5e-4
BONES = {"hips": (None, (0, 0, 0.9), (0, 0, 1.1)), "head": ("hips", (0, 0, 1.1), (0, 0, 1.3))}
for side, x in (("L", 0.1), ("R", -0.1)):
    BONES |= {
        f"thigh.{side}": ("hips", (x, 0, 0.9), (x, -0.02, 0.5)),
        f"shin.{side}": (f"thigh.{side}", (x, -0.02, 0.5), (x, 0, 0.1)),
        f"foot.{side}": (f"shin.{side}", (x, 0, 0.1), (x, -0.15, 0)),
    }


def key_body(ob, frame):
    for bone in ob.pose.bones:
        for path in ("location", "rotation_quaternion"):
            bone.keyframe_insert(path, frame=frame)


@pytest.fixture(scope="module")
def walk_file(tmp_path_factory):
    return tmp_path_factory.mktemp("walk") / "walk.blend"


@pytest.fixture
def walk(walk_file):
    """A figure that walks in five keyed poses with its feet pinned; not live. Posing it takes its time."""
    if not walk_file.exists():
        block_walk()
        bpy.ops.wm.save_as_mainfile(filepath=str(walk_file))
    bpy.ops.wm.open_mainfile(filepath=str(walk_file))
    return bpy.context.object


def block_walk():
    ob = armatures.new_object("Walker", bpy.data.armatures.new("Walker"))
    with armatures.edited(ob) as bones:
        for bone, (parent, head, tail) in BONES.items():
            new = bones.new(bone)
            new.head, new.tail, new.parent = head, tail, bones.get(parent or "")
    figures.make_active(ob)
    figures.select_bones(ob, "hips", "head", "foot.L", "foot.R")
    bpy.ops.superpose.add_effectors()
    for side in "LR":
        ob.pose.bones[f"foot.{side}"].superpose.hold = 'PINNED'
    scene, pose = bpy.context.scene, bpy.ops.superpose.pose
    pose(bone="hips", translation=(0, 0, -0.06))
    pose(bone="foot.L", translation=(0, -STEP / 2, 0))
    for number, frame in enumerate(KEYS):
        scene.frame_set(frame)
        if number:
            pose(bone="hips", translation=(0, -STEP / 2, 0), rotation=(0.0, 0.0, 0.2 * (-1) ** number))
            pose(bone=f"foot.{'RL'[number % 2]}", translation=(0, -STEP, 0))
        key_body(ob, frame)
    scene.frame_start, scene.frame_end = KEYS[0], KEYS[-1]


def foot_heights(ob, frames):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(foot(ob, "L")[2])
    return np.array(found)


def quaternions(pose):
    turns = np.array([channels["rotation_quaternion"] for channels in pose.values()])
    return turns / np.linalg.norm(turns, axis=-1, keepdims=True)  # blended ones are shorter


def foot(ob, side, is_own=False):
    """Where a foot is seen, in the scene or in the armature's own space."""
    armatures.refresh()
    bone = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[f"foot.{side}"]
    return np.array(bone.head if is_own else ob.matrix_world @ bone.head)


def slides(ob, is_own=False):
    """How far feet that stand move between their keys, metres, each frame being gone to."""
    found = []
    for (first, last), side in STANDING.items():
        places = []
        for frame in range(first, last + 1):
            bpy.context.scene.frame_set(frame)
            places.append(foot(ob, side, is_own))
        found.append(np.linalg.norm(np.array(places) - places[0], axis=1).max())
    return max(found)


def seen(ob, frames):
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = channels(ob)
    return found


def test_feet_stand_in_frames_that_are_chosen_in_a_window(walk):
    """There Blender animates all that is keyed again when targets that went along are evaluated."""
    bpy.ops.superpose.create_targets()
    walk.superpose_live, places = True, []
    for frame in range(KEYS[1], KEYS[2] + 1, 2):
        bpy.context.scene.frame_current = frame
        bpy.context.scene.frame_set(frame)
        places.append(foot(walk, "L"))
    assert np.linalg.norm(np.array(places) - places[0], axis=1).max() < HALF_A_MILLIMETRE


def test_undo_of_a_step_from_another_frame_shows_the_present_one(walk):
    """Blender stays there in a window, and shows its keys: pins stand, and targets go along."""
    bpy.ops.superpose.create_targets()
    walk.superpose_live, scene = True, bpy.context.scene
    scene.frame_set(KEYS[1])
    armatures.refresh()
    bpy.ops.ed.undo_push(message="Before")
    scene.frame_set(KEYS[1] + 3)
    armatures.refresh()
    stood, hips = foot(walk, "L"), figures.target_of(walk, "hips").location.copy()
    bpy.ops.superpose.pose(bone="head", translation=(0.0, -0.1, -0.1))
    bpy.ops.ed.undo_push(message="Posed")
    bpy.app.handlers.undo_post.append(lambda scene, *_: setattr(scene, "frame_current", KEYS[1] + 3))
    bpy.ops.ed.undo()
    bpy.app.handlers.undo_post.pop()
    ob = bpy.context.object
    armatures.refresh()
    assert np.linalg.norm(foot(ob, "L") - stood) < HALF_A_MILLIMETRE
    assert (figures.target_of(ob, "hips").location - hips).length < HALF_A_MILLIMETRE


def test_feet_stand_in_the_present_frame_as_keys_are_moved_in_time(walk):
    """As by hand in the dope sheet. They slid there until another frame was seen, and nothing said so."""
    walk.superpose_live = True
    bpy.context.scene.frame_set(10)
    stood, lifted = foot(walk, "L"), foot(walk, "R")
    for curve in figures.curves(walk.animation_data.action):
        for key in curve.keyframe_points:
            key.co.x += 2 * (key.co.x in KEYS[1:3])  # the foot stands between these
        curve.update()
    walk.animation_data.action.update_tag()
    assert np.linalg.norm(foot(walk, "L") - stood) < HALF_A_MILLIMETRE
    assert np.linalg.norm(foot(walk, "R") - lifted) > 20 * HALF_A_MILLIMETRE
    shown = channels(walk)
    assert seen(walk, [1, 10])[10] == shown


@pytest.mark.once
def test_feet_of_a_blocked_walk_stand_in_playback_whatever_the_order_of_frames(walk):
    keyed = seen(walk, KEYS)
    assert slides(walk) > 20 * HALF_A_MILLIMETRE  # what Blender makes of the keys
    walk.superpose_live = True
    assert slides(walk) < HALF_A_MILLIMETRE
    forwards = seen(walk, range(KEYS[0], KEYS[-1] + 1))
    assert {frame: forwards[frame] for frame in KEYS} == keyed
    order = np.random.default_rng(0).permutation(list(forwards))[:12]
    assert seen(walk, order.tolist()) == {frame: forwards[frame] for frame in order}


@pytest.mark.parametrize("is_parent", [True, False])
def test_feet_of_a_passenger_stand_in_the_vehicle(walk, is_parent):
    """Or in the armature, where that is moved itself."""
    vehicle = armatures.new_object("car") if is_parent else walk
    if is_parent:
        walk.parent, vehicle.scale = vehicle, (2, 2, 2)
    for frame, way, turn in ((KEYS[0], (0, 0, 0), (0, 0.1, 0)), (KEYS[-1], (3, 1, 0.5), (0.2, 0, 1))):
        vehicle.location, vehicle.rotation_euler = way, turn
        for path in ("location", "rotation_euler"):
            vehicle.keyframe_insert(path, frame=frame)
    assert slides(walk, is_own=True) > 10 * HALF_A_MILLIMETRE
    walk.superpose_live = True
    assert slides(walk, is_own=True) < HALF_A_MILLIMETRE
    walk.superpose_live = False
    assert bpy.ops.superpose.bake_pins() == {'FINISHED'}
    assert slides(walk, is_own=True) < HALF_A_MILLIMETRE


def test_a_foot_that_is_lifted_goes_as_keyed_and_a_key_between_keeps_what_is_seen(walk):
    bpy.context.scene.frame_set(10)
    plain = foot(walk, "R")
    walk.superpose_live = True
    bpy.context.scene.frame_set(10)
    assert np.linalg.norm(foot(walk, "R") - plain) < 2e-3
    before = channels(walk)
    key_body(walk, 10)
    bpy.context.scene.frame_set(20)
    bpy.context.scene.frame_set(10)
    assert channels(walk) == before
    assert slides(walk) < HALF_A_MILLIMETRE


def test_what_is_not_pinned_goes_as_keyed(walk):
    for side in "LR":
        walk.pose.bones[f"foot.{side}"].superpose.hold = 'FOLLOWS'
    plain = seen(walk, (4, 10))
    walk.superpose_live = True
    assert seen(walk, (4, 10)) == plain


@pytest.mark.once
def test_a_bake_of_pins_is_what_live_plays_and_leaves_keys_as_they_were(walk):
    keyed = seen(walk, KEYS)
    walk.superpose_live = True
    live = seen(walk, range(KEYS[0], KEYS[-1] + 1))
    walk.superpose_live = False
    assert bpy.ops.superpose.bake_pins() == {'FINISHED'}
    assert slides(walk) < HALF_A_MILLIMETRE
    baked = seen(walk, live)
    for frame, pose in baked.items():
        wanted = keyed.get(frame) or live[frame]
        assert apart(quaternions(pose), quaternions(wanted)) < 1e-3, frame
    assert "Pins hold in 20 frames" in walk.superpose.message


@pytest.mark.parametrize("only_needed", [False, True])
def test_a_drag_after_a_bake_of_pins_leaves_them_standing_and_is_told_of(walk, monkeypatch, only_needed):
    """What was baked beside it is out of date: Live plays pins there anew, and so does another bake."""
    edit = bpy.context.preferences.edit
    monkeypatch.setattr(edit, "use_auto_keyframe_insert_needed", only_needed)
    walk.superpose_live = True
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    for _ in range(2):
        assert bpy.ops.superpose.bake_pins() == {'FINISHED'}
        bpy.context.scene.frame_set(4)
        assert "Bake Pins again" not in walk.superpose.notes
        bpy.ops.superpose.pose(bone="hips", translation=(0.02, 0.03, -0.05))
        assert "Bake Pins again" in walk.superpose.notes
        assert "in this frame alone" not in walk.superpose.notes
        assert slides(walk) < HALF_A_MILLIMETRE
    assert bpy.ops.superpose.bake_pins() == {'FINISHED'}
    walk.superpose_live = False
    assert slides(walk) < HALF_A_MILLIMETRE


def test_a_foot_that_is_moved_after_a_bake_of_pins_goes_there_evenly(walk):
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.ops.superpose.bake_pins()
    bpy.context.scene.frame_set(4)
    bpy.ops.superpose.pose(bone="foot.R", translation=(0, 0, 0.1))
    heights = []
    for frame in range(1, 8):
        bpy.context.scene.frame_set(frame)
        heights.append(foot(walk, "R")[2])
    assert (np.diff(heights[:4]) > 0).all()
    assert (np.diff(heights[3:]) < 0).all()


@pytest.mark.parametrize("is_live", [False, True])
def test_a_drag_that_is_keyed_says_that_only_live_holds_pins_between_keys(walk, is_live):
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = True
    walk.superpose_live = is_live
    told = []
    for frame, bone in ((KEYS[1], "hips"), (KEYS[-1] + 20, "foot.L")):
        scene.frame_set(frame)
        for foot in "LR":  # in the second frame no foot is where it was
            bpy.ops.superpose.pose(bone=f"foot.{foot}" if bone != "hips" else bone, translation=(0, 0, 0.02))
        told.append("Pins slide between keys" in walk.superpose.notes)
    assert told == [not is_live, False]


def test_a_size_that_is_keyed_along_and_stays_is_no_hindrance(walk):
    """Blender's own key of a pose keys the scale, too."""
    hips = walk.pose.bones["hips"]
    for frame in KEYS:
        hips.keyframe_insert("scale", frame=frame)
    walk.superpose_live = True
    assert slides(walk) < HALF_A_MILLIMETRE
    walk.superpose_live = False
    hips.scale.x = 1.1
    hips.keyframe_insert("scale", frame=KEYS[-1])
    figures.refused(bpy.ops.superpose.bake_pins, "the animated scale of bone 'hips' moves the body too")


def test_curves_of_channels_that_there_are_not_move_nothing(walk, addon):
    actions = import_module(f"{addon.name}.armature.fcurves.actions")
    curve = actions.new_curve(walk.animation_data, 'pose.bones["hips"].location', 3, "hips")
    curve.keyframe_points.insert(KEYS[0], 2.0)
    walk.superpose_live = True
    assert slides(walk) < HALF_A_MILLIMETRE


def test_what_no_pin_holds_is_refused_and_nothing_is_written(walk):
    refused = partial(figures.refused, bpy.ops.superpose.bake_pins)
    refused("stands between two of its keys", range='CUSTOM', frame_start=7, frame_end=7)
    for side in "LR":
        walk.pose.bones[f"foot.{side}"].superpose.hold = 'FOLLOWS'
    refused("No pinned bone")


def test_pins_stand_where_other_keys_of_the_body_lie_between(walk):
    """A breakdown of the hips alone is no key of the feet."""
    hips = walk.pose.bones["hips"]
    bpy.context.scene.frame_set(4)
    hips.location.y += 0.02
    hips.keyframe_insert("location", frame=4)
    walk.superpose_live = True
    bpy.context.scene.frame_set(1)
    stood = foot(walk, "R")
    bpy.context.scene.frame_set(4)
    assert np.linalg.norm(foot(walk, "R") - stood) < HALF_A_MILLIMETRE


def test_a_key_of_the_limb_between_two_of_the_foot_lifts_it(walk):
    """As far as it is keyed: between that key and the others it is in two places."""
    thigh, between = walk.pose.bones["thigh.L"], range(7, 14)
    bpy.context.scene.frame_set(10)
    thigh.rotation_quaternion @= Quaternion((1, 0, 0), -0.8)
    thigh.keyframe_insert("rotation_quaternion", frame=10)
    keyed = seen(walk, between)
    assert foot_heights(walk, between).max() > foot_heights(walk, (7, 13)).max() + 0.1
    walk.superpose_live = True
    assert seen(walk, between) == keyed


def test_a_drag_keys_no_limbs_beside_it_whose_pins_stand_there(walk):
    """Keys of another bone are beside it: as keys of the legs these would have the feet slide there."""
    scene = bpy.context.scene
    walk.superpose_live = True
    scene.frame_set(4)
    walk.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=4)
    held = foot(walk, STANDING[1, 7])
    scene.tool_settings.use_keyframe_insert_auto = True
    scene.frame_set(3)
    bpy.ops.superpose.pose(bone="hips", translation=(0.02, 0.03, -0.05))
    scene.frame_set(4)
    assert np.linalg.norm(foot(walk, STANDING[1, 7]) - held) < HALF_A_MILLIMETRE
    assert slides(walk) < HALF_A_MILLIMETRE
