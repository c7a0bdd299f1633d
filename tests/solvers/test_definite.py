# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definite systems against numpy's general solver."""

import numpy as np
import pytest

from solvers.geometry.definite import (
    inverse,
    inverse_root,
    inverse_root_of_blocks,
    inverse_root_of_sizes,
    solve_definite,
)


def systems(rng, size, batch, rank=None):
    roots = rng.normal(size=(batch, size, rank or 2 * size))
    return roots @ np.swapaxes(roots, -1, -2), rng.normal(size=(batch, size))


@pytest.mark.parametrize("batch", [1, 2, 15, 16, 40])
@pytest.mark.parametrize("size", [*range(1, 15), 18, 24, 36, 48, 49, 54, 60])
def test_solutions_are_those_of_the_general_solver(rng, size, batch):
    matrices, right = systems(rng, size, batch)
    expected = np.linalg.solve(matrices, right[..., None])[..., 0]
    found = solve_definite(matrices.copy(), right)
    # Condition numbers are below a few thousand here; what keeps ranks up is 1e-12 of the largest entry.
    assert np.allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("batch", [1, 40])
@pytest.mark.parametrize("size", [3, 6, 7, 18, 36, 60])
def test_damped_systems_of_low_rank_are_solved(rng, size, batch):
    matrices, right = systems(rng, size, batch, rank=max(1, size // 3))
    matrices += 1e-4 * np.eye(size)
    expected = np.linalg.solve(matrices, right[..., None])[..., 0]
    found = solve_definite(matrices.copy(), right)
    assert np.allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("batch", [1, 40])
@pytest.mark.parametrize("size", [3, 6, 7, 18, 36, 60])
def test_systems_of_low_rank_that_have_a_solution_are_solved_without_damping(rng, size, batch):
    matrices, _ = systems(rng, size, batch, rank=max(1, size // 3))
    right = (matrices @ rng.normal(size=(batch, size, 1)))[..., 0]
    found = solve_definite(matrices.copy(), right)
    left = (matrices @ found[..., None])[..., 0] - right
    assert np.abs(left).max() < 1e-3 * np.abs(right).max()


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("size", [4, 24, 60])
def test_scale_does_not_matter(rng, size, scale):
    matrices, right = systems(rng, size, 20)
    expected = solve_definite(matrices.copy(), right)
    found = solve_definite(scale * matrices, right) * scale
    assert np.allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("size", [4, 24, 60])
def test_nothing_is_asked_of_a_system_of_zeros(size):
    assert (solve_definite(np.zeros((20, size, size)), np.zeros((20, size))) == 0).all()
    assert np.isfinite(solve_definite(np.zeros((1, size, size)), np.zeros((1, size)))).all()


@pytest.mark.company
@pytest.mark.parametrize("size", [4, 24, 60])
def test_rows_do_not_influence_each_other(rng, size):
    matrices, right = systems(rng, size, 30)
    together = solve_definite(matrices.copy(), right)
    half = np.concatenate(
        [solve_definite(matrices[rows].copy(), right[rows]) for rows in np.split(np.arange(30), 2)]
    )
    alone = np.concatenate([solve_definite(matrices[[row]].copy(), right[[row]]) for row in range(30)])
    # The same way whatever their number: matrix products alone may round otherwise, if at all.
    assert np.allclose(half, together, rtol=0, atol=1e-14)
    assert np.allclose(alone, together, rtol=0, atol=1e-14)


@pytest.mark.parametrize("size", [1, 6, 36])
def test_roots_of_inverses_make_inverses(rng, size):
    matrices, _ = systems(rng, size, 20)
    root = inverse_root(matrices.copy())
    assert np.allclose(matrices @ root @ np.swapaxes(root, -1, -2), np.eye(size), rtol=0, atol=1e-6)


@pytest.mark.parametrize("size", [1, 30, 31, 66, 150])
def test_inverses_by_parts_are_inverses(rng, size):
    matrices, _ = systems(rng, size, 5)
    found = inverse(matrices.copy())
    assert np.allclose(matrices @ found, np.eye(size), rtol=0, atol=1e-6)
    alone = [inverse(matrices[[row]].copy())[0] for row in range(5)]
    assert np.allclose(found, alone, rtol=1e-12, atol=0)


@pytest.mark.parametrize("size", [31, 66, 150])
def test_inverses_of_low_rank_undo_what_the_matrices_do(rng, size):
    """As far as what keeps ranks up, a share of 1e-12 of the largest entry, lets them."""
    matrices, _ = systems(rng, size, 5, rank=size // 2)
    undone = matrices @ inverse(matrices.copy()) @ matrices
    assert np.allclose(undone, matrices, rtol=0, atol=1e-3 * np.abs(matrices).max())


@pytest.mark.parametrize("worst", [1.0, 1e6, 1e12])
def test_roots_of_inverse_blocks_undo_the_blocks(rng, worst):
    """Lower triangular, and as exact as the condition of the block, its largest eigenvalue here, allows."""
    ways, _ = np.linalg.qr(rng.normal(size=(200, 3, 3)))
    sizes = np.stack([np.ones(200), worst ** rng.uniform(size=200), np.full(200, worst)], axis=-1)
    blocks = (ways * sizes[:, None]) @ np.swapaxes(ways, -1, -2)
    root = inverse_root_of_blocks(blocks, 1.0)
    assert (root == np.tril(root)).all()
    unit = root @ blocks @ np.swapaxes(root, -1, -2)
    assert np.abs(unit - np.eye(3)).max() < 1e-14 * worst + 1e-13


def test_roots_of_inverse_blocks_grow_no_larger_than_the_least_eigenvalue_allows(rng):
    """Nor where rounding has eaten it up."""
    way = rng.normal(size=(50, 3, 1))
    root = inverse_root_of_blocks(1e20 * way @ np.swapaxes(way, -1, -2), 0.25)
    assert (np.diagonal(root, axis1=1, axis2=2) <= 2).all()


def no_answer(_matrices):
    """As LAPACK's driver by divide and conquer ends for a few matrices, however plain they are."""
    raise np.linalg.LinAlgError("Eigenvalues did not converge")


def test_roots_of_sizes_are_found_where_eigenvalues_are_not(rng, monkeypatch):
    half = rng.normal(size=(3, 8, 8))
    matrices, shift = half + np.swapaxes(half, -1, -2), np.full(3, 0.1)
    given = matrices, shift, np.abs(matrices).sum(axis=-1).max(axis=-1)
    wanted = inverse_root_of_sizes(*given)
    monkeypatch.setattr(np.linalg, "eigh", no_answer)
    root = inverse_root_of_sizes(*given)
    both = (found @ np.swapaxes(found, -1, -2) for found in (wanted, root))
    np.testing.assert_allclose(*both, rtol=0, atol=1e-12)


@pytest.mark.parametrize("below", [0, 1, 7])
def test_roots_of_sizes_turn_what_is_below_zero_round(rng, below):
    """Against the eigenvalues; definite rows beside others are what they are alone."""
    values = np.concatenate([-rng.uniform(0.1, 1, (5, below)), rng.uniform(0.1, 9, (5, 12 - below))], axis=1)
    values[0] = np.abs(values[0])
    turns = np.linalg.qr(rng.normal(size=(5, 12, 12)))[0]
    matrices = (turns * values[:, None]) @ np.swapaxes(turns, -1, -2)
    matrices, shift = 0.5 * (matrices + np.swapaxes(matrices, -1, -2)), rng.uniform(0.01, 0.1, 5)
    sizes = np.abs(matrices).sum(axis=-1).max(axis=-1)
    root = inverse_root_of_sizes(matrices, shift, sizes)
    wanted = (turns / (np.abs(values) + shift[:, None])[:, None]) @ np.swapaxes(turns, -1, -2)
    assert np.allclose(root @ np.swapaxes(root, -1, -2), wanted, rtol=0, atol=1e-11)
    for row in range(5):
        own = slice(row, row + 1)
        assert np.array_equal(inverse_root_of_sizes(matrices[own], shift[own], sizes[own])[0], root[row])
