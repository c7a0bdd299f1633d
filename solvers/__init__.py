# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Full-body inverse kinematics in pure numpy: say where effectors should be, get the pose.

Values in, values out: nothing here knows of Blender. Column vectors, right-handed, radians, quaternions
``wxyz``, float64, and the batch axis first, always. See docs/scripting.md for examples.
"""

from .clip import (
    Jumps,
    Patience,
    find_jumps,
    give_way_in_parts,
    solve_clip,
    solve_clip_in_parts,
    without_gradual,
)
from .errors import (
    ComfortError,
    EffectorError,
    GoalError,
    LimitError,
    SettingsError,
    SkeletonError,
    SolverError,
)
from .finish import twists_beside, twists_gathered
from .goals import Aim, Balance, Effector, Goal, GoalGroup, Place, Plane, Pole, RelativeFrame, Targets
from .kept import is_met, kept_if_met, solve_kept
from .learning import LearnedComfort, LearnedLimit, learn_comforts, learn_limit, learn_limits
from .limits import Cones, Ellipse, EulerLimit, Hinge
from .model import Pose, Skeleton, forward, joints_at_limits, rest_pose
from .posture import Comfort, OneWay, Twist
from .problem import Prepared, prepare, with_prepared
from .request import Request
from .settings import METHODS, PARAMETERS, UNSUPPORTED, Haste, Settings
from .solve import (
    Solution,
    has_springs,
    in_pose,
    solve,
    solve_in_parts,
    unsought,
    with_lag,
    with_opposition_told,
    with_shared_twists,
)
from .superposition import horn_rotation, qcp_rmsd, qcp_rotation

__all__ = [
    "METHODS",
    "PARAMETERS",
    "UNSUPPORTED",
    "Aim",
    "Balance",
    "Comfort",
    "ComfortError",
    "Cones",
    "Effector",
    "EffectorError",
    "Ellipse",
    "EulerLimit",
    "Goal",
    "GoalError",
    "GoalGroup",
    "Haste",
    "Hinge",
    "Jumps",
    "LearnedComfort",
    "LearnedLimit",
    "LimitError",
    "OneWay",
    "Patience",
    "Place",
    "Plane",
    "Pole",
    "Pose",
    "Prepared",
    "RelativeFrame",
    "Request",
    "Settings",
    "SettingsError",
    "Skeleton",
    "SkeletonError",
    "Solution",
    "SolverError",
    "Targets",
    "Twist",
    "find_jumps",
    "forward",
    "give_way_in_parts",
    "has_springs",
    "horn_rotation",
    "in_pose",
    "is_met",
    "joints_at_limits",
    "kept_if_met",
    "learn_comforts",
    "learn_limit",
    "learn_limits",
    "prepare",
    "qcp_rmsd",
    "qcp_rotation",
    "rest_pose",
    "solve",
    "solve_clip",
    "solve_clip_in_parts",
    "solve_in_parts",
    "solve_kept",
    "twists_beside",
    "twists_gathered",
    "unsought",
    "with_lag",
    "with_opposition_told",
    "with_prepared",
    "with_shared_twists",
    "without_gradual",
]
