# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and motions are the same to the last bit however many threads BLAS has: it rounds by their number."""

from dataclasses import replace

import numpy as np
import pytest
from openblas import threads, use_threads
from random_rigs import HUMAN_EFFECTORS, human, targets_at
from slow_motion import moving

from solvers import Comfort, Cones, Effector, Hinge, Settings, Targets, rest_pose, solve, solve_clip
from solvers.clip.elimination import eliminated_from_both_ends, second_differences
from solvers.geometry import (
    gram,
    inverse,
    inverse_root_made_definite,
    product,
    solve_definite,
    symmetric_product,
)
from solvers.pauses import finished

pytestmark = pytest.mark.company


@pytest.fixture
def with_threads():
    """Run work with one thread, and with more; return all it gave."""
    before = threads()

    def run(work):
        found = []
        for count in (1, 2, 3):
            use_threads(count)
            assert threads() == count
            found.append(work())
        return found

    yield run
    use_threads(before)


def assert_the_same(found):
    assert all(np.array_equal(one, found[0]) for one in found[1:])


@pytest.mark.parametrize("shape", [(66, 66, 67), (90, 40, 90), (20, 700, 30), (161, 90, 33)])
def test_products_of_large_matrices(rng, with_threads, shape):
    rows, inner, columns = shape
    left, right = rng.normal(size=(2, rows, inner)), rng.normal(size=(2, inner, columns))
    found = with_threads(lambda: product(left, right))
    assert_the_same(found)
    assert np.allclose(found[0], np.einsum("bij,bjk->bik", left, right), rtol=0, atol=1e-12)
    assert_the_same(with_threads(lambda: gram(left)))
    turned, whole = np.ascontiguousarray(left.swapaxes(-1, -2)), np.empty((2, rows, rows))
    assert_the_same(with_threads(lambda: symmetric_product(left, turned, whole).copy()))
    assert np.allclose(whole, left @ turned, rtol=0, atol=1e-11)


@pytest.mark.parametrize("size", [48, 66, 72, 150])
def test_inverses_and_what_is_eliminated_with_them(rng, with_threads, size):
    roots = rng.normal(size=(6, size, 2 * size))
    blocks, right = roots @ roots.swapaxes(-1, -2), rng.normal(size=(6, size))
    bands = second_differences(rng.uniform(0.1, 1, size=(6, size)))
    assert_the_same(with_threads(lambda: inverse(blocks.copy())))
    assert_the_same(with_threads(lambda: finished(eliminated_from_both_ends(blocks, bands)).solution(right)))


@pytest.mark.parametrize("size", [48, 66, 72, 150])
def test_solutions_and_roots_of_what_is_made_definite(rng, with_threads, size):
    roots, right = rng.normal(size=(6, size, size // 2)), rng.normal(size=(6, size))
    blocks = roots @ roots.swapaxes(-1, -2) + 0.1 * np.eye(size)
    bent = blocks - rng.uniform(0, 0.2, size=(6, 1, 1)) * np.eye(size)
    sizes = np.abs(bent).sum(axis=-1).max(axis=-1)
    assert_the_same(with_threads(lambda: solve_definite(blocks.copy(), right)))
    assert_the_same(with_threads(lambda: inverse_root_made_definite(bent, 1e-6 * sizes, sizes)))


def test_motions_of_a_whole_body(with_threads):
    body = human()
    targets, start = moving(body, HUMAN_EFFECTORS, 24, 1, 0.6), rest_pose(body, 24)
    assert_the_same(with_threads(lambda: solve_clip(body, start, HUMAN_EFFECTORS, targets).pose.rotations))


@pytest.mark.parametrize("away", [0.01, 0.5], ids=["met", "missed"])
def test_poses_of_a_whole_body_within_limits(rng, with_threads, away):
    """With comfort, targets farther off in each row than the last, and the head giving way to the others."""
    ends = ("hips", "head", "finger.L", "finger.R", "toe.L", "toe.R")
    body, effectors = human(), tuple(Effector(name, rank=1 + (name == "head")) for name in ends)
    hinges = (Hinge(f"{name}.{side}", (1, 0, 0), 0.0, 2.5) for name in ("shin", "forearm") for side in "LR")
    spine = (Cones(name, (((0.0, 1.0, 0.0), 0.25),), -0.2, 0.2) for name in ("spine", "chest"))
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.4) for name in body.names)
    body, start = replace(body, limits=(*hinges, *spine), comforts=comforts), rest_pose(body, 2)
    rest = targets_at(body, start, effectors)
    moved = rest.positions + away * np.arange(1, 3)[:, None, None] * rng.normal(size=rest.positions.shape) / 2
    targets = Targets(moved, rest.rotations)
    once = Settings(restarts=0)
    assert_the_same(with_threads(lambda: solve(body, start, effectors, targets, once).pose.rotations))
