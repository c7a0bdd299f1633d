# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded motion: what of it is not to be believed, and what it may have been.

Tracks are points and rotations over the frames of a clip, (frames, tracks, ...). Lengths are measured by the
figure's size and times in seconds, so that what is found depends neither on scale nor on frame rate.
"""

from .cleaning import cleaned
from .doubts import find_doubts
from .spans import Span, mask_of, spans_of

__all__ = ["Span", "cleaned", "find_doubts", "mask_of", "spans_of"]
