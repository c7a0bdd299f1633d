# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a part of a clip leave the rest of it as it was, as Blender shows it."""

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

FIRST, LAST = 20, 28
BESIDE = [*np.arange(-9, FIRST - 0.9, 0.5), *np.arange(LAST + 1, 61, 0.5)]
KEYED = ("chest", "arm.L", "forearm.L", "arm.R")


def shown(ob, times):
    """All bones' matrices (times, bones, 4, 4) in the world."""
    found = []
    for time in times:
        bpy.context.scene.frame_set(int(np.floor(time)), subframe=time % 1.0)
        found.append([ob.matrix_world @ bone.matrix for bone in ob.pose.bones])
    return np.array(found)


def keyed(rng, frames, bones=KEYED):
    """A figure that is keyed in some frames, whose targets reach elsewhere."""
    ob = figures.ready()
    for frame in frames:
        for name in bones:
            bone = ob.pose.bones[name]
            bone.rotation_quaternion = [1, *rng.normal(size=3) * 0.3]
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    figures.target_of(ob, "hand.L").location.z += 0.2
    figures.target_of(ob, "hips").location.x += 0.1
    armatures.refresh()
    return ob


def bake(action='CURRENT', **more):
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=FIRST, frame_end=LAST, action=action, **more)


def apart(ob, before, times):
    return np.abs(shown(ob, times) - before).max()


@pytest.mark.parametrize("action", ['CURRENT', 'NEW'])
@pytest.mark.parametrize(
    "frames",
    [
        (-5, 4, 7, 31, 40, 60),
        (1, 50),
        (19, 29),
        (18, 19, 29, 30),
        (30, 50),
        (-5, 3),
        (22, 24, 55),
        (19.5, 28.5),
    ],
)
def test_frames_beside_a_range_stay(rng, frames, action):
    ob = keyed(rng, frames)
    times = [time for time in BESIDE if (min(frames) < FIRST if time < FIRST else max(frames) > LAST)]
    before, inside = shown(ob, times), shown(ob, [24])
    bake(action)
    assert apart(ob, before, times) < 2e-5
    assert apart(ob, inside, [24]) > 0.05


@pytest.mark.parametrize("interpolation", ['LINEAR', 'CONSTANT'])
@pytest.mark.parametrize("extrapolation", ['LINEAR', 'CONSTANT'])
def test_whatever_leads_to_the_range_and_from_it(rng, interpolation, extrapolation):
    ob = keyed(rng, (4, 7, 31, 40))
    for curve in figures.curves(ob.animation_data.action):
        curve.extrapolation = extrapolation
        for key in curve.keyframe_points:
            key.interpolation = interpolation
    before = shown(ob, BESIDE)
    bake()
    assert apart(ob, before, BESIDE) < 2e-5


@pytest.mark.parametrize("frames", [(4,), (19, 24), (24, 29), (29,), (22, 40), (4, 24, 45)])
@pytest.mark.parametrize("inner", ['LINEAR', 'CONSTANT', 'BEZIER'])
def test_a_curve_goes_on_straight_as_it_did(rng, frames, inner):
    ob = keyed(rng, frames)
    for curve in figures.curves(ob.animation_data.action):
        curve.extrapolation = 'LINEAR'
        for key in curve.keyframe_points:
            key.interpolation = inner
        curve.keyframe_points[-1].interpolation = curve.keyframe_points[0].interpolation = 'LINEAR'
    times = [time for time in BESIDE if (min(frames) < FIRST if time < FIRST else max(frames) > LAST)]
    before = shown(ob, times)
    bake()
    assert apart(ob, before, times) < 2e-5


@pytest.mark.parametrize("kind", ['ALIGNED', 'VECTOR'])
def test_a_curve_that_stands_still_until_after_the_range_does_so(rng, kind):
    ob = keyed(rng, (LAST + 8, 60))
    head = ob.pose.bones["head"]
    for frame in (1, 60):
        head.keyframe_insert("rotation_quaternion", frame=frame)
    for curve in figures.curves(ob.animation_data.action):
        for key in curve.keyframe_points:
            key.handle_left_type = key.handle_right_type = kind
            key.handle_left.y += 0.3
        curve.update()
    before = shown(ob, BESIDE)
    bake()
    assert apart(ob, before, BESIDE) < 2e-5


@pytest.mark.parametrize("kind", ['FREE', 'ALIGNED', 'VECTOR', 'AUTO'])
def test_handles_of_all_kinds(rng, kind):
    ob = keyed(rng, (-2, 4, 7, 31, 40, 44))
    for curve in figures.curves(ob.animation_data.action):
        for key in curve.keyframe_points:
            key.handle_left_type = key.handle_right_type = kind
            if kind == 'FREE':
                key.handle_right.x += 40  # longer than the segment
        curve.update()
    before = shown(ob, BESIDE)
    bake()
    assert apart(ob, before, BESIDE) < 2e-5


@pytest.mark.parametrize("stretch", [50, 200])
def test_where_time_is_remapped(rng, stretch):
    ob = keyed(rng, (1, 150))
    bpy.context.scene.render.frame_map_new = stretch
    before = shown(ob, BESIDE)
    bake()
    assert apart(ob, before, BESIDE) < 2e-5


def test_fewer_keys_leave_it_too(rng):
    ob = keyed(rng, (1, 50))
    before = shown(ob, BESIDE)
    bake(keys='REDUCED')
    assert apart(ob, before, BESIDE) < 2e-5


def test_two_parts_one_after_the_other(rng):
    ob = keyed(rng, (1, 50))
    bake()
    times = [*np.arange(1, LAST + 0.1), *np.arange(LAST + 10, 60)]
    before = shown(ob, times)
    figures.target_of(ob, "hand.R").location.z += 0.1
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=LAST + 1, frame_end=LAST + 9, action='CURRENT')
    assert apart(ob, before, times) < 2e-5


def test_a_body_without_keys_beside_the_range_has_keys_in_it_alone(rng):
    ob = keyed(rng, (22, 25))
    ob.pose.bones["hand.R"].keyframe_insert("superpose_influence", frame=1)
    bake()
    times = {time for _, keys in figures.keys(ob.animation_data.action).items() for time, _ in keys}
    assert times == {1, *range(FIRST, LAST + 1)}


def test_strips_are_seen_beside_a_range_that_is_baked_over_them(rng):
    ob = keyed(rng, (0, 10, 24, 40, 50), bones=figures.BONES)
    figures.pushed_down(ob)
    before = shown(ob, BESIDE)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=FIRST, frame_end=LAST)
    assert np.abs(shown(ob, BESIDE) - before).max() < 1e-5
    hand = ob.pose.bones["hand.L"].superpose
    bpy.context.scene.frame_set(hand.worst_frame)
    assert figures.distance(ob, "hand.L") == pytest.approx(hand.position_residual, abs=1e-5)
