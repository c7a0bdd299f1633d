# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pseudo-inverse: of all steps that end at the target to first order, or nearly, the smallest.

Quick where the chain is well bent. Near singular poses, a straight chain for one, it asks for turns without
bound and the chain thrashes about.

Reference: Whitney 1969 (10.1109/TMMS.1969.299896).
"""

import numpy as np

from ..geometry import Array, matvec, vecmat
from ..problem import Problem, Residual, State
from ..settings import Settings
from .linear import Linear, linear_step


def pseudo_inverse_step(problem: Problem, state: State, residual: Residual, settings: Settings) -> State:
    """Return the state after one step."""
    return linear_step(problem, state, residual, settings, least_closing)


def least_closing(linear: Linear, _settings: Settings) -> Array:
    """Return the step (batch, 3 (n + k)), ``-J^+ e``."""
    values, vectors = linear.spectrum()
    along = vecmat(linear.residual, vectors)
    along = np.where(values > 0, along / np.where(values > 0, values, 1.0), 0.0)
    return -vecmat(matvec(vectors, along), linear.flat)
