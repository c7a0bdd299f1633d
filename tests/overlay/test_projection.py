# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on the screen and what is picked there, by projections that are known."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pure_overlay import pure

Projection = pure("projection").Projection
WIDE = np.array([800.0, 400.0])
PERSPECTIVE = np.array([[1.0, 0, 0, 0], [0, 2.0, 0, 0], [0, 0, -1.0, -0.2], [0, 0, -1.0, 0]])  # along -Z
PARALLEL = np.diag([0.5, 1.0, -0.01, 1.0])
CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
AHEAD = np.array([0.0, 0, -6])
seeds = st.integers(0, 10**6)


def seen(matrix=PERSPECTIVE):
    return Projection(matrix, WIDE)


def test_the_middle_of_the_view_is_the_middle_of_the_screen():
    for matrix in (PERSPECTIVE, PARALLEL):
        pixels, ahead = seen(matrix).pixels(np.array([[0.0, 0, -5]]))
        np.testing.assert_allclose(pixels, [[400, 200]])
        assert ahead.all()


def test_what_is_twice_as_far_is_half_as_far_from_the_middle():
    pixels, _ = seen().pixels(np.array([[1.0, 0.5, -2], [1.0, 0.5, -4]]))
    np.testing.assert_allclose(pixels - [400, 200], [[200, 100], [100, 50]])


def test_what_is_behind_the_eye_is_never_picked():
    points = np.array([[0.0, 0, 5]])
    _, ahead = seen().pixels(points)
    assert not ahead.any()
    assert seen().nearest(points, np.array([400.0, 200.0]), 1e9) is None
    assert seen().nearest_box((CUBE - AHEAD)[None], np.array([400.0, 200.0])) is None


def test_of_two_in_reach_the_nearest_is_picked_and_none_out_of_reach():
    points = np.array([[0.0, 0, -4], [0.1, 0, -4], [0, 0, 4]])
    at = seen().pixels(points)[0]
    assert seen().nearest(points, at[1] + [2, 1], 14) == 1
    assert seen().nearest(points, at[0] - [2, 1], 14) == 0
    assert seen().nearest(points, at[0] - [13.9, 0], 14) == 0
    assert seen().nearest(points, at[0] - [14.1, 0], 14) is None
    assert seen().nearest(np.empty((0, 3)), at[0], 14) is None


@given(seeds)
def test_a_box_is_picked_by_any_point_inside_it(seed):
    rng = np.random.default_rng(seed)
    box = CUBE @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + AHEAD
    inside = rng.dirichlet(np.ones(8)) @ box
    mouse = seen().pixels(inside)[0]
    assert seen().nearest_box(box[None], mouse) == 0


@given(seeds)
def test_a_box_is_not_picked_beside_its_outline(seed):
    """Beyond the farthest corner in any direction of the screen there is nothing of it."""
    rng = np.random.default_rng(seed)
    box = CUBE @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + AHEAD
    pixels = seen().pixels(box)[0]
    along = np.array([np.cos(seed), np.sin(seed)])
    aside = np.array([-along[1], along[0]])
    mouse = along * ((pixels @ along).max() + 0.01) + aside * rng.uniform(-300, 300)
    assert seen().nearest_box(box[None], mouse) is None


def test_of_boxes_that_overlap_the_one_with_the_nearest_middle_is_picked():
    aside = np.array([0.5, 0, 0])
    boxes = np.stack([CUBE + AHEAD - aside, CUBE + AHEAD + aside])
    middles = seen().pixels(boxes)[0].mean(axis=1)
    assert [seen().nearest_box(boxes, middle) for middle in middles] == [0, 1]
    assert seen().nearest_box(np.empty((0, 8, 3)), middles[0]) is None


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_a_box_that_is_partly_behind_the_eye_is_not_picked(part):
    """Its outline on the screen is no outline then."""
    assert seen().nearest_box((CUBE - part * AHEAD / 6)[None], np.array([400.0, 200.0])) is None


@given(seeds, st.sampled_from([PERSPECTIVE, PARALLEL]))
def test_the_line_that_is_picked_is_the_nearest_of_all(seed, matrix):
    rng = np.random.default_rng(seed)
    lines, mouse = rng.normal(size=(5, 2, 3)) + AHEAD, rng.uniform(0, 400, 2)
    shares = np.linspace(0, 1, 2001)[:, None]
    begin, end = np.moveaxis(seen(matrix).pixels(lines)[0], 1, 0)
    distances = [
        np.linalg.norm(a + shares * (b - a) - mouse, axis=1).min() for a, b in zip(begin, end, strict=True)
    ]
    found = seen(matrix).nearest_line(lines, mouse, 1e9)
    assert distances[found] < min(distances) + 3.1
    assert seen(matrix).nearest_line(lines, mouse, min(distances) - 1) is None


@pytest.mark.parametrize("matrix", [PERSPECTIVE, PARALLEL])
def test_of_lines_on_top_of_each_other_the_one_in_front_is_picked(matrix):
    far, near = (np.array([[-1.0, 0, depth], [1.0, 0, depth]]) for depth in (-8, -5))
    assert seen(matrix).nearest_line(np.array([far, near]), WIDE / 2, 5.0) == 1
    assert seen(matrix).nearest_line(np.array([near, far]), WIDE / 2, 5.0) == 0


def test_lines_behind_the_eye_are_never_picked():
    lines = np.array([[[-1.0, 0, 3], [1.0, 0, 3]]])
    assert seen().nearest_line(lines, WIDE / 2, 1e9) is None
