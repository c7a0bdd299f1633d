# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips: all frames as one problem, in which time has a say."""

from .changed import with_worst_sought
from .descent import Patience
from .gradual import FRAMES_AROUND, away_from, without_gradual
from .jumps import Jumps, find_jumps, find_snaps, find_sudden_turns, turns
from .solve import give_way_in_parts, solve_clip, solve_clip_in_parts

__all__ = [
    "FRAMES_AROUND",
    "Jumps",
    "Patience",
    "away_from",
    "find_jumps",
    "find_snaps",
    "find_sudden_turns",
    "give_way_in_parts",
    "solve_clip",
    "solve_clip_in_parts",
    "turns",
    "with_worst_sought",
    "without_gradual",
]
