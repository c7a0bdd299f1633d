# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How joints would rather be."""

from .comfort import Comfort, Comforts, comforts
from .drawing import Drawing
from .one_way import OneWay, one_ways
from .pace import Pace, pace
from .ties import MOST_TIES, counted
from .twist import Twist

__all__ = [
    "MOST_TIES",
    "Comfort",
    "Comforts",
    "Drawing",
    "OneWay",
    "Pace",
    "Twist",
    "comforts",
    "counted",
    "one_ways",
    "pace",
]
