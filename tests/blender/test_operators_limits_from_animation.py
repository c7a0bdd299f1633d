# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits from Animation: which rotations are learned from, what bones get, and that nothing else changes."""

from importlib import import_module
from math import radians

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
import rigify_rigs
from drawn_panels import draw
from mathutils import Quaternion, Vector
from waving import FRAMES, kinds, learn, waving

from solvers.geometry import angle_between, quaternion_to_matrix

pytestmark = pytest.mark.usefixtures("blend")


SINGLE = 2e-4  # radians: channels and settings are of single precision


HINGE_TOLERANCE = radians(0.1)


def turns_in(ob, name, frames=FRAMES):
    """Blender's own rotations (frames, 3, 3) of the bone against rest."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(limited.local_turn(ob, name))
    return found


def worst(rooms, ob, name, frames=FRAMES):
    limit = ob.pose.bones[name].superpose.limit
    return max(limited.outside(rooms, limit, turn) for turn in turns_in(ob, name, frames))


def test_every_frame_is_inside_and_a_hinge_is_a_hinge(rooms):
    ob = waving()
    assert learn(margin=0.0, outliers=0.0, use_still=True) == {'FINISHED'}
    assert set(kinds(ob)) == set(figures.BONES) - {"hips"}
    assert kinds(ob)["forearm.L"] == 'HINGE'
    limit = ob.pose.bones["forearm.L"].superpose.limit
    sign = 1 if limit.axis.x > 0 else -1
    assert np.allclose(sign * limit.axis, Vector((1, 0, 2)).normalized(), atol=1e-4)
    assert sorted([sign * limit.hinge_min, sign * limit.hinge_max]) == pytest.approx([0, 1.4], abs=1e-3)
    assert {kinds(ob)[name] for name in ("arm.L", "chest", "hand.R")} == {'CONES'}
    assert max(worst(rooms, ob, name) for name in ("arm.L", "chest", "head")) < SINGLE
    assert worst(rooms, ob, "forearm.L") < HINGE_TOLERANCE


def test_curves_of_channels_that_there_are_not_say_nothing(addon):
    ob = waving()
    learn()
    before = [figures.stored(bone) for bone in ob.pose.bones]
    actions = import_module(f"{addon.name}.armature.fcurves.actions")
    for path in ("location", "scale"):
        curve = actions.new_curve(ob.animation_data, ob.pose.bones["chest"].path_from_id(path), 3, "chest")
        curve.keyframe_points.insert(1, 2.0)
    learn()
    assert [figures.stored(bone) for bone in ob.pose.bones] == before


def limited_bones(ob):
    return {name: kind for name, kind in kinds(ob).items() if kind != 'NONE'}


@pytest.mark.once
def test_bones_that_do_not_turn_get_no_limit_and_are_counted(capfd):
    ob = waving()
    ob.pose.bones["head"].superpose.limit.kind = 'FREE'
    learn()
    assert limited_bones(ob) == {"forearm.L": 'HINGE', "arm.L": 'CONES', "chest": 'CONES', "head": 'FREE'}
    assert "8 bones got a comfort pose; 5 bones got no limit: no turn in this animation" in "".join(
        capfd.readouterr()
    )


@pytest.mark.once
def test_bones_that_do_not_turn_get_a_comfort_pose_where_they_are():
    ob = waving()
    still = Quaternion((0, 0, 1), 0.3)
    ob.pose.bones["head"].rotation_quaternion = still
    learn()
    comfort = ob.pose.bones["head"].superpose.comfort
    assert comfort.is_set
    assert Quaternion(comfort.rotation).rotation_difference(still).angle < SINGLE
    assert max(comfort.spread) < SINGLE


def test_without_comfort_bones_that_do_not_turn_are_left_alone(capfd):
    ob = waving()
    learn(use_comfort=False)
    assert set(kinds(ob)) == {"forearm.L", "arm.L", "chest"}
    assert "; 5 bones got no limit" in "".join(capfd.readouterr())


def test_turning_less_than_can_be_seen_is_not_turning():
    ob = waving(bones=())
    for frame, degrees in ((1, -0.09), (20, 0.09)):
        ob.pose.bones["head"].rotation_quaternion = Quaternion((1, 0, 0), radians(degrees))
        ob.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=frame)
    learn(outliers=0.0)
    assert set(limited_bones(ob)) == {"forearm.L"}


def test_comfort_alone_fits_no_limits(addon, monkeypatch):
    waving()
    operator = import_module(f"{addon.name}.operators.limits.learning")
    monkeypatch.delattr(operator, "learn_limit")
    assert learn(use_limits=False) == {'FINISHED'}


@pytest.mark.once
def test_a_still_bone_that_is_to_learn_gets_the_margin_round_it():
    ob = waving()
    learn(margin=0.1, use_still=True)
    (cone,) = ob.pose.bones["hand.R"].superpose.limit.cones
    assert cone.radius == pytest.approx(0.1, abs=1e-3)


@pytest.mark.once
def test_rigs_that_inherit_oddly_and_are_scaled_are_read_right(rooms, rng):
    """Frames as Blender shows them are inside, whatever the flags and rotation modes."""
    for _ in range(2):
        ob = armatures.random_tree(rng, count=6)
        figures.make_active(ob)
        armatures.transform_at_random(ob, rng, 'UNEVEN')
        for bone in ob.pose.bones:
            bone.bone.inherit_scale = 'FULL'
            bone.rotation_mode = armatures.MODES[rng.integers(8)]
            bone.scale = (1.5,) * 3
            bone.keyframe_insert("scale", frame=1)
            for frame in (1, 4, 7):
                armatures.turn_at_random(bone, rng, 0.3)
                for path in ("rotation_quaternion", "rotation_axis_angle", "rotation_euler"):
                    bone.keyframe_insert(path, frame=frame)
        learn(margin=0.0, outliers=0.0)
        for name, kind in kinds(ob).items():
            assert worst(rooms, ob, name, range(1, 8)) < (HINGE_TOLERANCE if kind == 'HINGE' else 5e-4)


@pytest.mark.once
def test_the_comfort_pose_is_the_middle_of_the_motion():
    """Of a steady bend from 0 to 1.4 radians: 0.7, straying by 1.4 / sqrt(12) about the axis alone."""
    ob = waving()
    learn(outliers=0.0)
    comfort = ob.pose.bones["forearm.L"].superpose.comfort
    middle = Quaternion((1, 0, 2), 0.7)
    assert comfort.is_set
    assert Quaternion(comfort.rotation).rotation_difference(middle).angle < 0.01
    assert max(comfort.spread) == pytest.approx(1.4 / 12**0.5, rel=0.07)
    assert sorted(comfort.spread)[1] < 1e-3


@pytest.mark.parametrize(("limits", "comfort"), [(True, False), (False, True)])
def test_limits_and_comfort_can_be_learned_alone(limits, comfort):
    ob = waving()
    learn(use_limits=limits, use_comfort=comfort)
    group = ob.pose.bones["forearm.L"].superpose
    assert (group.limit.kind == 'HINGE') == limits
    assert group.comfort.is_set == comfort


def test_only_the_selected_bones_learn_even_a_root():
    ob = waving()
    figures.select_bones(ob, "hips", "forearm.L")
    learn(scope='SELECTED', use_still=True)
    assert kinds(ob) == {"hips": 'CONES', "forearm.L": 'HINGE'}


def test_the_stretch_is_a_share_of_the_range():
    ob = waving(forearm=(0.2, 0.7))
    learn(stretch=10.0, margin=0.0, outliers=0.0)
    assert bend(ob) == pytest.approx(0.5 * (1 + 2 * 0.1), abs=1e-3)


def test_constraints_count(rooms):
    ob = waving()
    constraint = ob.pose.bones["head"].constraints.new('COPY_ROTATION')
    constraint.target, constraint.subtarget = ob, "arm.L"
    constraint.target_space = constraint.owner_space = 'LOCAL'
    learn(margin=0.0, outliers=0.0)
    assert max(cone.radius for cone in ob.pose.bones["head"].superpose.limit.cones) > 0.1
    assert worst(rooms, ob, "head") < SINGLE


def second_action(ob, **wave):
    """Put the present action away and animate anew; give the first."""
    first = ob.animation_data.action
    ob.animation_data.action = None
    waving(ob, **wave)
    return first


def bend(ob):
    limit = ob.pose.bones["forearm.L"].superpose.limit
    return limit.hinge_max - limit.hinge_min


def test_the_present_action_or_all_that_fit():
    ob = waving(forearm=(0.2, 0.7))
    first = second_action(ob, forearm=(0.9, 1.2))
    figures.make_active(armatures.chain())
    bpy.context.object.pose.bones["b1"].rotation_euler.x = 2
    bpy.context.object.pose.bones["b1"].keyframe_insert("rotation_euler", frame=1)
    figures.make_active(ob)
    present = ob.animation_data.action
    learn(margin=0.0)
    assert bend(ob) == pytest.approx(0.3, abs=0.02)
    learn(margin=0.0, outliers=0.0, source='ACTIONS')
    assert bend(ob) == pytest.approx(1.0, abs=1e-3)
    assert ob.animation_data.action == present != first


def test_actions_are_found_without_any_in_use():
    ob = waving()
    ob.animation_data.action.use_fake_user = True
    ob.animation_data_clear()
    learn(source='ACTIONS')
    assert kinds(ob)["forearm.L"] == 'HINGE'
    assert ob.animation_data is None


def test_scene_frames_see_the_tracks_and_the_action_does_not():
    ob = waving(forearm=(0.2, 0.7))
    animation = ob.animation_data
    strip = animation.nla_tracks.new().strips.new("wave", 1, animation.action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = animation.action_slot
    animation.action = None
    waving(ob, bones=("arm.L",), forearm=(0, 0))  # above the track, and replaces it
    animation.action_influence = 0.0
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    learn(source='SCENE', margin=0.0, outliers=0.0)
    assert bend(ob) == pytest.approx(0.5, abs=1e-3)
    learn(source='CUSTOM', frame_start=1, frame_end=20, margin=0.0, outliers=0.0)
    assert bend(ob) == pytest.approx(0.5, abs=1e-3)
    learn(source='ACTION', margin=0.05, use_still=True)
    assert kinds(ob)["forearm.L"] == 'CONES'
    assert animation.use_nla


def test_the_step_and_the_preview_range():
    ob = waving(forearm=(0, 1.9))
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 6, 11
    learn(source='PREVIEW', margin=0.0)
    assert bend(ob) == pytest.approx(0.5, abs=1e-3)
    learn(source='PREVIEW', step=4, margin=0.0)
    assert bend(ob) == pytest.approx(0.4, abs=1e-3)


@pytest.mark.once
def test_all_but_the_limits_is_as_before():
    ob = waving()
    bpy.context.scene.frame_set(7, subframe=0.25)
    ob.pose.bones["arm.L"].rotation_quaternion = (0.5, 0.5, 0.5, 0.5)  # not keyed
    ob.pose.bones["head"].location = (1, 2, 3)
    bpy.ops.object.mode_set(mode='POSE')
    armatures.refresh()
    before, shown = figures.state(), armatures.array(ob.pose.bones["hand.L"].matrix)
    for source in ('ACTION', 'ACTIONS', 'SCENE'):
        learn(source=source)
        armatures.refresh()
        after = figures.state()
        assert kinds(ob)["forearm.L"] == 'HINGE'
        assert np.allclose(armatures.array(ob.pose.bones["hand.L"].matrix), shown, atol=1e-6)
        for bone in ob.pose.bones:
            bone.property_unset("superpose")
        assert figures.state() == before, source
        assert set(after["data"]["actions"]) == set(before["data"]["actions"])


@pytest.mark.parametrize("source", ["present_take", "fitting_takes"])
def test_stopped_on_the_way_the_animation_is_as_it_was(addon, source):
    samples = import_module(f"{addon.name}.armature.frames.samples")
    ob = waving()
    ob.pose.bones["head"].constraints.new('LIMIT_ROTATION')  # so that the frames have to be gone through
    animation = ob.animation_data
    first, used = second_action(ob), animation.action
    takes = getattr(samples, source)(ob, 1)
    steps = samples.sampled_rotations(bpy.context, ob, list(ob.pose.bones), takes)
    assert [next(steps) for _ in range(3)] == [1, 2, 3]
    assert not animation.use_nla
    steps.close()
    assert animation.use_nla
    assert animation.action == used != first


def test_one_undo_step():
    waving()
    bpy.context.scene.frame_set(7)
    bpy.ops.ed.undo_push(message="before")
    before = figures.state()
    learn()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert figures.state() == before
    assert not kinds(bpy.data.objects["Figure"])


@pytest.mark.parametrize("use_limits", [True, False])
def test_limits_are_shown_once_they_are_learned(use_limits):
    waving()
    bpy.ops.superpose.limits_from_animation(use_limits=use_limits)
    assert bpy.context.scene.superpose_show_limits == use_limits
    assert "superpose.add_effectors" in draw()


@pytest.mark.once
def test_what_a_human_learns_is_mixed_with_the_comfort_of_human_joints(addon, rigify):
    ob = rigify_rigs.metarig("human")
    waving(ob, bones=("upper_arm.L", "spine.002"))
    read = import_module(f"{addon.name}.armature.setup.comfort").read_comfort
    bpy.ops.superpose.human_comfort()
    human = read(ob.pose.bones["upper_arm.L"])
    found = {}
    for frames in (0, 20, 10**7):
        learn(use_limits=False, human_frames=frames)
        found[frames] = read(ob.pose.bones["upper_arm.L"])
        assert read(ob.pose.bones["f_index.01.L"])  # no joint of the table: as it was learned
    ways = [
        angle_between(quaternion_to_matrix(comfort.rotation), quaternion_to_matrix(human.rotation))
        for comfort in found.values()
    ]
    assert ways[0] > 0.3
    assert ways[1] == pytest.approx(ways[0] / 2, rel=0.01)  # 20 frames each
    assert ways[2] < 1e-3
