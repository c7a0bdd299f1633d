# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that share the twist of a limb, so that its skin turns little by little and not all at one joint."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Twist:
    """What a bone takes of the twist between both ends of a limb's segment.

    The segment goes from the bone ``first``, such as a forearm, to the joint ``last`` below it, such as a
    hand. Its line joins their heads. Its twist is a turn about that line: with ``at_end`` the turn of the
    last joint against the first bone, else the turn of the first bone against its parent. ``share``, 0 to 1,
    is the part of it that the bone takes.

    ``carries``: whether the segment goes on from the bone. Then the bones of the segment divide the twist
    among them. Else the bone hangs beside the segment's end and turns by itself against the first bone: with
    the last joint, or back. Bones that hang on such a bone do the same, each by its own share.
    """

    bone: str
    share: float
    first: str
    last: str
    at_end: bool = True
    carries: bool = False
