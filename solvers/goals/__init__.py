# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of the body."""

from .effectors import Effector, Targets, check_effectors, plain_axes
from .gaps import gaps

__all__ = [
    "Effector",
    "Targets",
    "check_effectors",
    "gaps",
    "plain_axes",
]
