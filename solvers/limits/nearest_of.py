# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of several allowed ends a joint goes to: the nearest, but steadily."""

import numpy as np

from ..geometry import Array, Indices, Mask, norm

# Ends at most this much farther off than the nearest count as near ties. A share, not an angle: close to the
# limit the nearest end is taken, as exact steps need, and half a turn off a hand may tremble by some degrees.
NEAR_TIE = 0.1


def nearest_end(distances: Array, from_previous: Array | None = None) -> Indices:
    """Return which of the last axis is nearest; of near ties the one nearest to where the joint was before.

    ``distances`` (..., k), infinite for ends that are none; ``from_previous`` (..., k), or None where
    nothing is known.
    """
    if from_previous is not None:
        distances = np.where(_are_near(distances), from_previous, np.inf)
    nearest: Indices = np.argmin(distances, axis=-1)
    return nearest


def are_near_ties(distances: Array) -> Mask:
    """Return where (...) more than one of the last axis counts as the nearest."""
    ties: Mask = _are_near(distances).sum(axis=-1) > 1
    return ties


def _are_near(distances: Array) -> Mask:
    near: Mask = distances <= (1 + NEAR_TIE) * distances.min(axis=-1, keepdims=True)
    return near


def nearest_point(points: Array, valid: Mask, x: Array, previous: Array | None) -> Array:
    """Return the nearest of the ``valid`` unit vectors ``points`` (n, k, 3) to ``x`` (n, 3), steadily."""
    distances = np.where(valid, angles_between(points, x[:, None]), np.inf)
    steady = None if previous is None else angles_between(points, previous[:, None])
    return points[np.arange(len(points)), nearest_end(distances, steady)]


def angles_between(a: Array, b: Array) -> Array:
    """Return the angles (...) between unit vectors, exact for small ones."""
    return 2 * np.arcsin(np.minimum(0.5 * norm(a - b), 1.0))
