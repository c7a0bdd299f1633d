# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows the motion of another armature: its targets are keyed where that one's bones go."""

from .counting import let_count_alike, let_turn
from .fingers import fingers_led, key_fingers
from .keys import key_targets, show_keyed
from .lead import Lead, lead_by_roles
from .leaders import leaders, motion_ends
from .targets import targets_given
from .toes import toes_given
from .tracks import Tracks, read_tracks

__all__ = [
    "Lead",
    "Tracks",
    "fingers_led",
    "key_fingers",
    "key_targets",
    "lead_by_roles",
    "leaders",
    "let_count_alike",
    "let_turn",
    "motion_ends",
    "read_tracks",
    "show_keyed",
    "targets_given",
    "toes_given",
]
