# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of recorded tracks is not believed, and what is put in its place."""

import numpy as np
import pytest

from solvers.geometry import multiply, rotation_vector_to_quaternion
from solvers.motion import Span, cleaned, find_doubts, mask_of, spans_of
from solvers.motion import doubts as doubts_module
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
    assert np.array_equal(find_doubts(places, rotations, SIZE, RATE)[..., 0], wanted)


def test_a_track_that_freezes_amid_its_noise_is_found(rng):
    places, rotations = motion(rng)
    places = noisy(rng, places)
    places[60:80, 2] = places[59, 2]
    assert spans_of(find_doubts(places, rotations, SIZE, RATE)[:, 2, 0]) == [Span(60, 79)]


@pytest.mark.parametrize("size", [SIZE, 0.0175])
def test_a_foot_that_stands_is_believed_though_rounding_has_it_tremble(rng, size):
    places, rotations = motion(rng)
    places[:, 2] = np.float32((0.1, -0.2, 0.08))
    moves = np.r_[20:60, 90:140]
    places[moves, 2] += 2e-7 * rng.normal(size=(len(moves), 3))
    assert not find_doubts(places * size / SIZE, rotations, size, RATE).any()


@pytest.mark.parametrize("seed", range(4))
def test_a_track_that_freezes_in_quick_motion_is_found(seed):
    """Motion is far more than noise there, and what comes before and after leads into the frozen frames."""
    rng = np.random.default_rng(seed)
    time = np.arange(60) / RATE
    height = 0.2 * np.sin(2 * np.pi * time / 0.6)
    places = noisy(rng, np.stack([0 * time, 3 * time, height], axis=-1)[:, None])
    places[30:45, 0] = places[29, 0]
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (60, 1, 1))
    assert spans_of(find_doubts(places, rotations, SIZE, RATE)[:, 0, 0]) == [Span(30, 44)]


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_a_target_that_keys_ease_into_a_hold_is_believed(precision):
    time = np.clip(np.abs(np.arange(90) - 45.0) - 10, 0, 25) / 25  # from hold to hold, and back
    eased = (time**2 * (3 - 2 * time))[:, None, None] * np.array([0.9, 0.3, 0.1])
    places = eased.astype(precision).astype(float)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (90, 1, 1))
    assert not find_doubts(places, rotations, SIZE, RATE).any()


@pytest.mark.parametrize("backwards", [False, True])
def test_a_foot_that_quickens_as_the_clip_ends_is_believed(rng, backwards):
    places, rotations = motion(rng)
    time = np.arange(FRAMES) / RATE
    places[:, 1] += 80.0 * np.maximum(time - time[-6], 0.0)[:, None] ** 3 * np.array((1.0, 0.2, 0.1))
    if backwards:
        places, rotations = places[::-1], rotations[::-1]
    assert not find_doubts(places, rotations, SIZE, RATE).any()


def test_a_flip_of_a_rotation_is_found(rng):
    places, rotations = motion(rng)
    rotations[30:40, 0] = multiply(rotations[30:40, 0], np.array([0.0, 0.0, 1.0, 0.0]))
    rotations[70:90, 1] *= -1  # the same rotation, said the other way
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert spans_of(doubts[:, 0, 1]) == [Span(30, 39)]
    assert not doubts[:, 1:].any()
    assert not doubts[..., 0].any()


@pytest.mark.parametrize("length", [15, 40])
def test_a_rotation_that_is_lost_while_its_place_is_not_is_found(rng, length):
    places, rotations = motion(rng)
    rotations = multiply(rotation_vector_to_quaternion(np.array([0.0, 2.0, 0.0])), rotations)
    rotations[50 : 50 + length, 1] = (1.0, 0.0, 0.0, 0.0)
    places = noisy(rng, places)
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert spans_of(doubts[:, 1, 1]) == [Span(50, 49 + length)]
    assert not doubts[:, [0, 2]].any()
    assert not doubts[..., 0].any()
    found, turned = cleaned(places, rotations, doubts, RATE, keeps_noise=True)
    assert np.array_equal(found, places)
    assert not np.isclose(turned[50 : 50 + length, 1], rotations[50 : 50 + length, 1]).all(axis=-1).any()


def test_a_rotation_that_rests_or_never_turns_is_believed(rng):
    places, rotations = motion(rng)
    rotations[:, 0] = rotations[0, 0]
    rotations[60:90, 1] = rotations[60, 1]
    rotations[90:, 1] = rotations[61:121, 1]
    assert not find_doubts(noisy(rng, places), rotations, SIZE, RATE).any()
    places[50:65, 0] += 1.0
    assert spans_of(find_doubts(noisy(rng, places), rotations, SIZE, RATE)[:, 0, 0]) == [Span(50, 64)]


def test_a_cut_to_another_place_is_believed_on_both_sides(rng):
    places, rotations = motion(rng)
    places[75:, 0] += 3.0
    assert not find_doubts(places, rotations, SIZE, RATE).any()


def test_poses_that_are_held_by_their_keys_may_jump(rng):
    places, rotations = motion(rng)
    held = np.repeat(places[::10], 10, axis=0)
    assert not find_doubts(held, np.repeat(rotations[::10], 10, axis=0), SIZE, RATE).any()


@pytest.mark.parametrize("seed", range(60))
def test_a_glance_finds_no_other_doubts(seed, monkeypatch):
    """Leaving out what is calm at a glance changes nothing, however near a track is to being doubted."""
    rng = np.random.default_rng(seed)
    places, rotations = motion(rng, int(rng.integers(3, 40)), tracks=12)
    frames, size = len(places), SIZE * 10 ** rng.uniform(-1.5, 1.5)
    for track, frame in zip(range(12), rng.integers(0, frames, 12), strict=True):
        kick = 0.015 * size * rng.uniform(0.3, 3) * rng.normal(size=3)
        places[frame : frame + rng.integers(1, 4), track] += kick
    still = rng.integers(0, frames)
    places[still : still + rng.integers(1, 9), 0] = places[still, 0]
    glanced = find_doubts(places, rotations, size, RATE)
    monkeypatch.setattr(doubts_module, "is_calm", lambda positions, *_: np.zeros(positions.shape[1], bool))
    assert np.array_equal(glanced, find_doubts(places, rotations, size, RATE))


def test_what_is_not_finite_is_not_believed(rng):
    places, rotations = motion(rng)
    places[20:25, 0], rotations[40, 1, 2] = np.nan, np.inf
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert [spans_of(each) for each in doubts[:, 0].T] == 2 * [[Span(20, 24)]]
    assert [spans_of(each) for each in doubts[:, 1].T] == 2 * [[Span(40, 40)]]
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


def test_without_noise_or_where_noise_stays_only_masked_frames_change(rng):
    places, rotations = motion(rng)
    masked = np.zeros((FRAMES, 3, 2), bool)
    masked[40:55, 1] = True
    for given in (places, noisy(rng, places)):
        found, turned = cleaned(given, rotations, masked, RATE, keeps_noise=True)
        assert np.array_equal(found[~masked[..., 0]], given[~masked[..., 0]])
        assert np.abs(turned[~masked[..., 1]] - rotations[~masked[..., 1]]).max() < 1e-12


def test_gaps_are_bridged_as_the_track_goes_on(rng):
    time = np.arange(FRAMES) / RATE
    places = np.stack([time, time**2, np.ones(FRAMES)], axis=-1)[:, None]
    masked = mask_of([Span(60, 74)], FRAMES)[:, None, None] & np.ones(2, bool)
    rotations = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (FRAMES, 1, 4))
    found, _ = cleaned(np.where(masked[..., :1], 9.0, places), rotations, masked, RATE)
    assert np.abs(found - places).max() < 1e-3


def test_the_middle_of_three_frames_is_bridged():
    """Too few to tell how motion goes on."""
    places, turns = np.array([[[1.0, 2, 3]], [[99, 99, 99]], [[3, 6, 7]]]), np.eye(4)[[0, 3, 0]][:, None]
    lost = np.array([False, True, False])[:, None, None].repeat(2, axis=2)
    for keeps_noise in (False, True):
        found = cleaned(places, turns, lost, RATE, keeps_noise)
        np.testing.assert_allclose(found[0][:, 0], [[1, 2, 3], [2, 4, 5], [3, 6, 7]], rtol=1e-12)
        np.testing.assert_allclose(np.abs(found[1][:, 0]), np.eye(4)[[0, 0, 0]])


def test_a_track_that_ends_in_a_gap_comes_to_rest(rng):
    time = np.arange(FRAMES)[:, None, None] / RATE
    places = time * np.array([1.0, 0.0, 0.0])
    masked = mask_of([Span(0, 29), Span(120, 149)], FRAMES)[:, None, None] & np.ones(2, bool)
    rotations = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (FRAMES, 1, 4))
    found, _ = cleaned(places, rotations, masked, RATE)
    assert 0 < found[-1, 0, 0] - found[119, 0, 0] < 0.15
    assert 0 < found[30, 0, 0] - found[0, 0, 0] < 0.15


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 6])
def test_short_clips_are_taken_as_they_are(rng, frames):
    places, rotations = motion(rng, frames)
    masked = np.zeros((frames, 3, 2), bool)
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
