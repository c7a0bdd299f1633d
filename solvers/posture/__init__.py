# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How joints would rather be."""

from .comfort import Comfort, Comforts, comforts
from .pace import Pace, pace
from .twist import Twist

__all__ = [
    "Comfort",
    "Comforts",
    "Pace",
    "Twist",
    "comforts",
    "pace",
]
