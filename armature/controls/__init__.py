# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose joints follow controls: the body that their joints are, and their controls put where it is."""

from .control_rig import ControlRig, Fit, read_control_rig
from .joints import check_has_controls
from .joints_body import body_of, control_pair, make_body, pose_as_joints, remove_body

__all__ = [
    "ControlRig",
    "Fit",
    "body_of",
    "check_has_controls",
    "control_pair",
    "make_body",
    "pose_as_joints",
    "read_control_rig",
    "remove_body",
]
