# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped least squares: the residual that a step leaves and the step itself are weighed against each other.

``step = -J^T (J J^T + lambda^2 I)^-1 e``, lambda constant: much of it is calm and slow, little of it quick
but wild near singular poses; 0 is the pseudo-inverse. (In Superpose's own steps it falls with the residual.)

References: Wampler 1986 (10.1109/TSMC.1986.289285); Nakamura and Hanafusa 1986 (10.1115/1.3143764).
"""

import numpy as np

from ..geometry import Array, gram, solve_definite, vecmat
from ..problem import Problem, Residual, State
from ..settings import Settings
from .linear import Linear, linear_step


def damped_least_squares_step(
    problem: Problem, state: State, residual: Residual, settings: Settings
) -> State:
    """Return the state after one step."""
    return linear_step(problem, state, residual, settings, damped_closing)


def damped_closing(linear: Linear, settings: Settings) -> Array:
    """Return the step (batch, 3 (n + k)); lambda is ``damping_constant`` reaches."""
    normal = gram(linear.flat)
    diagonal = np.einsum("bii->bi", normal)
    diagonal += (settings.damping_constant * linear.reach[:, None]) ** 2
    return -vecmat(solve_definite(normal, linear.residual), linear.flat)
