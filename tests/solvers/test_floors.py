# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane that feet stand on."""

import tracemalloc

import numpy as np
import pytest

from solvers.motion import find_floor

SIZE = 1.75


def ramp(rng, slope, frames=200, noise=0.004):
    """Soles of two feet (frames, 2, 3) that walk about on a floor of a slope, and where they stand."""
    standing = (np.arange(frames)[:, None] // 20 + np.arange(2)) % 2 == 0
    ends = rng.uniform(-2, 2, size=(frames // 20 + 2, 2, 2))
    places = np.repeat(ends, 20, axis=0)[:frames]
    heights = places @ slope + 0.07 + noise * rng.normal(size=places.shape[:2])
    heights += np.where(standing, 0.0, 0.1)
    return np.concatenate([places, heights[..., None]], axis=-1), standing


@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.03, -0.02), (-0.05, 0.04)])
def test_floors_are_found_whatever_is_stepped_on_besides(rng, slope):
    points, standing = ramp(rng, np.array(slope))
    points[40:80, :, 2] += 0.3  # onto a stool
    floor = find_floor(points, standing, SIZE)
    assert np.abs(np.array(floor.slope) - slope).max() < 0.005
    assert abs(floor.height - 0.07) < 0.005
    assert floor.normal @ [1, 0, floor.slope[0]] == pytest.approx(0, abs=1e-12)
    assert floor.normal @ [0, 1, floor.slope[1]] == pytest.approx(0, abs=1e-12)
    assert floor.tilt == pytest.approx(np.arccos(floor.normal[2]))
    assert np.median(np.abs(floor.over(points[standing]))) < 0.008


def test_a_line_of_steps_tells_nothing_of_the_floor_beside_it(rng):
    points, standing = ramp(rng, np.array([0.0, 0.03]))
    points[..., 2] -= 0.03 * points[..., 1]
    points[..., 0] = 0.1 * rng.normal(size=points.shape[:2])
    points[..., 2] += 0.03 * points[..., 1]
    floor = find_floor(points, standing, SIZE)
    assert abs(floor.slope[1] - 0.03) < 0.005
    assert abs(floor.slope[0]) < 0.02


def test_stairs_and_feet_in_the_air_are_no_floor(rng):
    points, standing = ramp(rng, np.array([0.0, 0.5]))
    assert find_floor(points, standing, SIZE) is None
    assert find_floor(points, np.zeros_like(standing), SIZE) is None


def test_a_floor_of_many_steps_takes_no_memory_of_all_their_pairs(rng):
    points, standing = ramp(rng, np.array([0.03, -0.02]), frames=20_000)
    tracemalloc.start()
    floor = find_floor(points, standing, SIZE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.abs(np.array(floor.slope) - (0.03, -0.02)).max() < 0.005
    assert peak < 1000**2 * 8  # a number for each pair of steps
