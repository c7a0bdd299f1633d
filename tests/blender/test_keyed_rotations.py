# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations read from F-curves are those that frames show; where more has a say, frames are gone through."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

SAME = 2e-6  # of quaternions: matrices are of single precision
PATHS = ("rotation_quaternion", "rotation_axis_angle", "rotation_euler")


@pytest.fixture
def samples(addon):
    return import_module(f"{addon.name}.armature.frames.samples")


@pytest.fixture
def visited():
    """The frames that the scene goes to."""
    frames = []

    def note(scene, *_):
        frames.append(scene.frame_current)

    bpy.app.handlers.frame_change_pre.append(note)
    yield frames
    bpy.app.handlers.frame_change_pre.remove(note)


def animated(rng, count=6):
    """An armature of all rotation modes with keys on frames 1, 4 and 9, some channels without."""
    ob = armatures.random_tree(rng, count=count)
    figures.make_active(ob)
    for bone in ob.pose.bones:
        bone.rotation_mode = armatures.MODES[rng.integers(8)]
        bone.scale = (rng.uniform(0.5, 2),) * 3
        for frame in (1, 4, 9):
            armatures.turn_at_random(bone, rng, 0.7)
            for path in PATHS:
                if rng.random() < 0.9:
                    bone.keyframe_insert(path, frame=frame)
    return ob


def decorate(ob, rng):
    """Muted curves, other interpolations, cycles: whatever Blender makes of curves."""
    for curve in figures.curves(ob.animation_data.action):
        curve.mute = bool(rng.random() < 0.1)
        curve.extrapolation = ('CONSTANT', 'LINEAR')[rng.integers(2)]
        for point in curve.keyframe_points:
            point.interpolation = ('CONSTANT', 'LINEAR', 'BEZIER', 'BOUNCE')[rng.integers(4)]
        if rng.random() < 0.2:
            curve.modifiers.new(('CYCLES', 'NOISE')[rng.integers(2)])


def read(samples, ob, take):
    steps = samples.sampled_rotations(bpy.context, ob, list(ob.pose.bones), [take])
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def shown(samples, ob, take, monkeypatch):
    """The same, going through the frames whatever is animated."""
    with monkeypatch.context() as patch:
        patch.setattr(samples, "acting_curves", lambda *_: None)
        return read(samples, ob, take)


def apart(a, b):
    return np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1)).max()


@pytest.mark.parametrize("seed", range(8))
def test_curves_say_what_frames_show(samples, visited, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    ob = animated(rng)
    decorate(ob, rng)
    bpy.context.scene.render.frame_map_new = 100 + 50 * (seed % 2)
    action = samples.present_take(ob, 1)[0]
    for take in (action, samples.Take(range(-3, 15, 2))):
        visited.clear()
        found = read(samples, ob, take)
        assert not visited
        assert apart(found, shown(samples, ob, take, monkeypatch)) < SAME
        assert visited


def with_constraint(ob, bone, _):
    constraint = bone.constraints.new('COPY_ROTATION')
    constraint.target, constraint.subtarget = ob, ob.pose.bones[0].name


def with_constraint_switched_on(ob, bone, action):
    with_constraint(ob, bone, action)
    bone.constraints[0].mute = True
    for frame, mute in ((1, True), (5, False)):
        bone.constraints[0].mute = mute
        bone.constraints[0].keyframe_insert("mute", frame=frame)


def with_driver(_ob, bone, _action):
    bone.rotation_mode = 'XYZ'
    for axis in range(3):
        bone.driver_add("rotation_euler", axis).driver.expression = "frame / 10"


def with_animated_mode(_ob, bone, _action):
    for frame, mode in ((1, 'XYZ'), (5, 'QUATERNION')):
        bone.rotation_mode = mode
        bone.keyframe_insert("rotation_mode", frame=frame)


def with_strip(ob, _bone, action):
    strip = ob.animation_data.nla_tracks.new().strips.new("wave", 3, action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = ob.animation_data.action_slot
    ob.animation_data.action_blend_type = 'COMBINE'


def with_uneven_scale(_ob, bone, _action):
    bone.scale = (1, 1, 1.0005)


def with_inheritance_switched(ob, bone, _action):
    for frame, inherits in ((1, True), (5, False)):
        bone.bone.use_inherit_rotation = inherits
        ob.data.keyframe_insert(f'bones["{bone.name}"].use_inherit_rotation', frame=frame)


SAYS = (
    with_constraint,
    with_constraint_switched_on,
    with_driver,
    with_animated_mode,
    with_strip,
    with_uneven_scale,
    with_inheritance_switched,
)


@pytest.mark.parametrize("more", SAYS)
def test_where_more_has_a_say_the_frames_are_gone_through(samples, visited, monkeypatch, rng, more):
    ob = animated(rng)
    more(ob, ob.pose.bones[3], ob.animation_data.action)
    take = samples.Take(range(1, 10))
    bpy.context.scene.frame_set(1)
    visited.clear()
    found = read(samples, ob, take)
    assert visited
    assert apart(found, shown(samples, ob, take, monkeypatch)) == 0


def test_an_action_alone_is_read_from_its_curves_whatever_strips_there_are(samples, visited, rng):
    ob = animated(rng)
    with_strip(ob, None, ob.animation_data.action)
    (take,) = samples.present_take(ob, 1)
    read(samples, ob, take)
    assert not visited
