# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeleton, goals, limits and posture as arrays: the objective, its state, and limits as an active set."""

from .active_set import LimitFaces, limit_faces, pressed_curvature, step_within
from .problem import Problem, make_problem
from .quadratic_program import pressed_faces, step_within_faces
from .state import (
    Residual,
    State,
    along_chains,
    comfortable,
    copied,
    forward_kinematics,
    local_rotations,
    measure,
    pose_from_state,
    pulls,
    residuals,
    rmsd,
    snapped,
    state_from_pose,
    turn_products,
    turned,
)

__all__ = [
    "LimitFaces",
    "Problem",
    "Residual",
    "State",
    "along_chains",
    "comfortable",
    "copied",
    "forward_kinematics",
    "limit_faces",
    "local_rotations",
    "make_problem",
    "measure",
    "pose_from_state",
    "pressed_curvature",
    "pressed_faces",
    "pulls",
    "residuals",
    "rmsd",
    "snapped",
    "state_from_pose",
    "step_within",
    "step_within_faces",
    "turn_products",
    "turned",
]
