# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods of the field: a step each, and how steps are iterated."""

from .iteration import search_by
from .published import STEPS
from .sweeps import sweep_step

__all__ = [
    "STEPS",
    "search_by",
    "sweep_step",
]
