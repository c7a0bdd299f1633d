# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is solved: bones, how they hang together, and their pose."""

from .frozen import frozen
from .joints_at_limits import joints_at_limits
from .kinematics import IDENTITY_QUATERNION, carried_on, forward, rest_pose
from .limb_twists import LimbTwist, gone_with_limbs, limb_twists
from .pose import Pose, chosen_poses, joined_poses, replaced_poses
from .shifts import Shifts
from .skeleton import LEFT_OUT, LONGEST, Skeleton
from .tree import Tree, plan

__all__ = [
    "IDENTITY_QUATERNION",
    "LEFT_OUT",
    "LONGEST",
    "LimbTwist",
    "Pose",
    "Shifts",
    "Skeleton",
    "Tree",
    "carried_on",
    "chosen_poses",
    "forward",
    "frozen",
    "gone_with_limbs",
    "joined_poses",
    "joints_at_limits",
    "limb_twists",
    "plan",
    "replaced_poses",
    "rest_pose",
]
