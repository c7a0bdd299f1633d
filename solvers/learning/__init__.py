# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and comfort learned from motion."""

from .learned_comforts import OUTLIERS, LearnedComfort, learn_comforts
from .learned_limits import HINGE_TOLERANCE, MARGIN, STRETCH, LearnedLimit, learn_limit, learn_limits
from .mixing import mixed_comfort

__all__ = [
    "HINGE_TOLERANCE",
    "MARGIN",
    "OUTLIERS",
    "STRETCH",
    "LearnedComfort",
    "LearnedLimit",
    "learn_comforts",
    "learn_limit",
    "learn_limits",
    "mixed_comfort",
]
