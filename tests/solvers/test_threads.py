# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion is the same to the last bit however many threads BLAS has: it rounds by their number."""

import numpy as np
import pytest
from openblas import threads, use_threads
from random_rigs import HUMAN_EFFECTORS, human
from slow_motion import moving

from solvers import rest_pose, solve_clip
from solvers.clip.elimination import eliminate, second_differences
from solvers.geometry import gram, inverse, product

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


@pytest.mark.parametrize("size", [48, 66, 72, 150])
def test_inverses_and_what_is_eliminated_with_them(rng, with_threads, size):
    roots = rng.normal(size=(6, size, 2 * size))
    blocks, right = roots @ roots.swapaxes(-1, -2), rng.normal(size=(6, size))
    bands = second_differences(rng.uniform(0.1, 1, size=(6, size)))
    assert_the_same(with_threads(lambda: inverse(blocks.copy())))
    assert_the_same(with_threads(lambda: eliminate(blocks.copy(), bands, right)))


def test_motions_of_a_whole_body(with_threads):
    body = human()
    targets, start = moving(body, HUMAN_EFFECTORS, 24, 1, 0.6), rest_pose(body, 24)
    assert_the_same(with_threads(lambda: solve_clip(body, start, HUMAN_EFFECTORS, targets).pose.rotations))
