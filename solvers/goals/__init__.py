# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of the body."""

from .aim import Aim
from .animated import AnimatedGoal, check_goals
from .balance import Balance
from .effectors import Effector, Targets, check_effectors, plain_axes
from .gaps import gaps
from .plane import Plane
from .pole import Pole
from .relative_frame import RelativeFrame
from .weighed import OneSided, WeighedGoals

__all__ = [
    "Aim",
    "AnimatedGoal",
    "Balance",
    "Effector",
    "OneSided",
    "Plane",
    "Pole",
    "RelativeFrame",
    "Targets",
    "WeighedGoals",
    "check_effectors",
    "check_goals",
    "gaps",
    "plain_axes",
]
