# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks tell by their shapes what they stand for, whatever their colours."""

from itertools import combinations

import numpy as np
import pytest
from pure_overlay import pure

marks = pure("marks")
KINDS = ("SQUARE", "DISC", "RING", "DOT")
PLACE, COLOUR, RIM = (1.0, -2.0, 3.0), (0.2, 0.4, 0.6), (0.9, 0.8, 0.7)


def opaque(kind, colour=COLOUR):
    """Which of the pixels about a mark's place, 25 wide and high, are wholly of the colour."""
    parts = marks.triangles([marks.Mark(PLACE, kind, COLOUR, RIM)])
    found = np.zeros((25, 25), bool)
    for corners, colours in zip(
        parts.offsets.reshape(-1, 3, 2), parts.colours.reshape(-1, 3, 4), strict=True
    ):
        if np.allclose(colours[:, :3], colour, atol=1e-6) and colours[:, 3].min() == 1.0:
            found |= holds(corners)
    return found


def holds(corners):
    """Which pixels lie in a triangle (3, 2)."""
    points = np.stack(np.meshgrid(np.arange(25) - 12, np.arange(25) - 12), axis=-1) + 1e-3
    sides = [
        np.cross(np.append(b - a, 0), np.pad(points - a, ((0, 0), (0, 0), (0, 1))))[..., 2]
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    ]
    return np.all(np.greater_equal(sides, 0), axis=0) | np.all(np.less_equal(sides, 0), axis=0)


@pytest.mark.parametrize(("one", "other"), list(combinations(KINDS, 2)))
def test_kinds_look_different(one, other):
    assert (opaque(one) != opaque(other)).sum() >= 12


@pytest.mark.parametrize("kind", KINDS)
def test_marks_are_small_and_about_their_place(kind):
    parts = marks.triangles([marks.Mark(PLACE, kind, COLOUR, RIM)])
    assert np.abs(parts.offsets).max() <= 10
    np.testing.assert_allclose(parts.offsets.mean(axis=0), 0, atol=1e-5)
    assert (parts.places == np.float32(PLACE)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_marks_fade_at_their_edge(kind):
    parts = marks.triangles([marks.Mark(PLACE, kind, COLOUR, RIM)])
    far = np.linalg.norm(parts.offsets, axis=-1)
    assert (parts.colours[far > far.max() - 1e-3, 3] == 0).all()
    assert np.allclose(parts.colours[far > far.max() - 1e-3, :3], RIM, atol=1e-6)


def test_a_ring_is_open_and_a_disc_is_not():
    assert opaque("DISC")[12, 12]
    assert not opaque("RING")[12, 12]


def test_of_marks_in_one_place_the_last_is_in_front():
    two = [marks.Mark(PLACE, "DISC", colour) for colour in ((1.0, 0, 0), (0, 1.0, 0))]
    parts, first = marks.triangles(two), marks.triangles(two[:1])
    np.testing.assert_array_equal(parts.colours[: len(first.colours)], first.colours)


def test_no_marks_are_no_triangles():
    parts = marks.triangles([])
    assert parts.places.shape == (0, 3)
    assert parts.offsets.shape == (0, 2)
    assert parts.colours.shape == (0, 4)
