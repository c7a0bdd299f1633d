# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints may not do: a file per kind, and kinds in groups."""

from .angle_ranges import clamped
from .building import ALONG
from .ellipses import boundary, from_chart, to_chart
from .eulers import angles_nearest
from .group import Group
from .groups import group_limits
from .kinds import LONGEST_CHAIN, Cones, Ellipse, EulerLimit, Hinge, upright
from .kusudama import kusudamas, slack
from .outside import angles_outside, nearest_allowed
from .protocol import Limit

__all__ = [
    "ALONG",
    "LONGEST_CHAIN",
    "Cones",
    "Ellipse",
    "EulerLimit",
    "Group",
    "Hinge",
    "Limit",
    "angles_nearest",
    "angles_outside",
    "boundary",
    "clamped",
    "from_chart",
    "group_limits",
    "kusudamas",
    "nearest_allowed",
    "slack",
    "to_chart",
    "upright",
]
