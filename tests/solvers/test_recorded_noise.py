# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise of recorded tracks, told from their motion and taken out; and clips at high frame rates."""

import numpy as np
import pytest
from test_recorded_motion import FRAMES, NOISE, RATE, SIZE, motion, noisy

from solvers.motion import cleaned, find_contacts, find_doubts
from solvers.motion.smoothing import smoothed


def test_noise_is_taken_out_and_motion_left_in(rng):
    places, rotations = motion(rng)
    found, _ = cleaned(noisy(rng, places), rotations, np.zeros((FRAMES, 3, 2), bool), RATE)
    off = np.linalg.norm(found - places, axis=-1)
    assert np.sqrt((off**2).mean()) < 0.75 * NOISE * np.sqrt(3)
    swing = [np.linalg.norm(np.diff(values, 2, axis=0), axis=-1).mean() for values in (found, places)]
    assert swing[0] < 1.1 * swing[1]


@pytest.mark.parametrize(("swings", "nearer"), [(0.5, 0.5), (1.0, 0.65), (2.0, 0.85), (3.0, 1.0), (4.0, 1.0)])
def test_quick_motion_is_no_noise(rng, swings, nearer):
    """However quick it is, and steady, a track comes no farther from the motion than it was."""
    time = 2 * np.pi * swings * np.arange(FRAMES)[:, None, None] / RATE
    places = 0.3 * np.sin(time + rng.uniform(0, 6, size=(4, 3)))
    recorded, believed = noisy(rng, places), np.ones((FRAMES, 4), bool)
    off, before = (np.linalg.norm(x - places) for x in (smoothed(recorded, believed, RATE), recorded))
    assert off <= nearer * before
    assert np.array_equal(smoothed(places, believed, RATE), places)


@pytest.mark.parametrize(("noise", "stays"), [(0.002, 0.7), (0.005, 0.6)])
def test_calm_motion_loses_its_noise_and_quick_motion_stays_in_one_track(rng, noise, stays):
    time, quick = np.arange(4 * FRAMES)[:, None, None] / RATE, np.arange(4 * FRAMES) >= 2 * FRAMES
    ways = rng.normal(size=(2, 4, 3))
    swings = 0.2 * np.sin(2 * np.pi * 4 * (time - time[2 * FRAMES])) * quick[:, None, None] * ways[0]
    places = swings + 0.2 * np.sin(time) * ways[1]
    recorded = places + noise * rng.normal(size=places.shape)
    off = smoothed(recorded, np.ones(places.shape[:2], bool), RATE) - places
    left = [np.sqrt((off[half] ** 2).mean()) / noise for half in (~quick, quick)]
    assert left[0] < stays
    assert left[1] < 1.1


def test_what_is_within_a_moment_takes_no_more_memory_than_the_clip(rng):
    places, rotations = motion(rng)
    found = [find_doubts(places, rotations, SIZE, rate) for rate in (1e3, 1e12)]
    assert np.array_equal(*found)
    feet = np.array([True, True, False])
    assert not find_contacts(places, feet, SIZE, 1e12).any()
