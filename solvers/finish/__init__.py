# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to a pose that has been found: limbs share their twist, and slow bones come after."""

from .lagging import lagged
from .twisting import twists_beside, twists_gathered, twists_shared

__all__ = [
    "lagged",
    "twists_beside",
    "twists_gathered",
    "twists_shared",
]
