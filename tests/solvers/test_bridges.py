# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long gaps of recorded tracks, bridged by what the others do meanwhile."""

import numpy as np
import pytest

from solvers.geometry import (
    angle_between,
    matrix_to_quaternion,
    multiply,
    quaternion_to_matrix,
    rotation_vector_to_quaternion,
)
from solvers.motion import cleaned

RATE = 30.0


def motion(rng, frames, tracks):
    """Smooth ways of about a metre, and turns, that tell nothing of each other."""
    time = np.arange(frames)[:, None, None] / RATE
    ranges = (1, 6), (0, 6), (0.02, 0.3)
    speeds, phases, sizes = (rng.uniform(*ends, size=(4, tracks, 3)) for ends in ranges)
    places = (sizes * np.sin(speeds * time[:, None] + phases)).sum(axis=1)
    return places, rotation_vector_to_quaternion(0.5 * np.sin(speeds[0] * time + phases[1]))


def gait(frames=200, rate=RATE):
    """Five tracks that swing together, at a pace that changes."""
    phase = 2 * np.pi * np.cumsum(1.2 + 0.2 * np.sin(np.arange(frames) * RATE / rate / 40)) / rate
    sizes = np.array([0.3, -0.3, -0.4, 0.4, 0.05])
    swings = np.stack([np.outer(np.sin(phase), sizes), np.outer(np.cos(phase), sizes)], axis=-1)
    places = np.concatenate([swings, np.zeros((frames, 5, 1))], axis=-1) + np.arange(5)[:, None] * 0.3
    return places, np.tile([1.0, 0.0, 0.0, 0.0], (frames, 5, 1))


@pytest.mark.parametrize(("frames", "first", "nearest"), [(200, 90, 0.02), (45, 15, 0.08)])
def test_long_gaps_are_bridged_by_what_others_do_meanwhile(frames, first, nearest):
    places, rotations = gait(frames)
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[first : first + 20, 0] = True
    beside = np.abs(cleaned(places, rotations, masked, RATE)[0] - places)
    alone = np.abs(cleaned(places[:, :1], rotations[:, :1], masked[:, :1], RATE)[0] - places[:, :1])
    assert beside.max() < nearest < 0.1 < alone.max()


def test_bridges_meet_the_track_at_both_ends():
    places, rotations = gait()
    places += 0.05 * np.sin(np.arange(len(places)) / 5)[:, None, None] * [[[0, 1, 0]] * 2 + [[0, 0, 0]] * 3]
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[90:110, 0] = True
    found, _ = cleaned(places, rotations, masked, RATE)
    paces, usual = (np.linalg.norm(np.diff(values[:, 0], axis=0), axis=1) for values in (found, places))
    assert paces[[89, 109]].max() < 1.5 * usual.max()


def test_turns_are_bridged_by_what_others_do_meanwhile():
    places, rotations = gait()
    swing = np.arctan2(places[:, 0, 0], places[:, 0, 1])[:, None, None]
    vectors = np.sin(2 * swing) * np.array([0.3, 0.8, 0.0]) * np.ones((1, 5, 1))
    rotations = rotation_vector_to_quaternion(vectors)
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[90:110, 0] = True
    found = cleaned(places, rotations, masked, RATE)[1]
    off = angle_between(quaternion_to_matrix(found[:, 0]), quaternion_to_matrix(rotations[:, 0]))
    assert off.max() < np.radians(5)
    alone = cleaned(places[:, :1], rotations[:, :1], masked[:, :1], RATE)[1]
    assert angle_between(*map(quaternion_to_matrix, (alone[:, 0], rotations[:, 0]))).max() > np.radians(20)


@pytest.mark.parametrize("carrier", [1, 3])
def test_what_another_carries_goes_along_wherever_that_goes(rng, carrier):
    """Though it does in the gap what it does nowhere else, and the others are of no help."""
    places, rotations = motion(rng, 200, 4)
    leap = np.exp(-0.5 * ((np.arange(200) - 100) / 4) ** 2)[:, None]
    places[:, carrier] += leap * np.array([0.5, 0.0, 1.0])
    turned = rotation_vector_to_quaternion(leap * np.array([0.0, 1.5, 0.5]))
    rotations[:, carrier] = multiply(turned, rotations[:, carrier])
    carried = quaternion_to_matrix(rotations[:, carrier])
    places[:, 0] = places[:, carrier] + carried @ np.array([0.2, -0.5, 0.3])
    rotations[:, 0] = matrix_to_quaternion(carried)
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[90:110, 0] = True
    found, turns = cleaned(places, rotations, masked, RATE, keeps_noise=True)
    assert np.abs(found - places).max() < 0.01
    off = angle_between(quaternion_to_matrix(turns[:, 0]), carried)
    assert off.max() < np.radians(1)


@pytest.mark.parametrize("lost", [slice(0, 20), slice(180, 200)])
def test_where_a_clip_begins_or_ends_in_a_gap_others_tell_too(lost):
    places, rotations = gait()
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[lost, 0] = True
    beside = np.abs(cleaned(places, rotations, masked, RATE)[0] - places)
    alone = np.abs(cleaned(places[:, :1], rotations[:, :1], masked[:, :1], RATE)[0] - places[:, :1])
    assert beside.max() < 0.1
    assert beside.max() < 0.3 * alone.max()


def test_bridges_at_four_times_the_frame_rate_are_the_same_ones():
    bridges = []
    for times in (1, 4):
        places, rotations = gait(200 * times, times * RATE)
        masked = np.zeros((*places.shape[:2], 2), bool)
        masked[90 * times : 110 * times, 0] = True
        found, _ = cleaned(places, rotations, masked, times * RATE)
        bridges.append((found - places)[90 * times : 110 * times : times, 0])
    assert np.abs(bridges[1]).max() < 1.5 * np.abs(bridges[0]).max() + 0.005


def test_what_others_tell_amid_noise_is_no_farther_off_than_the_noise(rng):
    places, rotations = gait()
    off, noise = [], 0.006
    for first in range(60, 120, 10):
        masked = np.zeros((*places.shape[:2], 2), bool)
        masked[first : first + 20, 0] = True
        noisy = places + noise * rng.normal(size=places.shape)
        found, _ = cleaned(noisy, rotations, masked, RATE)
        off.append(np.linalg.norm(found - places, axis=-1)[masked[..., 0]])
    assert np.mean(off) < noise


def test_a_foot_stands_in_a_gap_in_which_others_do_what_they_do_nowhere_else():
    """They crouch. In the rest of the clip the foot goes along with them, in a jump."""
    frames, off = np.arange(120), []
    crouch, jump = (np.exp(-0.5 * ((frames - at) / 6) ** 2) for at in (25, 60))
    home = np.array([[0, 0, 0], [0.3, 0, 0], [0.15, 0, 1], [0.15, 0, 1.6], [-0.2, 0, 1]])
    for rng in map(np.random.default_rng, range(6)):
        places = home + 0.003 * rng.normal(size=(120, 5, 3))
        places[:, :2, 2] += 0.6 * jump[:, None]
        places[:, 2:, 2] += (0.6 * jump - 0.4 * crouch)[:, None]
        places[:, 3:, 1] += np.outer(0.6 * jump - 0.4 * crouch, [-0.4, 0.5])
        masked = np.zeros((120, 5, 2), bool)
        masked[18:33, 0] = True
        found, _ = cleaned(places, np.tile([1.0, 0.0, 0.0, 0.0], (120, 5, 1)), masked, RATE)
        off.append(np.abs(found - places)[masked[..., 0]].max())
    assert np.mean(off) < 0.02


@pytest.mark.parametrize("rate", [1 / 25, 0.3, 2.0])
def test_clips_of_frames_that_are_seconds_apart_are_bridged(rng, rate):
    places, rotations = motion(rng, 60, 4)
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[20:30, 1] = True
    found, turned = cleaned(places, rotations, masked, rate, keeps_noise=True)
    assert np.isfinite(found).all()
    assert np.isfinite(turned).all()
    assert np.abs(found[~masked[..., 0]] - places[~masked[..., 0]]).max() < 1e-9


def test_quaternions_stay_on_the_side_of_the_frame_before(rng):
    """Both sides are one rotation, but what is between two frames is not."""
    places, rotations = motion(rng, 120, 4)
    rotations = multiply(rotations, rotation_vector_to_quaternion(np.array([0.0, 0.0, 3.0])))
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[40:60, 1] = True
    for given in (rotations, -rotations):
        _, turned = cleaned(places, given, masked, RATE)
        assert (turned[1:] * turned[:-1]).sum(axis=-1).min() > 0


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_bridges_do_not_depend_on_scale(rng, scale):
    places, rotations = motion(rng, 120, 4)
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[50:70, 1], masked[60:75, 2] = True, True
    found, turned = cleaned(places, rotations, masked, RATE)
    scaled, same = cleaned(scale * places, rotations, masked, RATE)
    assert np.abs(scaled / scale - found).max() < 1e-6
    assert np.abs(same - turned).max() < 1e-6


@pytest.mark.parametrize("known", [1, 2, 3, 5])
def test_tracks_that_are_hardly_ever_known_are_bridged(rng, known):
    places, rotations = motion(rng, 40, 4)
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[:, 0] = True
    masked[rng.permutation(40)[:known], 0] = False
    found, turned = cleaned(places, rotations, masked, RATE, keeps_noise=True)
    assert np.isfinite(found).all()
    assert np.array_equal(found[~masked[..., 0]], places[~masked[..., 0]])
    assert np.abs(found - places).max() < 3 * np.abs(places).max()
    assert np.abs(np.linalg.norm(turned, axis=-1) - 1).max() < 1e-9


def test_others_that_tell_nothing_make_a_bridge_no_worse(rng):
    places, rotations = motion(rng, 300, 5)
    ours = motion(np.random.default_rng(7), 300, 1)[0][:, 0]
    places[:, 0] = ours
    masked = np.zeros((*places.shape[:2], 2), bool)
    masked[140:155, 0] = True
    beside = np.abs(cleaned(places, rotations, masked, RATE)[0] - places)[:, 0].max()
    alone = np.abs(cleaned(places[:, :1], rotations[:, :1], masked[:, :1], RATE)[0][:, 0] - ours).max()
    assert beside < 1.3 * alone + 0.01
