# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation that minimises the weighted root-mean-square deviation of two point sets, and that deviation.

For moved points ``a`` and target points ``b`` about a fixed pivot, ``sum w |R a - b|^2`` is least where
``q^T K q`` is greatest, ``K`` being the traceless key matrix of the covariance ``S = sum w a b^T``. Of
``|S| = 1`` the quaternion characteristic polynomial (QCP) is, with the cofactors ``C`` of S,

    det(x - K) = (x^2 - 1)^2 - 8 det(S) x - 4 |C|^2.

Its largest root gives the residual. There the rows of the adjugate of ``x - K`` are multiples of the
quaternion; that adjugate is ``2 (z + K(N))``, with ``8 z`` the slope of the polynomial and
``N = (x^2 + 1) / 2 S + x C - S S^T S``.

Newton's iteration begins above all roots, comes down without overshooting, and is the quicker the farther off
the other roots are. Rounding, of some 1e-15, puts the root off by that over the slope, and the quaternion by
that over the distance to the next root once more. So where the slope is small, because other roots lie close,
the eigen-decomposition of horn.py is taken. Of a single point, ``S = a b^T``, the two largest roots are the
same, and of all the turns that are best the smallest is the shortest arc from a to b.

References: Theobald 2005 (10.1107/S0108767305015266); Liu, Agrafiotis and Theobald 2010 (10.1002/jcc.21439);
Markley 1993 for N (FOAM, J. Astronaut. Sci. 41, 261).
"""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from ..errors import SolverError
from ..geometry import Array, Mask, key_matrix
from .covariance import covariances, scaled, sums
from .horn import horn_rotation

Number = TypeVar("Number", float, Array)


class Arithmetic(NamedTuple, Generic[Number]):
    """What numbers and arrays have no common operator for."""

    root: Callable[[Number], Number]
    larger: Callable[[Number, float], Number]
    every: Callable[[bool | Mask], bool]


class Formula(Protocol):
    """Computes values of the nine entries of a covariance, of numbers or of arrays."""

    def __call__(self, s: Sequence[Number], math: Arithmetic[Number], /) -> tuple[Number, ...]: ...


_NUMBERS: Arithmetic[float] = Arithmetic(sqrt, max, bool)
_ARRAYS: Arithmetic[Array] = Arithmetic(np.sqrt, np.maximum, np.all)

# Roots where the slope is less are left to the eigen-decomposition; the others are within 3e-13.
_LEAST_SLOPE = 1 / 32
# So many steps bring every root with such a slope to its last digit (the tests look for the worst).
_NEWTON_STEPS = 13
_TINY = 1e-300
# Where the squares of the cofactors are rounding the covariance is that of one point, ``a b^T``, or nothing.
_LONE = 1e-29
# So little of ``1 + a b`` is exact to a millionth, as the cosine of half the angle, which is what counts, is.
_NEAR_HALF_TURN = 1e-10
# Up to so many rows are sooner done one by one: numbers cost a tenth of what a call of numpy does.
_FEW = 8
# Rows of a symmetric 4x4 matrix whose entries are its diagonal, then what is right of it.
_SYMMETRIC = np.array([[0, 4, 5, 6], [4, 1, 7, 8], [5, 7, 2, 9], [6, 8, 9, 3]])


def qcp_rotation(covariance: Array) -> Array:
    """Return the quaternions (..., 4), w >= 0, that best turn the moved points onto the targets.

    ``covariance`` is ``S = sum w a b^T`` about the pivot, (..., 3, 3), at any scale. Where the best rotation
    is not unique it is the smallest turn, as of ``horn_rotation``. Raises SolverError for anything else.
    """
    covariance = covariances(covariance)
    entries, _ = scaled(covariance)
    adjugate = _evaluated(_adjugate, entries)
    found = _largest_rows(adjugate)
    half_slope = adjugate[0] + adjugate[1] + adjugate[2] + adjugate[3]
    close = ~(half_slope > 0.5 * _LEAST_SLOPE)
    if close.any():
        twice_cosine = 1 + (entries[0] + entries[4] + entries[8])
        lone = close & (adjugate[10] < _LONE) & (twice_cosine > _NEAR_HALF_TURN)
        found[lone] = _shortest_arcs(entries[:, lone], twice_cosine[lone])
        close &= ~lone
    if close.any():
        found[close] = horn_rotation(covariance.reshape(-1, 3, 3)[close])
    return found.reshape(*covariance.shape[:-2], 4)


def qcp_rmsd(covariance: Array, squares: Array, weights: Array) -> Array:
    """Return the least weighted root-mean-square deviation (...) of superposed points, a length.

    No rotation is computed. ``covariance`` is ``sum w a b^T`` about the pivot, (..., 3, 3); ``squares`` (...)
    is ``sum w (|a|^2 + |b|^2)``, ``weights`` (...) is ``sum w``. It is the root of a difference, so of points
    that fit exactly a share of some 1e-8 of their distance from the pivot is left. Raises SolverError for
    covariances and sums that are none.
    """
    covariance = covariances(covariance)
    shape = covariance.shape[:-2]
    squares, weights = (sums(of, shape, what) for of, what in ((squares, "Squares"), (weights, "Weights")))
    if not (weights > 0).all():
        raise SolverError("Weights must be above zero")
    entries, sizes = scaled(covariance)
    root, slope, cofactors = _evaluated(_root_and_slope, entries)
    close = ~((slope > _LEAST_SLOPE) | (cofactors < _LONE))
    if close.any():
        keys = key_matrix(np.ascontiguousarray(entries[:, close].T).reshape(-1, 3, 3))
        root[close] = np.linalg.eigvalsh(keys)[:, -1]
    overlap: Array = (sizes * root).reshape(shape)
    return np.sqrt(np.maximum(squares - 2 * overlap, 0.0) / weights)


def _largest_rows(adjugate: Array) -> Array:
    """Return the rows (rows, 4) of adjugates with the largest component on the diagonal, at unit length."""
    best = np.argmax(adjugate[:4], axis=0)
    q = adjugate[_SYMMETRIC[best].T, np.arange(best.size)]
    squares = q * q
    length = np.sqrt(squares[0] + squares[1] + squares[2] + squares[3])
    return np.ascontiguousarray((q / np.copysign(np.maximum(length, _TINY), q[0])).T)


def _shortest_arcs(entries: Array, twice_cosine: Array) -> Array:
    """Return the smallest turns (rows, 4) of one point each: (1 + a b, a x b) of directions a, b."""
    x, y, z = entries[5] - entries[7], entries[6] - entries[2], entries[1] - entries[3]
    length = np.sqrt(twice_cosine * twice_cosine + x * x + y * y + z * z)
    return np.stack([twice_cosine / length, x / length, y / length, z / length], axis=-1)


def _evaluated(formula: Formula, entries: Array) -> Array:
    """Return the formula's values (values, rows) of entries (9, rows), as numbers or as arrays.

    It is made of single operations, which round alike in both, so no row feels how many there are.
    """
    rows = entries.shape[1]
    if 0 < rows <= _FEW:
        return np.array([formula(row, _NUMBERS) for row in entries.T.tolist()]).T
    return np.array(formula([*entries], _ARRAYS))


def _root_and_slope(s: Sequence[Number], math: Arithmetic[Number]) -> tuple[Number, ...]:
    """Return the polynomial's largest root, its slope there and the squares of the cofactors."""
    root, determinant, _, size = _largest_root(s, math)
    return root, 4 * (root * (root * root - 1) - 2 * determinant), size


def _largest_root(
    s: Sequence[Number], math: Arithmetic[Number]
) -> tuple[Number, Number, tuple[Number, ...], Number]:
    """Return the polynomial's largest root, the determinant, the cofactors and the sum of their squares.

    The root x is the sum of the singular values, the least with the sign of the determinant. Hence ``x^2`` is
    at most ``1 + 2 sqrt(|C|^2 + 2 det x)`` and, by Cauchy's inequality, ``1 + 2 sqrt(3) |C|``: upper bounds.
    """
    a, b, c, d, e, f, g, h, i = s
    first = e * i - f * h, f * g - d * i, d * h - e * g
    second = c * h - b * i, a * i - c * g, b * g - a * h
    third = b * f - c * e, c * d - a * f, a * e - b * d
    cofactors = first + second + third
    determinant = a * cofactors[0] + b * cofactors[1] + c * cofactors[2]
    j, k, m, n, o, p, q, r, t = (cofactor * cofactor for cofactor in cofactors)
    size = j + k + m + n + o + p + q + r + t  # sum() rounds numbers otherwise than arrays
    double = 2 * determinant
    bound = math.root(1 + 2 * math.root(3 * size))
    x = math.root(1 + 2 * math.root(size + math.larger(double, 0.0) * bound))
    for _ in range(_NEWTON_STEPS):
        before, y = x, x * x - 1
        x = x - (0.25 * y * y - double * x - size) / math.larger(x * y - double, _LEAST_SLOPE / 4)
        if math.every(x == before):  # a step more would leave it there: no row feels how long others take
            break
    return x, determinant, cofactors, size


def _adjugate(s: Sequence[Number], math: Arithmetic[Number]) -> tuple[Number, ...]:
    """Return half the adjugate of ``x - K`` at the largest root: its diagonal, then what is right of it.

    The sum of the squares of the cofactors comes last.
    """
    x, determinant, cofactors, size = _largest_root(s, math)
    half = 0.5 * (x * x - 1)
    eighth = half * x - determinant  # of the slope
    a, b, c, d, e, f, g, h, i = s
    aa, bb, cc = a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + i * i
    ab, ac, bc = a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i
    first = aa * a + ab * d + ac * g, aa * b + ab * e + ac * h, aa * c + ab * f + ac * i
    second = ab * a + bb * d + bc * g, ab * b + bb * e + bc * h, ab * c + bb * f + bc * i
    third = ac * a + bc * d + cc * g, ac * b + bc * e + cc * h, ac * c + bc * f + cc * i
    cubes = first + second + third
    xx, xy, xz, yx, yy, yz, zx, zy, zz = (
        (half + 1) * entry + x * cofactor - cube
        for entry, cofactor, cube in zip(s, cofactors, cubes, strict=True)
    )
    upper = eighth + xx + yy + zz, eighth + xx - yy - zz
    lower = eighth - xx + yy - zz, eighth - xx - yy + zz
    right = yz - zy, zx - xz, xy - yx, xy + yx, zx + xz, yz + zy
    return upper + lower + right + (size,)
