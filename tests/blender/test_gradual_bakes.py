# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows gives way gradually in a bake, and a bake of what was baked leaves it."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from led_hands import heads, lead

HIPS, HEAD, HAND = "hips", "head", "hand.L"
LAST = 40


@pytest.fixture
def clip(blend):
    """A figure whose hand is led down and up again, from some way on with the head, which follows."""
    ob = figures.ready()
    ob.pose.bones[HIPS].superpose.hold = 'PINNED'
    lead(figures.target_of(ob, HAND), (-0.1, -0.3, -0.6), LAST)
    armatures.refresh()
    yield ob
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def test_a_body_does_not_pop_and_a_second_bake_leaves_it(clip):
    bpy.ops.superpose.bake()
    assert "all met" in clip.superpose.message
    assert HEAD in clip.superpose.notes  # gave way
    once = heads(clip)
    speeds = np.linalg.norm(np.diff(once, axis=0), axis=-1)
    changes = np.linalg.norm(np.diff(once, 2, axis=0), axis=-1)
    assert changes.max() < 0.25 * speeds.max()
    bpy.ops.superpose.bake()
    assert np.abs(heads(clip) - once).max() < 5e-3
