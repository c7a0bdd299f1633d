# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrored bones: offsets and targets lie along the axes that are shown, whatever mirrors them."""

import armatures
import bpy
import figures
import numpy as np
import pytest
import random_armatures
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

EXAMPLES = hypothesis_settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
SEEDS = st.integers(0, 2**32 - 1)
MIRRORS = st.sampled_from(['OWN', 'PARENT', 'OBJECT', 'ALL'])

pytestmark = pytest.mark.usefixtures("blend")


def mirrored_rig(rng, mirror):
    armatures.empty_file()
    ob = armatures.random_tree(rng, count=6)
    armatures.pose_at_random(ob, rng, scaling='UNIFORM')
    signs = -1 if rng.random() < 0.5 else rng.choice([-1, 1], size=3)
    tips = armatures.tips(ob)
    for bone in ob.pose.bones:
        if mirror in {'OWN', 'ALL'} or (mirror == 'PARENT' and bone.name not in tips):
            bone.scale = np.array(bone.scale) * signs
    ob.location, ob.rotation_euler = rng.normal(size=3), rng.normal(size=3)
    if mirror in {'OBJECT', 'ALL'}:
        ob.scale = np.full(3, rng.uniform(0.5, 2)) * rng.choice([-1, 1], size=3)
    for tip in tips:
        armatures.add_effector(ob, tip, offset=rng.normal(size=3))
    armatures.refresh()
    figures.make_active(ob)
    return ob


def check_on_axes(ob):
    for bone in figures.effectors(ob):
        place = armatures.array(figures.target_of(ob, bone).matrix_world)
        point, axes = random_armatures.shown_place(ob, bone)
        assert np.abs(place[:3, 3] - point).max() < 1e-4
        assert (place[:3, :3] * axes).sum(axis=0)[1:] == pytest.approx(1, abs=1e-5)


@EXAMPLES
@given(seed=SEEDS, mirror=MIRRORS)
def test_targets_lie_along_the_bones_as_they_are_shown(seed, mirror):
    ob = mirrored_rig(np.random.default_rng(seed), mirror)
    bpy.ops.superpose.create_targets()
    armatures.refresh()
    check_on_axes(ob)
    for bone in figures.effectors(ob):
        figures.target_of(ob, bone).matrix_basis = armatures.Matrix()
    bpy.ops.superpose.snap_targets()
    armatures.refresh()
    check_on_axes(ob)


@EXAMPLES
@given(seed=SEEDS, mirror=MIRRORS)
def test_mirrored_bones_meet_their_targets_as_they_are_shown(seed, mirror):
    rng = np.random.default_rng(seed)
    ob = mirrored_rig(rng, mirror)
    bpy.ops.superpose.create_targets()
    before = random_armatures.shown_residuals(ob)
    assert before.max() < 1e-3
    random_armatures.place_targets(ob, rng)
    bpy.ops.superpose.solve()
    distances = random_armatures.shown_residuals(ob)
    told, _ = random_armatures.told_residuals(ob)
    assert told == pytest.approx(distances, abs=2e-4 * max(1, random_armatures.size_of(ob)))


def test_an_offset_of_a_bone_that_is_mirrored_in_some_frames_only_is_refused():
    ob = figures.ready()
    hand = ob.pose.bones["hand.L"]
    hand.superpose_offset.y = 0.1
    for frame, scale in ((1, 1.0), (2, -1.0)):
        hand.scale = (scale,) * 3
        hand.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_end = 2
    bpy.context.scene.frame_set(1)
    figures.refused(bpy.ops.superpose.bake, "'hand.L', an effector with an offset, is mirrored in some")
