# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which steps are taken in which order, and where to begin again."""

from .descents import suits_newton
from .opposition import opposition
from .ranks import search_by_rank

__all__ = [
    "opposition",
    "search_by_rank",
    "suits_newton",
]
