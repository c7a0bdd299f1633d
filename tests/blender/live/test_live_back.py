# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told where a drag of targets is put back where it began, or goes on by other terms."""

import armatures
import figures
import numpy as np
import pytest
import random_armatures
from live_figures import MOVE, channels, move


@pytest.fixture
def missing(blend):
    """A live figure that cannot bend as it is asked: its hips may turn about their length alone."""
    ob = figures.ready()
    ob.pose.bones["hips"].lock_rotation = (True, False, True)
    figures.target_of(ob, "hips").rotation_euler.x += 0.5
    figures.target_of(ob, "hand.R").location.z += 1
    ob.superpose_live = True
    armatures.refresh()
    return ob


@pytest.mark.parametrize("bone", figures.EFFECTORS)
def test_back_where_it_began_a_pose_is_told_as_it_is_shown(missing, bone):
    before = channels(missing)
    move(missing, bone, MOVE)
    assert channels(missing) != before
    move(missing, bone, -MOVE)
    assert channels(missing) == before
    told, missed = random_armatures.told_residuals(missing)
    assert np.allclose(told, random_armatures.shown_residuals(missing), atol=1e-4)
    assert missed.any()


def test_an_armature_that_is_scaled_and_scaled_back_is_told_as_it_is_shown(missing):
    for size in (2.0, 1.0):
        missing.scale = (size, size, size)
        armatures.refresh()
        told, _ = random_armatures.told_residuals(missing)
        assert np.allclose(told, random_armatures.shown_residuals(missing), atol=1e-4)


def test_bones_that_get_another_mode_of_rotation_are_told_as_they_are_shown(missing):
    """Blender keeps the numbers of Euler angles, so they turn bones otherwise."""
    for bone in missing.pose.bones:
        bone.rotation_mode = 'XYZ'
    move(missing, "hips", MOVE)
    missing.location.x += 0.2
    armatures.refresh()
    for bone in missing.pose.bones:
        bone.rotation_mode = 'YXZ'
    armatures.refresh()
    told, _ = random_armatures.told_residuals(missing)
    assert np.allclose(told, random_armatures.shown_residuals(missing), atol=1e-4)
