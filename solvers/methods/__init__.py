# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods of the field, each as the step that one iteration takes: ``(problem, state, miss, settings)``.

"SUPERPOSE" is no such step but a search of its own (search.py).
"""

from collections.abc import Callable

from ..problem import Problem
from ..settings import Settings
from ..state import Miss, State
from .ccd import ccd_step
from .sweeps import sweep_step

Step = Callable[[Problem, State, Miss, Settings], State]

STEPS: dict[str, Step] = {"SWEEP": sweep_step, "CCD": ccd_step}
