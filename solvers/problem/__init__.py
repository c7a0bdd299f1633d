# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeleton, goals, limits and posture as arrays: the objective, its state, and limits as an active set."""

from .active_set import TOUCH, LimitFaces, limit_faces, pressed_curvature, step_within
from .jacobian import goal_loads, goal_rows, jacobian, loads, rows_felt
from .prepared import LENGTH_EXPONENT, Prepared, make_problem, prepare
from .problem import Held, Problem
from .quadratic_program import pressed_faces, step_within_faces
from .ranks import (
    count_of_ranks,
    is_first,
    lowering,
    of_ranks,
    pressed,
    ranks_of,
    rows_of_ranks,
    weighed_by_rank,
    where_reached,
)
from .residual import (
    Residual,
    copied,
    goal_residuals,
    held_goals,
    held_where_missed,
    inequalities,
    looked_at,
    measure,
    refuse_start,
    residuals,
    rmsd,
)
from .state import (
    State,
    along_chains,
    comfortable,
    forward_kinematics,
    local_rotations,
    pose_from_state,
    snapped,
    state_from_pose,
    turned,
)

__all__ = [
    "LENGTH_EXPONENT",
    "TOUCH",
    "Held",
    "LimitFaces",
    "Prepared",
    "Problem",
    "Residual",
    "State",
    "along_chains",
    "comfortable",
    "copied",
    "count_of_ranks",
    "forward_kinematics",
    "goal_loads",
    "goal_residuals",
    "goal_rows",
    "held_goals",
    "held_where_missed",
    "inequalities",
    "is_first",
    "jacobian",
    "limit_faces",
    "loads",
    "local_rotations",
    "looked_at",
    "lowering",
    "make_problem",
    "measure",
    "of_ranks",
    "pose_from_state",
    "prepare",
    "pressed",
    "pressed_curvature",
    "pressed_faces",
    "ranks_of",
    "refuse_start",
    "residuals",
    "rmsd",
    "rows_felt",
    "rows_of_ranks",
    "snapped",
    "state_from_pose",
    "step_within",
    "step_within_faces",
    "turned",
    "weighed_by_rank",
    "where_reached",
]
