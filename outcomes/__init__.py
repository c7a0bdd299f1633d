# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How solving went: measured, put into words, and left where the panel shows it."""

from .outcome import VISIBLE_TURN, Outcome, outcome_of, visible_gap
from .refusals import refusal_of, refuse
from .shown import forget, store, store_comparison
from .stand import complete_stand, is_outdated
from .words import gap_text, jumps_text, missed_text, names_text, strays_text, summary

__all__ = [
    "VISIBLE_TURN",
    "Outcome",
    "complete_stand",
    "forget",
    "gap_text",
    "is_outdated",
    "jumps_text",
    "missed_text",
    "names_text",
    "outcome_of",
    "refusal_of",
    "refuse",
    "store",
    "store_comparison",
    "strays_text",
    "summary",
    "visible_gap",
]
