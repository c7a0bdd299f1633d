# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definite systems against numpy's general solver."""

import numpy as np
import pytest

from solvers.geometry.definite import (
    inverse,
    inverse_root,
    inverse_root_made_definite,
    inverse_root_of_blocks,
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
@pytest.mark.parametrize("size", [4, 24, 30, 66])
def test_no_factor_has_squares_that_are_subnormal(rng, size, scale, monkeypatch):
    whole, factors = np.linalg.cholesky, []
    monkeypatch.setattr(np.linalg, "cholesky", lambda given: factors.append(whole(given)) or factors[-1])
    inverse_root(scale * systems(rng, size, 5)[0])
    sizes = np.abs(np.concatenate([factor[factor != 0] for factor in factors]))
    assert (sizes > np.sqrt(np.finfo(float).tiny)).all()


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


@pytest.mark.parametrize("size", [12, 66, 95])
@pytest.mark.parametrize("below", [0, 1, 7])
def test_what_is_added_to_curvature_is_the_least_or_in_bounds(rng, below, size):
    """Against the eigenvalues; rows beside others are what they are alone."""
    values = rng.uniform(0.1, 9, (5, size))
    values[1:, :below] = -rng.uniform(0.1, 1, (4, below))
    turns = np.linalg.qr(rng.normal(size=(5, size, size)))[0]
    matrices = (turns * values[:, None]) @ np.swapaxes(turns, -1, -2)
    matrices, least = 0.5 * (matrices + np.swapaxes(matrices, -1, -2)), rng.uniform(0.01, 0.1, 5)
    sizes = np.abs(matrices).sum(axis=-1).max(axis=-1)
    root = inverse_root_made_definite(matrices, least, sizes)
    added = np.linalg.inv(root @ np.swapaxes(root, -1, -2)) - matrices
    share = added[:, 0, 0]
    assert np.allclose(added, share[:, None, None] * np.eye(size), rtol=0, atol=1e-9)
    negative = np.maximum(-values.min(axis=1), 0)
    assert np.allclose(share[negative == 0], least[negative == 0], rtol=1e-9, atol=0)
    assert (share >= (1 - 1e-9) * np.maximum(least, 1.4 * negative)).all()
    assert (share <= (1 + 1e-9) * np.maximum(2 * least, 2.9 * negative)).all()
    for row in range(5):
        own = slice(row, row + 1)
        assert np.array_equal(inverse_root_made_definite(matrices[own], least[own], sizes[own])[0], root[row])


def test_no_curvature_at_all_is_made_some():
    nothing = np.zeros((1, 6, 6))
    assert np.isfinite(inverse_root_made_definite(nothing, np.zeros(1), np.zeros(1))).all()


@pytest.mark.parametrize("size", [480, 600])
def test_inverses_of_smooth_matrices_undo_what_the_matrices_do(size):
    """Gaussian kernels: their rank is low but for rounding. A row beside them is what it is alone."""
    places = np.linspace(0, 1, size)
    kernel = np.exp(-0.5 * ((places[:, None] - places) / 0.3) ** 2)[None]
    both = np.concatenate([kernel, np.eye(size)[None]])
    found = inverse(both.copy())
    assert np.allclose(kernel @ found[:1] @ kernel, kernel, rtol=0, atol=1e-3)
    assert np.array_equal(found[1], inverse(np.eye(size)[None])[0])
