# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the joints and roots of a clip accelerate.

    S = sum_b sum_f r(D_b |v_f - v_f-1|^2)          v_f = log(L_f^T L_f+1)

with the rotation vector of a joint's turn from frame to frame, which is the same seen from either; of roots
the translations' second differences. The other way round in time it is the same. Long bones weigh more: what
they carry goes farther. ``r`` (proportion.py) leaves small changes as they are, so that quick motion is not
taken for noise.
"""

import numpy as np

from ..geometry import (
    Array,
    matrix_to_quaternion,
    norm,
    quaternion_to_rotation_vector,
    rotation_vector_rates,
    vecmat,
)
from .proportion import costs_of, trust_in


def velocities(local: Array) -> Array:
    """Return the turns (frames - 1, n, 3) from frame to frame of local rotations (frames, n, 3, 3)."""
    between = np.swapaxes(local[:-1], -1, -2) @ local[1:]
    return quaternion_to_rotation_vector(matrix_to_quaternion(between))


def changes_of(velocity: Array) -> Array:
    """Return how velocities (frames - 1, n, 3) change in each frame, (frames, n, 3); not in the outermost."""
    changes = np.zeros((len(velocity) + 1, *velocity.shape[1:]))
    changes[1:-1] = np.diff(velocity, axis=0)
    return changes


def believed(weights: Array, changes: Array, most: float) -> Array:
    """Return the weights (frames, n) of changes (frames, n, 3), less where they are more than ``most``.

    ``weights`` (n,); ``most``: standard deviations.
    """
    believed: Array = weights * trust_in(np.sqrt(weights) * norm(changes), most)
    return believed


def change_costs(weights: Array, changes: Array, most: float) -> Array:
    """Return what the changes (frames, n, 3) cost, (frames,)."""
    costs: Array = costs_of(np.sqrt(weights) * norm(changes), most).sum(axis=1)
    return costs


def change_slopes(velocity: Array, pulls: Array) -> Array:
    """Return derivatives (frames, n, 3) by turns in the bones' own frames.

    ``pulls`` (frames, n, 3): those by the changes of velocities (frames - 1, n, 3).
    """
    pull, rates = pulls[:-1] - pulls[1:], rotation_vector_rates(velocity)
    slopes = np.zeros_like(pulls)
    slopes[1:] += vecmat(pull, rates)
    slopes[:-1] -= vecmat(pull, np.swapaxes(rates, -1, -2))
    return slopes


def shift_slopes(pulls: Array) -> Array:
    """Return the same derivatives (frames, k, 3) by translations."""
    slopes = -2.0 * pulls
    slopes[:-1] += pulls[1:]
    slopes[1:] += pulls[:-1]
    return slopes
