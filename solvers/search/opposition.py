# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps the effectors of the rows that were missed from their targets."""

import numpy as np

from ..geometry import Indices
from ..problem import Problem
from ..settings import Settings
from ..steps import SearchResult, opposed


def opposition(problem: Problem, found: SearchResult, settings: Settings) -> tuple[Indices, Indices]:
    """Return for each effector (batch, E) which goal keeps it off most, and which bone by its limit, or -1.

    Goals are counted as ``opposed`` has them. Only what is at a least can be told from: of *Superpose*, and
    not in haste.
    """
    nobody = np.full((len(found.state.heads), problem.frames.count), -1)
    goals, limits = nobody, nobody.copy()
    rows = (~found.residual.met).nonzero()[0]
    if len(rows) and settings.method == "SUPERPOSE" and settings.haste is None:
        goals[rows], limits[rows] = opposed(problem.rows(rows), found.state.rows(rows)).strongest()
    return goals, limits
