# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded motion: what of it is not to be believed, what it may have been, and where feet stand.

Tracks are points and rotations over the frames of a clip, (frames, tracks, ...). Lengths are measured by the
figure's size and times in seconds, so that what is found depends neither on scale nor on frame rate.
"""

from .cleaning import cleaned
from .contacts import find_contacts
from .doubts import find_doubts
from .exchanges import find_exchanges
from .floor import Floor, find_floor
from .planting import Planted, led, plant, steps, unheld
from .spans import Span, mask_of, spans_of

__all__ = [
    "Floor",
    "Planted",
    "Span",
    "cleaned",
    "find_contacts",
    "find_doubts",
    "find_exchanges",
    "find_floor",
    "led",
    "mask_of",
    "plant",
    "spans_of",
    "steps",
    "unheld",
]
