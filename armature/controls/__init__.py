# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose joints follow controls: the body that their joints are, and their controls put where it is."""

from .control_rig import Apart, ControlRig, Fit, read_control_rig
from .joints import check_has_controls
from .joints_body import (
    away_from_joints,
    body_of,
    control_pair,
    control_rig_of,
    make_body,
    only_if_set_up,
    pose_as_joints,
)

__all__ = [
    "Apart",
    "ControlRig",
    "Fit",
    "away_from_joints",
    "body_of",
    "check_has_controls",
    "control_pair",
    "control_rig_of",
    "make_body",
    "only_if_set_up",
    "pose_as_joints",
    "read_control_rig",
]
