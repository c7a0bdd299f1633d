# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys for a clip: which are kept, where their handles are, and how far the body is from all keys.

Curves are sampled ``SUBFRAMES`` times from one key of the full clip to the next, so that what they do between
is measured too. Channels come first, then samples; poses have the batch axis, samples, first.
"""

from .curves import Curve, fitted, through
from .extremes import extremes
from .motion import Channels, Motion
from .reduction import Bound, distances_between, reduce_keys
from .spans import SUBFRAMES

__all__ = [
    "SUBFRAMES",
    "Bound",
    "Channels",
    "Curve",
    "Motion",
    "distances_between",
    "extremes",
    "fitted",
    "reduce_keys",
    "through",
]
