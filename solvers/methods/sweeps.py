# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps of superpositions and nothing else, as published (steps/sweep.py).

Reference: E. Gjoni, Everything Will Be IK (github.com/EGjoni/Everything-Will-Be-IK).
"""

from ..problem import Problem, Residual, State
from ..settings import Settings
from ..steps import sweep
from ..superposition import kabsch_rotation, qcp_rotation

KERNELS = {"QCP": qcp_rotation, "KABSCH": kabsch_rotation}


def sweep_step(problem: Problem, state: State, _miss: Residual, settings: Settings) -> State:
    """Return the state after one sweep."""
    largest = settings.dampening * problem.mobility
    return sweep(problem, state, largest, settings.stabilisation, KERNELS[settings.kernel])
