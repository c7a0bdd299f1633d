# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is solved: bones, how they hang together, and their pose."""

from .joints_at_limits import joints_at_limits
from .shifts import Shifts
from .skeleton import (
    IDENTITY_QUATERNION,
    LEFT_OUT,
    LONGEST,
    Pose,
    Skeleton,
    carried_on,
    chosen_poses,
    forward,
    frozen,
    joined_poses,
    rest_pose,
)
from .tree import Tree, plan

__all__ = [
    "IDENTITY_QUATERNION",
    "LEFT_OUT",
    "LONGEST",
    "Pose",
    "Shifts",
    "Skeleton",
    "Tree",
    "carried_on",
    "chosen_poses",
    "forward",
    "frozen",
    "joined_poses",
    "joints_at_limits",
    "plan",
    "rest_pose",
]
