# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian transpose: every joint turns as far as targets pull at it, down the gradient of the objective.

How far, all together, is for ``step_length`` to say. At 0 the length is the one that leaves least of the
residual to first order, ``<e, J J^T e> / <J J^T e, J J^T e>``.

References: Wolovich and Elliott 1984 (10.1109/CDC.1984.272258); Balestrino, De Maria and Sciavicco 1984
(10.1016/S1474-6670(17)61347-8); Buss 2004 for the length of the step.
"""

import numpy as np

from ..geometry import Array, matvec, vecmat
from ..problem import Problem, Residual, State
from ..settings import Settings
from .linear import Linear, linear_step


def transpose_step(problem: Problem, state: State, residual: Residual, settings: Settings) -> State:
    """Return the state after one step."""
    return linear_step(problem, state, residual, settings, downhill)


def downhill(linear: Linear, settings: Settings) -> Array:
    """Return the step (batch, 3 (n + k)).

    A fixed length is measured in reaches to the power of -2: a joint turns by it for a pull of one reach
    at an arm of one reach.
    """
    gradient = vecmat(linear.residual, linear.flat)
    if settings.step_length:
        return -(settings.step_length / linear.reach[:, None] ** 2) * gradient
    change = matvec(linear.flat, gradient)
    squared = np.einsum("br,br->b", change, change)
    length = np.einsum("br,br->b", linear.residual, change) / np.where(squared > 0, squared, 1.0)
    step: Array = -length[:, None] * gradient
    return step
