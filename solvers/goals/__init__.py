# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of the body."""

from .aim import Aim
from .balance import Balance
from .effectors import Effector, Targets, check_effectors, plain_axes
from .gaps import gaps
from .goal import Goal, check_goals
from .group import GoalGroup, OneSided
from .plane import Plane
from .pole import Pole
from .relative_frame import RelativeFrame

__all__ = [
    "Aim",
    "Balance",
    "Effector",
    "Goal",
    "GoalGroup",
    "OneSided",
    "Plane",
    "Pole",
    "RelativeFrame",
    "Targets",
    "check_effectors",
    "check_goals",
    "gaps",
    "plain_axes",
]
