# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of recorded tracks is not believed, and what is put in its place."""

import numpy as np
import pytest

from solvers.geometry import multiply, rotation_vector_to_quaternion
from solvers.motion import Span, cleaned, find_doubts, mask_of, spans_of
from solvers.motion.elimination import solve_banded

RATE, SIZE, NOISE = 30.0, 1.75, 0.003
FRAMES = 150


def motion(rng, frames=FRAMES, tracks=3):
    """Smooth ways of about a metre, and turns, as a body makes them; no noise."""
    time = np.arange(frames)[:, None, None] / RATE
    ranges = (1, 6), (0, 6), (0.02, 0.3)
    speeds, phases, sizes = (rng.uniform(*ends, size=(4, tracks, 3)) for ends in ranges)
    places = (sizes * np.sin(speeds * time[:, None] + phases)).sum(axis=1)
    turns = 0.5 * np.sin(speeds[0] * time + phases[1])
    return places, rotation_vector_to_quaternion(turns)


def noisy(rng, places):
    return places + NOISE * rng.normal(size=places.shape)


def test_smooth_and_noisy_motion_is_believed(rng):
    places, rotations = motion(rng)
    assert not find_doubts(places, rotations, SIZE, RATE).any()
    assert not find_doubts(noisy(rng, places), rotations, SIZE, RATE).any()


@pytest.mark.parametrize("length", [1, 2, 15, 45])
@pytest.mark.parametrize("noise", [0.0, NOISE])
def test_what_jumps_away_and_back_is_found_and_nothing_else(rng, length, noise):
    places, rotations = motion(rng)
    places = places + noise * rng.normal(size=places.shape)
    places[50 : 50 + length, 1] = (2.0, -1.0, 0.3)
    wanted = np.zeros((FRAMES, 3), bool)
    wanted[50 : 50 + length, 1] = True
    assert np.array_equal(find_doubts(places, rotations, SIZE, RATE), wanted)


def test_a_track_that_freezes_amid_its_noise_is_found(rng):
    places, rotations = motion(rng)
    places = noisy(rng, places)
    places[60:80, 2] = places[59, 2]
    assert spans_of(find_doubts(places, rotations, SIZE, RATE)[:, 2]) == [Span(60, 79)]


def test_a_flip_of_a_rotation_is_found(rng):
    places, rotations = motion(rng)
    rotations[30:40, 0] = multiply(rotations[30:40, 0], np.array([0.0, 0.0, 1.0, 0.0]))
    rotations[70:90, 1] *= -1  # the same rotation, said the other way
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert spans_of(doubts[:, 0]) == [Span(30, 39)]
    assert not doubts[:, 1:].any()


def test_a_cut_to_another_place_is_believed_on_both_sides(rng):
    places, rotations = motion(rng)
    places[75:, 0] += 3.0
    assert not find_doubts(places, rotations, SIZE, RATE).any()


def test_poses_that_are_held_by_their_keys_may_jump(rng):
    places, rotations = motion(rng)
    held = np.repeat(places[::10], 10, axis=0)
    assert not find_doubts(held, np.repeat(rotations[::10], 10, axis=0), SIZE, RATE).any()


def test_what_is_not_finite_is_not_believed(rng):
    places, rotations = motion(rng)
    places[20:25, 0], rotations[40, 1, 2] = np.nan, np.inf
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert spans_of(doubts[:, 0]) == [Span(20, 24)]
    assert spans_of(doubts[:, 1]) == [Span(40, 40)]
    found = cleaned(places, rotations, doubts, RATE)
    assert all(np.isfinite(part).all() for part in found)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_neither_scale_nor_frame_rate_nor_company_make_a_difference(rng, scale):
    places, rotations = motion(rng)
    places = noisy(rng, places)
    places[50:60, 1] += 0.5
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert doubts.any()
    assert np.array_equal(find_doubts(scale * places, rotations, scale * SIZE, RATE), doubts)
    alone = find_doubts(places[:, 1:2], rotations[:, 1:2], SIZE, RATE)
    assert np.array_equal(alone, doubts[:, 1:2])
    both = cleaned(places, rotations, doubts, RATE)
    one = cleaned(places[:, :1], rotations[:, :1], doubts[:, :1], RATE)
    assert all(np.array_equal(a[:, :1], b) for a, b in zip(both, one, strict=True))


def test_noise_is_taken_out_and_motion_left_in(rng):
    places, rotations = motion(rng)
    found, _ = cleaned(noisy(rng, places), rotations, np.zeros((FRAMES, 3), bool), RATE)
    off = np.linalg.norm(found - places, axis=-1)
    assert np.sqrt((off**2).mean()) < 0.75 * NOISE * np.sqrt(3)
    swing = [np.linalg.norm(np.diff(values, 2, axis=0), axis=-1).mean() for values in (found, places)]
    assert swing[0] < 1.1 * swing[1]


def test_without_noise_or_where_noise_stays_only_masked_frames_change(rng):
    places, rotations = motion(rng)
    masked = np.zeros((FRAMES, 3), bool)
    masked[40:55, 1] = True
    for given in (places, noisy(rng, places)):
        found, turned = cleaned(given, rotations, masked, RATE, keeps_noise=True)
        assert np.array_equal(found[~masked], given[~masked])
        assert np.abs(turned[~masked] - rotations[~masked]).max() < 1e-12


def test_gaps_are_bridged_as_the_track_goes_on(rng):
    time = np.arange(FRAMES) / RATE
    places = np.stack([time, time**2, np.ones(FRAMES)], axis=-1)[:, None]
    masked = mask_of([Span(60, 74)], FRAMES)[:, None]
    rotations = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (FRAMES, 1, 4))
    found, _ = cleaned(np.where(masked[..., None], 9.0, places), rotations, masked, RATE)
    assert np.abs(found - places).max() < 1e-3


def test_a_track_that_ends_in_a_gap_comes_to_rest(rng):
    time = np.arange(FRAMES)[:, None, None] / RATE
    places = time * np.array([1.0, 0.0, 0.0])
    masked = mask_of([Span(0, 29), Span(120, 149)], FRAMES)[:, None]
    rotations = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (FRAMES, 1, 4))
    found, _ = cleaned(places, rotations, masked, RATE)
    assert 0 < found[-1, 0, 0] - found[119, 0, 0] < 0.15
    assert 0 < found[30, 0, 0] - found[0, 0, 0] < 0.15


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 6])
def test_short_clips_are_taken_as_they_are(rng, frames):
    places, rotations = motion(rng, frames)
    masked = np.zeros((frames, 3), bool)
    assert not find_doubts(places, rotations, SIZE, RATE).any()
    found, turned = cleaned(places, rotations, masked, RATE, keeps_noise=True)
    assert np.array_equal(found, places)
    assert np.abs(turned - rotations).max() < 1e-12


@pytest.mark.parametrize("frames", [4, 5, 6, 7, 13, 50])
def test_elimination_solves_the_equations(rng, frames):
    weights, stiffness = rng.uniform(0.1, 1, (frames, 2)), rng.uniform(0, 10, (frames - 3, 2))
    pulls = rng.normal(size=(frames, 2, 3))
    found = solve_banded(weights, stiffness, pulls)
    third = np.diff(np.eye(frames), 3, axis=0)
    for track in range(2):
        matrix = np.diag(weights[:, track]) + (third.T * stiffness[:, track]) @ third
        assert np.abs(matrix @ found[:, track] - pulls[:, track]).max() < 1e-9
