# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods of the field, each as the step that one iteration takes.

A step is a function of problem, state, residual and settings.
"SUPERPOSE" is no such step but a search of its own (search.py).
"""

from collections.abc import Callable

from ..problem import Problem, Residual, State
from ..settings import Settings
from .ccd import ccd_step
from .damped_least_squares import damped_least_squares_step
from .fabrik import fabrik_step
from .pseudo_inverse import pseudo_inverse_step
from .selectively_damped import selectively_damped_step
from .sweeps import sweep_step
from .transpose import transpose_step

Step = Callable[[Problem, State, Residual, Settings], State]

STEPS: dict[str, Step] = {
    "SWEEP": sweep_step,
    "CCD": ccd_step,
    "FABRIK": fabrik_step,
    "TRANSPOSE": transpose_step,
    "PSEUDO_INVERSE": pseudo_inverse_step,
    "DLS": damped_least_squares_step,
    "SDLS": selectively_damped_step,
}
