# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: spans against all ways of choosing them, bounds against poses worked out from curves."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from solvers.geometry import normalised, quaternion_to_matrix
from solvers.keys import (
    SUBFRAMES,
    Bound,
    Channels,
    Motion,
    distances_between,
    extremes,
    fitted,
    reduce_keys,
    through,
)
from solvers.keys.between import largest_around
from solvers.keys.spans import basis, fewest_spans
from solvers.pauses import finished

BOUND = Bound(0.001, np.radians(0.1), 0.03)
LENGTH = 0.4  # of bones


def wavy(rng, channels, keys, size=1.0):
    """Random smooth curves (channels, samples)."""
    time = np.arange(SUBFRAMES * (keys - 1) + 1) / SUBFRAMES
    sizes, phases = size * rng.normal(size=(3, channels, 1)), 6 * rng.random((3, channels, 1))
    waves = zip(sizes, phases, (1, 2, 5), strict=True)
    return np.sum([most / n * np.sin(time * n / 6 + phase) for most, phase, n in waves], axis=0)


def misfit(values, first, last):
    """How far a span's least-squares cubic is off, by a solver of its own."""
    rows = values[SUBFRAMES * first : SUBFRAMES * last + 1]
    cubics = basis(last - first)
    rest = rows - rows[0] * cubics[0] - rows[-1] * cubics[1]
    slopes = np.linalg.lstsq(cubics[2:].T, rest, rcond=None)[0]
    return np.abs(rest - slopes @ cubics[2:]).max()


def test_no_choice_of_keys_has_fewer_spans(rng):
    for values in wavy(rng, 6, 9):
        tolerance = 0.01
        count = len(fewest_spans(values[None], np.full((1, len(values)), tolerance))[0])
        for fewer in range(count - 2):
            for between in combinations(range(1, 8), fewer):
                keys = [0, *between, 8]
                spans = [(a, b) for a, b in pairwise(keys) if b - a > 1]
                assert max((misfit(values, *span) for span in spans), default=0.0) > tolerance


@pytest.mark.parametrize("curve", [np.zeros_like, np.ones_like, lambda t: 0.3 * t, lambda t: (t / 9) ** 3])
def test_what_one_cubic_is_has_two_keys(curve):
    values = curve(np.arange(SUBFRAMES * 300 + 1) / SUBFRAMES)[None]
    (keys,) = fewest_spans(values, np.full(values.shape, 1e-9))
    assert keys.tolist() == [0, 300]


def test_curves_go_through_their_keys_and_stay_within_tolerances(rng):
    values = wavy(rng, 5, 60)
    tolerances = np.abs(wavy(rng, 5, 60)) * 0.01 + 0.005
    for row, allowed, keys in zip(values, tolerances, fewest_spans(values, tolerances), strict=True):
        curve = fitted(row, allowed, keys)
        found = curve.sampled()
        assert np.allclose(found[SUBFRAMES * keys], row[SUBFRAMES * keys], atol=1e-12)
        inside = np.repeat(np.diff(keys) > 1, SUBFRAMES * np.diff(keys))
        assert (np.abs(found - row)[:-1] <= allowed[:-1] * (1 + 1e-9))[inside].all()
        assert len(keys) < 30


def test_smooth_curves_are_the_nearest_with_their_keys(rng):
    (values,), keys = wavy(rng, 1, 25), np.array([0, 3, 11, 24])
    curve = through(values, keys)
    assert curve.smooth.all()
    off = np.square(curve.sampled() - values).sum()
    for place in range(len(keys)):
        for change in (-1e-4, 1e-4):
            other = through(values, keys)
            other.slopes[:, place] += change
            assert np.square(other.sampled() - values).sum() > off


def test_extremes_are_where_a_curve_turns_back_by_more_than_wiggles():
    time = np.linspace(0, 4 * np.pi, 200)
    values = np.sin(time) + 0.01 * np.sin(40 * time)
    found = extremes(values, 0.1)
    assert (found[0], found[-1]) == (0, 199)
    turns = np.abs(np.subtract.outer(time[found[1:-1]], np.pi * (np.arange(4) + 0.5)))
    assert turns.shape == (4, 4)
    assert turns.min(axis=1).max() < 0.1
    assert extremes(np.zeros(5), 0.0).tolist() == [0, 4]


def chain(rng, keys, bones=4):
    """A chain whose root moves, turned by quaternions, and how to pose it from its channels alone."""
    samples = SUBFRAMES * (keys - 1) + 1
    turns = wavy(rng, 4 * bones, keys, 0.2).reshape(bones, 4, samples).transpose(2, 0, 1)
    turns[..., 0] = 1.0 + 0.1 * turns[..., 0]  # not of length 1, as curves are not
    moves = wavy(rng, 3, keys, 0.3)

    def pose(values):
        rotations, heads = np.empty((samples, bones, 3, 3)), np.empty((samples, bones, 3))
        local = quaternion_to_matrix(normalised(values[3:].reshape(bones, 4, samples).transpose(2, 0, 1)))
        rotations[:, 0], heads[:, 0] = local[:, 0], values[:3].T
        for bone in range(1, bones):
            rotations[:, bone] = rotations[:, bone - 1] @ local[:, bone]
            heads[:, bone] = heads[:, bone - 1] + LENGTH * rotations[:, bone - 1, :, 1]
        return rotations, heads

    values = np.concatenate([moves, turns.transpose(1, 2, 0).reshape(-1, samples)])
    owners = np.concatenate([[0, 0, 0], np.repeat(np.arange(bones), 4)])
    parts = np.concatenate([[4, 5, 6], np.tile(np.arange(4), bones)])
    own_space = np.broadcast_to(np.eye(3), (samples, bones, 3, 3))
    channels = Channels(values, owners, parts, turns, normalised, own_space)
    parents = np.arange(bones) - 1
    points, holders = np.zeros((bones, 3)), np.arange(bones)
    return Motion(parents, np.ones(bones, bool), *pose(values), points, holders, channels), pose


def test_a_body_is_posed_as_its_channels_say(rng):
    motion, pose = chain(rng, 12)
    values = motion.channels.values + 0.01 * rng.normal(size=motion.channels.values.shape)
    for found, expected in zip(motion.pose(values), pose(values), strict=True):
        assert np.allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_of_random_clips_between_keys_too(seed):
    motion, pose = chain(np.random.default_rng(seed), 50)
    reduction = finished(reduce_keys(motion, BOUND))
    found = pose(np.stack([curve.sampled() for curve in reduction.curves]))
    pairs = zip((motion.rotations, motion.heads), found, strict=True)
    distances, angles = distances_between(*pairs, BOUND.shell)
    assert distances.max() <= BOUND.distance
    assert angles.max() <= BOUND.angle
    assert reduction.keys == sum(len(curve.keys) for curve in reduction.curves)
    assert reduction.keys < 0.7 * 50 * len(reduction.curves)


@pytest.mark.parametrize("degree", range(SUBFRAMES + 1))
def test_lengths_between_samples_are_those_of_polynomials(rng, degree):
    places, keys = 16, 6
    time, step = np.linspace(0.0, keys, places * keys + 1), places // SUBFRAMES
    vectors = np.vander(time, degree + 1) @ rng.normal(size=(4, degree + 1, 3))
    lengths = np.linalg.norm(vectors, axis=-1).T
    found = largest_around(vectors.swapaxes(0, 1)[::step])
    for sample, row in enumerate(found):
        first, last = max(step * sample - step // 2, 0), step * sample + step // 2
        assert np.allclose(row, lengths[first:last].max(axis=0), rtol=1e-9)


def test_wider_bounds_take_fewer_keys(rng):
    motion, _ = chain(rng, 50)
    bounds = [Bound(0.001 * n, np.radians(0.1 * n), 0.03) for n in (1, 5, 25)]
    counts = [finished(reduce_keys(motion, bound)).keys for bound in bounds]
    assert counts[0] > counts[1] > counts[2]
