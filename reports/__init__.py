# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How solving went: measured, put into words, and left where the panel shows it."""

from .clip import ClipReport, Timing, clip_report, clip_report_of, from_json, shown_heads, still_pins, to_json
from .clip_picture import clip_picture
from .fits import fit_lines, store_fit
from .inspection import clip_as_shown
from .led import Move, led_of
from .reasons import missed_lines
from .refusals import forget_refusal, refusal_of, refuse
from .report import (
    Report,
    of_believed,
    report_of,
    tilt_of,
    visible_distance,
    with_behind,
)
from .shown import forget, forget_pose, is_told, store, store_comparison, store_found, store_keys
from .stand import complete_stand, is_outdated, renew_stand, take_up_targets
from .viewports import redraw
from .words import (
    angle_text,
    count_text,
    doubts_text,
    jumps_text,
    keys_text,
    length_text,
    look_text,
    loop_text,
    met_text,
    miss_text,
    names_text,
    snaps_text,
    stay_text,
    still_text,
    strays_text,
    summary,
    tilt_text,
    turned_away_text,
    unlike_text,
)

__all__ = [
    "ClipReport",
    "Move",
    "Report",
    "Timing",
    "angle_text",
    "clip_as_shown",
    "clip_picture",
    "clip_report",
    "clip_report_of",
    "complete_stand",
    "count_text",
    "doubts_text",
    "fit_lines",
    "forget",
    "forget_pose",
    "forget_refusal",
    "from_json",
    "is_outdated",
    "is_told",
    "jumps_text",
    "keys_text",
    "led_of",
    "length_text",
    "look_text",
    "loop_text",
    "met_text",
    "miss_text",
    "missed_lines",
    "names_text",
    "of_believed",
    "redraw",
    "refusal_of",
    "refuse",
    "renew_stand",
    "report_of",
    "shown_heads",
    "snaps_text",
    "stay_text",
    "still_pins",
    "still_text",
    "store",
    "store_comparison",
    "store_fit",
    "store_found",
    "store_keys",
    "strays_text",
    "summary",
    "take_up_targets",
    "tilt_of",
    "tilt_text",
    "to_json",
    "turned_away_text",
    "unlike_text",
    "visible_distance",
    "with_behind",
]
