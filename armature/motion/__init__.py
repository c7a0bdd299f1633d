# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows the motion of another armature: its targets are keyed where that one's bones go."""

from .following import Choices, Following, following
from .leaders import leaders, motion_ends
from .rest import scale_left_aside
from .tracks import Tracks

__all__ = [
    "Choices",
    "Following",
    "Tracks",
    "following",
    "leaders",
    "motion_ends",
    "scale_left_aside",
]
