# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation, and the deviation, of one set of points laid over another."""

from .horn import half_turns, horn_rotation
from .kabsch import kabsch_rotation
from .qcp import qcp_rmsd, qcp_rotation

__all__ = [
    "half_turns",
    "horn_rotation",
    "kabsch_rotation",
    "qcp_rmsd",
    "qcp_rotation",
]
