# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the joints and roots of a clip accelerate.

    S = sum_b D_b sum_f |v_f - v_f-1|^2          v_f = log(L_f^T L_f+1)

with the rotation vector of a joint's turn from frame to frame, which is the same seen from either; of roots
the translations' second differences. The other way round in time it is the same. Long bones weigh more: what
they carry goes farther.
"""

import numpy as np

from ..geometry import (
    Array,
    matrix_to_quaternion,
    quaternion_to_rotation_vector,
    rotation_vector_rates,
    vecmat,
)


def velocities(local: Array) -> Array:
    """Return the turns (frames - 1, n, 3) from frame to frame of local rotations (frames, n, 3, 3)."""
    between = np.swapaxes(local[:-1], -1, -2) @ local[1:]
    return quaternion_to_rotation_vector(matrix_to_quaternion(between))


def change_costs(weights: Array, velocity: Array) -> Array:
    """Return half the weighted squares (frames,) of how velocities (frames - 1, n, 3) change there."""
    costs = np.zeros(len(velocity) + 1)
    changes = np.diff(velocity, axis=0)
    costs[1 : len(changes) + 1] = 0.5 * np.einsum("n,fni,fni->f", weights, changes, changes)
    return costs


def change_slopes(velocity: Array) -> Array:
    """Return the derivatives (frames, n, 3), per weight, of the cost by turns in the bones' own frames."""
    changes = np.zeros((len(velocity) + 1, *velocity.shape[1:]))
    changes[1:-1] = np.diff(velocity, axis=0)
    pull, rates = changes[:-1] - changes[1:], rotation_vector_rates(velocity)
    slopes = np.zeros_like(changes)
    slopes[1:] += vecmat(pull, rates)
    slopes[:-1] -= vecmat(pull, np.swapaxes(rates, -1, -2))
    return slopes


def shift_slopes(shifts: Array) -> Array:
    """Return the same derivatives (frames, k, 3) by translations (frames, k, 3)."""
    changes, slopes = np.diff(shifts, 2, axis=0), np.zeros_like(shifts)
    for frame, share in enumerate((1.0, -2.0, 1.0)):
        slopes[frame : frame + len(changes)] += share * changes
    return slopes
