# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hulls whose areas are known."""

import numpy as np

from benchmarks.hulls import hull_area, widened_hull_area


def circle(radius, count=2000):
    """Directions round +Z at an angle."""
    around = 2 * np.pi * np.arange(count) / count
    flat = np.sin(radius) * np.stack([np.cos(around), np.sin(around)], axis=-1)
    return np.concatenate([flat, np.full((count, 1), np.cos(radius))], axis=-1)


def cap(radius):
    """Steradians."""
    return 2 * np.pi * (1 - np.cos(radius))


def test_an_octant_and_points_within_it():
    """An eighth of the sphere, whatever lies inside."""
    inner = np.abs(np.random.default_rng(0).normal(size=(100, 3)))
    points = np.concatenate([np.eye(3), inner / np.linalg.norm(inner, axis=1, keepdims=True)])
    assert np.isclose(hull_area(points), np.pi / 2)


def test_a_circle_is_a_cap_and_widens_to_a_cap():
    """Also where it is wide."""
    for radius in (0.1, 0.8, 1.4):
        assert np.isclose(hull_area(circle(radius)), cap(radius), rtol=1e-4)
        assert np.isclose(widened_hull_area(circle(radius), 0.1), cap(radius + 0.1), rtol=1e-4)


def test_an_arc_has_no_area_but_widens():
    """Two caps' halves and a strip of twice the margin's sine."""
    arc = np.array([[np.sin(x), 0, np.cos(x)] for x in np.linspace(-0.5, 0.5, 50)])
    assert abs(hull_area(arc)) < 1e-9
    assert np.isclose(widened_hull_area(arc, 0.1), cap(0.1) + 2 * np.sin(0.1), rtol=1e-6)


def test_all_round_there_is_no_hull():
    """No hemisphere holds the three axes both ways."""
    assert np.isnan(hull_area(np.concatenate([np.eye(3), -np.eye(3)])))
