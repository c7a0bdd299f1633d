# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls that are put where joints have to be, by whatever they move them.

Nothing is known of the rig between controls and joints: how joints move with controls is measured.
"""

from .controls import Controls, Joints, Placed, Ways, make_ways
from .fit import ARM, Fitted, fit

__all__ = [
    "ARM",
    "Controls",
    "Fitted",
    "Joints",
    "Placed",
    "Ways",
    "fit",
    "make_ways",
]
