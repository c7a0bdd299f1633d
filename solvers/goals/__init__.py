# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of the body."""

from .aim import Aim
from .animated import AnimatedGoal
from .balance import Balance
from .effectors import Effector, Targets, check_effectors, plain_axes, points_of, weights_of
from .effectors_left import effectors_left
from .frame_goals import FrameGoals, frame_goals
from .groups import check_goals, frames_of, group_goals, order_of
from .held import HeldGoals, pressed_goals
from .hull import hull
from .left import goals_left
from .place import Place
from .plane import Plane
from .pole import Pole
from .protocol import Frame, Goal, GoalGroup
from .relative_frame import RelativeFrame
from .weighed import OneSided, WeighedGoals

__all__ = [
    "Aim",
    "AnimatedGoal",
    "Balance",
    "Effector",
    "Frame",
    "FrameGoals",
    "Goal",
    "GoalGroup",
    "HeldGoals",
    "OneSided",
    "Place",
    "Plane",
    "Pole",
    "RelativeFrame",
    "Targets",
    "WeighedGoals",
    "check_effectors",
    "check_goals",
    "effectors_left",
    "frame_goals",
    "frames_of",
    "goals_left",
    "group_goals",
    "hull",
    "order_of",
    "plain_axes",
    "points_of",
    "pressed_goals",
    "weights_of",
]
