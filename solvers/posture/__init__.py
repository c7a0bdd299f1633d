# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How joints would rather be."""

from .comfort import Comfort, Comforts, comforts
from .one_way import OneWay, one_ways
from .pace import Pace, pace
from .twist import Twist

__all__ = [
    "Comfort",
    "Comforts",
    "OneWay",
    "Pace",
    "Twist",
    "comforts",
    "one_ways",
    "pace",
]
