# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that share the twist of a limb, so that its skin turns little by little and not all at one joint."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Twist:
    """What a bone takes of the twist between both ends of a limb's segment.

    The segment is the bone ``first``, as a forearm, up to the joint ``last`` below it, as a hand. Its twist
    is the turn about the line from the one's head to the other's: ``at_end`` that of the last joint against
    the first bone, else that of the first bone against its parent. ``share``, 0 to 1, is the bone's part of
    it. ``carries``: the segment goes on from the bone, so twist is divided among the bones of the segment.
    Else it hangs beside the segment's end, and turns by itself against the first bone: with the last joint,
    or back. So do others that hang on it, each by its own share.
    """

    bone: str
    share: float
    first: str
    last: str
    at_end: bool = True
    carries: bool = False
