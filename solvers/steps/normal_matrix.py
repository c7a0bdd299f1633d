# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Products of Jacobians of many effectors, most of which is zero.

Two effectors share only the bones above both. Bones come after their parents, so what one shares with any
other ends at its own bone; and the product is symmetric. That leaves a sixth of the work.
"""

import numpy as np

from ..geometry import Array, Indices, product

_AT_ONCE = 32  # effectors; fewer are not worth a division


def normal_matrix(left: Array, right: Array, bones: Indices, rows: int, roots: int) -> Array:
    """Return ``left right`` (batch, r, r), which is symmetric: ``rows`` for each of E effectors, then others.

    ``left`` (batch, r, 3 (n + k)), ``right`` (batch, 3 (n + k), r): vectors of n bones, then of k ``roots``.
    ``bones`` (E,): how many bones come no later than each effector's own; what is beyond is zero.
    """
    if len(bones) <= _AT_ONCE:
        return product(left, right)
    normal = product(left[..., -3 * roots :], right[:, -3 * roots :])
    for first in range(0, len(bones), _AT_ONCE):
        some = bones[first : first + _AT_ONCE]
        chosen = slice(rows * first, rows * (first + len(some)))
        end = 3 * some.max()
        part = product(left[:, chosen, :end], right[:, :end, chosen.start :])
        normal[:, chosen, chosen.start :] += part
        normal[:, chosen.stop :, chosen] += np.swapaxes(part[..., chosen.stop - chosen.start :], -1, -2)
    others = slice(rows * len(bones), None)
    normal[:, others, others] += product(left[:, others, : -3 * roots], right[:, : -3 * roots, others])
    return normal
