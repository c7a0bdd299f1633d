# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are played again and again end in the pose in which they begin, on the spot or some way on."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

PERIOD = 16
WAYS = {"hips": (0.03, 0.0, 0.04), "head": (0.03, 0.0, 0.04), "hand.L": (0.2, 0.15, 0.1)}
WAYS["hand.R"] = (-0.2, -0.15, 0.1)
ON = np.array((0.0, -1.2, 0.0))  # by a round


def swing(ob, on=(0, 0, 0), frames=PERIOD + 1):
    """Key the targets in so many frames of a cycle, by the end of which they are moved ``on``."""
    for name, way in WAYS.items():
        target = figures.target_of(ob, name)
        home = np.array(target.location)
        for frame in range(frames):
            turn = 2 * np.pi * frame / PERIOD
            twice = np.sin(turn) ** 2
            share = np.array((-twice, np.sin(turn), -twice))
            target.location = home + share * way + np.array(on) * frame / PERIOD
            target.keyframe_insert("location", frame=frame + 1)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames


def shown(ob):
    """All bones' matrices in the world in each frame of the scene, (frames, bones, 4, 4)."""
    scene, found = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        found.append([ob.matrix_world @ bone.matrix for bone in ob.pose.bones])
    return np.array(found)


def carried(matrices, on):
    on = np.array(on)
    moved = matrices.copy()
    moved[..., :3, 3] += on
    return moved


def accelerations(matrices):
    """How much joints accelerate at most, (frames - 2,)."""
    return np.abs(np.diff(matrices[..., :3, 3], 2, axis=0)).max(axis=(1, 2))


def is_loop(ob, on=(0, 0, 0)):
    """Assert that the last frame of the scene is the first one, moved ``on``, and that nothing pops there."""
    found = shown(ob)
    assert np.abs(found[-1] - carried(found[0], on)).max() < 1e-5
    rounds = np.concatenate([found, carried(found[1:], on)])
    at_seam = accelerations(rounds)[PERIOD - 2 : PERIOD + 1]
    assert at_seam.max() < 1.1 * accelerations(found).max()
    assert not ob.superpose.is_missed


@pytest.mark.parametrize("more", [{}, {"smoothness": 0.3}, {"use_clean": True}, {"step": 2}])
def test_a_loop_on_the_spot_ends_as_it_begins(more, capfd):
    ob = figures.ready()
    swing(ob)
    bpy.ops.superpose.bake(**more)
    is_loop(ob)
    assert "A loop of 16 frames: it ends as it begins" in "".join(capfd.readouterr())


def test_a_walk_ends_as_it_begins_some_way_on():
    ob = figures.ready()
    swing(ob, ON)
    bpy.ops.superpose.bake()
    is_loop(ob, ON)


def test_so_it_does_with_a_free_bone_whose_target_stays_behind():
    ob = figures.ready()
    swing(ob, ON)
    figures.target_of(ob, "head").animation_data_clear()
    ob.pose.bones["head"].superpose.hold = 'FREE'
    bpy.ops.superpose.bake()
    first, *_, last = shown(ob)
    assert np.abs(last - carried(first, ON)).max() < 1e-5


def test_so_it_does_where_the_armature_moves():
    ob = figures.ready()
    for bone in WAYS:
        target = figures.target_of(ob, bone)
        target.parent = ob
        target.matrix_parent_inverse = ob.matrix_world.inverted()
    for frame, share in ((1, 0), (PERIOD + 1, 1)):
        ob.location = share * armatures.Vector(ON)
        ob.keyframe_insert("location", frame=frame)
    swing(ob)
    for curve in figures.curves(ob.animation_data.action):
        for key in curve.keyframe_points:
            key.interpolation = 'LINEAR'
    bpy.ops.superpose.bake(action='CURRENT')
    is_loop(ob, ON)


def test_so_it_does_where_a_bone_above_carries_the_body():
    ob = figures.figure()
    with armatures.edited(ob) as bones:
        root = bones.new("root")
        root.head, root.tail = (0, 0, 0), (0, 0.3, 0)
        bones["hips"].parent = root
    figures.select_bones(ob, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    for frame, share in ((1, 0), (PERIOD + 1, 1)):
        ob.pose.bones["root"].location = share * armatures.Vector((0, -1.2, 0))
        ob.pose.bones["root"].keyframe_insert("location", frame=frame)
    for curve in figures.curves(ob.animation_data.action):
        for key in curve.keyframe_points:
            key.interpolation = 'LINEAR'
    swing(ob, ON)
    bpy.ops.superpose.bake(action='CURRENT')
    is_loop(ob, ON)


def test_a_range_may_leave_out_the_frame_that_is_the_first_again(capfd):
    ob = figures.ready()
    swing(ob)
    bpy.context.scene.frame_end = PERIOD
    bpy.ops.superpose.bake()
    assert "A loop of 16 frames: it ends as it begins" in "".join(capfd.readouterr())
    found = shown(ob)
    rounds = np.concatenate([found, found])
    assert accelerations(rounds)[PERIOD - 2 : PERIOD].max() < 1.1 * accelerations(found).max()


def test_a_second_bake_leaves_a_loop():
    ob = figures.ready()
    swing(ob)
    bpy.ops.superpose.bake()
    once = shown(ob)
    bpy.ops.superpose.bake()
    assert np.abs(shown(ob) - once).max() < 1e-5


@pytest.mark.parametrize(("bone", "to"), [("hand.L", (0.02, 0, 0)), ("head", (0, 0, 0.01))])
def test_what_ends_elsewhere_is_no_loop(bone, to, capfd):
    ob = figures.ready()
    swing(ob)
    target = figures.target_of(ob, bone)
    target.location += armatures.Vector(to)
    target.keyframe_insert("location", frame=PERIOD + 1)
    bpy.ops.superpose.bake()
    assert "loop" not in "".join(capfd.readouterr())


def test_an_effector_without_influence_that_is_keyed_to_end_elsewhere_is_no_loop(capfd):
    ob = figures.ready()
    swing(ob)
    ob.pose.bones["hand.R"].superpose_influence = 0
    for frame, turn in ((1, 0.0), (PERIOD + 1, 0.4)):
        for bone in ob.pose.bones:
            bone.rotation_mode = 'XYZ'
            bone.rotation_euler.z = turn if bone.name == "arm.R" else 0.0
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(PERIOD + 1)
    there = ob.pose.bones["hand.R"].head.copy()
    bpy.ops.superpose.bake(action='CURRENT')
    assert "loop" not in "".join(capfd.readouterr())
    bpy.context.scene.frame_set(PERIOD + 1)
    assert (ob.pose.bones["hand.R"].head - there).length < 1e-3


def test_what_stands_still_is_no_loop(capfd):
    ob = figures.ready()
    bpy.context.scene.frame_end = PERIOD
    bpy.ops.superpose.bake()
    assert "loop" not in "".join(capfd.readouterr())
    assert np.ptp(shown(ob), axis=0).max() < 1e-6


def test_a_contact_goes_on_over_the_end():
    ob, stands = figures.ready(), [0, 1, 2, 13, 14, 15, 16]
    swing(ob)
    target = figures.target_of(ob, "hand.L")
    home = np.array(target.location)
    for frame in stands:
        target.location = home + 0.01 * np.sin([3 * frame % PERIOD, frame % PERIOD, 0.0])
        target.keyframe_insert("location", frame=frame + 1)
    for first, last in ((1, 3), (14, 17)):
        bpy.ops.superpose.mark_frames(
            kind="superpose_contact", bone="hand.L", frame_start=first, frame_end=last
        )
    bpy.ops.superpose.bake()
    hand = shown(ob)[stands, ob.pose.bones.find("hand.L"), :3, 3]
    assert np.ptp(hand, axis=0).max() < 5e-4


@pytest.mark.parametrize("ends", [(), (1,), (PERIOD + 1,)])
@pytest.mark.parametrize("thing", ["armature", "target"])
def test_what_has_no_size_is_refused_by_name(thing, ends):
    ob = figures.ready()
    swing(ob)
    sized = ob if thing == "armature" else figures.target_of(ob, "hips")
    for frame in (1, PERIOD + 1):
        sized.scale = (1, 1, 1) if frame in ends else (0, 0, 0)
        sized.keyframe_insert("scale", frame=frame)
    with pytest.raises(RuntimeError, match=sized.name):
        bpy.ops.superpose.bake()


@pytest.mark.parametrize("beyond", [0.0, 0.9])
def test_a_loop_that_ends_elsewhere_is_not_told_to_end_as_it_begins(addon, monkeypatch, capfd, beyond):
    """Where some of its frames miss what is asked, which are gone on with, too."""
    solving = import_module(f"{addon.name}.operators.poses.solving")
    monkeypatch.setattr(solving, "_FASTER", 0.0)  # so that frames stay as they are without
    ob = figures.ready()
    monkeypatch.setitem(WAYS, "hand.L", (0.2 - beyond, 0.15, 0.1))
    swing(ob, ON, frames=2 * PERIOD + 1)  # fewer would not give way
    bpy.ops.superpose.bake()
    first, *_, last = shown(ob)
    assert ob.superpose.is_missed == bool(beyond)
    assert np.abs(last - carried(first, 2 * ON)).max() > 1e-3
    assert "where the clip begins again" in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("now", "before", "is_too_fast"),
    [
        ([117, 60], [117, 49], False),
        ([117, 137], [117, 49], True),  # though no joint turns much faster than the fastest did
        ([30, 9], [30, 1], False),
        ([60, 1], [30, 1], True),
    ],
)
def test_joints_turn_too_fast_by_themselves_or_all_together(now, before, is_too_fast, addon):
    solving = import_module(f"{addon.name}.operators.poses.solving")
    assert solving._is_too_fast(np.radians(now), np.radians(before)) == is_too_fast


@pytest.mark.parametrize("turn", [0.5, -2.0])
def test_a_loop_in_a_circle_ends_as_it_begins(turn, capfd):
    ob = figures.ready()
    for bone in WAYS:
        target = figures.target_of(ob, bone)
        target.parent = ob
    for frame, share in ((1, 0), (PERIOD + 1, 1)):
        ob.rotation_euler.z = share * turn
        ob.location.y = share
        for path in ("location", "rotation_euler"):
            ob.keyframe_insert(path, frame=frame)
    swing(ob)
    bpy.ops.superpose.bake(action='CURRENT')
    assert "A loop of 16 frames: it ends as it begins" in "".join(capfd.readouterr())
    first, *_, last = shown(ob)
    bpy.context.scene.frame_set(PERIOD + 1)
    on = np.array(ob.matrix_world)
    bpy.context.scene.frame_set(1)
    assert np.abs(last - on @ np.linalg.inv(ob.matrix_world) @ first).max() < 1e-5
