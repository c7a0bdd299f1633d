# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body is flipped with its targets and pins, and a part of it is reset."""

import armatures
import bpy
import figures
import numpy as np
import pytest

MET = 1e-4


@pytest.fixture
def posed(ob, rng):
    """A figure somewhere in the scene, posed one-sidedly."""
    ob.location, ob.rotation_euler = (1, 2, 3), (0.3, 0.2, 0.1)
    for bone in ob.pose.bones:
        bone.rotation_quaternion = (1.0, *rng.uniform(-0.3, 0.3, 3))
    ob.pose.bones["hips"].location = (0.1, 0.2, 0.3)
    armatures.refresh()
    return ob


def places(ob):
    """Where heads are, in the armature's own space."""
    armatures.refresh()
    return {bone.name: np.array(bone.head) for bone in ob.pose.bones}


def test_a_flipped_pose_is_the_mirror_image(posed):
    before = places(posed)
    bpy.ops.superpose.flip()
    for name, place in places(posed).items():
        np.testing.assert_allclose(place, before[bpy.utils.flip_name(name)] * (-1, 1, 1), atol=MET)


def test_flipped_twice_it_is_as_it_was(posed):
    bpy.ops.superpose.create_targets()
    posed.pose.bones["hand.L"].superpose.hold = 'PINNED'
    targets = {name: figures.target_of(posed, name).matrix_world.copy() for name in figures.EFFECTORS}
    before = places(posed)
    bpy.ops.superpose.flip()
    assert posed.pose.bones["hand.R"].superpose.hold == 'PINNED'
    assert posed.pose.bones["hand.L"].superpose.hold == 'FOLLOWS'
    bpy.ops.superpose.flip()
    assert posed.pose.bones["hand.L"].superpose.hold == 'PINNED'
    for name, place in places(posed).items():
        np.testing.assert_allclose(place, before[name], atol=MET)
    for name, matrix in targets.items():
        np.testing.assert_allclose(figures.target_of(posed, name).matrix_world, matrix, atol=MET)


def test_flipped_targets_are_met_by_the_flipped_pose(posed):
    bpy.ops.superpose.create_targets()
    bpy.ops.superpose.flip()
    for name in figures.EFFECTORS:
        assert figures.gap(posed, name) < MET
        assert figures.turn(posed, name) < 1e-3


def test_a_live_body_stays_as_it_is_flipped(posed):
    bpy.ops.superpose.create_targets()
    posed.superpose_live = True
    bpy.ops.superpose.flip()
    before = places(posed)
    armatures.refresh()
    figures.target_of(posed, "head").location.z += 0.0
    for name, place in places(posed).items():
        np.testing.assert_allclose(place, before[name], atol=MET)


def test_only_what_is_selected_is_reset(posed):
    before = figures.rotations(posed)
    figures.select_bones(posed, "forearm.L", "hips")
    bpy.ops.superpose.reset(bones='SELECTED')
    for bone, turn in zip(posed.pose.bones, before, strict=True):
        wanted = (1, 0, 0, 0) if bone.name in ("forearm.L", "hips") else turn
        np.testing.assert_allclose(bone.matrix_basis.to_quaternion(), wanted, atol=1e-6)
    assert posed.pose.bones["hips"].location.length < 1e-6


def test_nothing_selected_is_nothing_to_reset(posed):
    figures.select_bones(posed)
    figures.refused(bpy.ops.superpose.reset, "is selected", bones='SELECTED')
