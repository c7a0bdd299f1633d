# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake asks of a clip, and what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...armature import FrameSnapshot, Rig
from ...armature.recording.followed import Followed
from ...armature.recording.loops import Loop
from ...solvers import Goal, Request, Solution
from ...solvers.geometry import Array, Mask
from .take import Take


@dataclass(frozen=True, eq=False)
class AskedClip:
    """What is asked of the frames that a bake solves.

    - ``take``: these frames; ``rate``: how many there are in a second
    - ``follows``: the targets that they follow
    - ``request``: what the solver is asked
    - ``held``: what holds contacts, its last goals; ``apart``: how far limbs step within a contact at most
    - ``loose`` (frames, effectors): where they move too fast in one to be held
    """

    rig: Rig
    take: Take
    follows: Followed
    request: Request
    held: tuple[Goal, ...]
    apart: float
    loose: Mask
    rate: float


@dataclass(frozen=True, eq=False)
class SolvedClip:
    """What was found of the frames that are baked, which are fewer than were solved.

    - ``rig``, ``request`` and ``solution``: as it was found, at last
    - ``read``: the frames as they were read; ``marks`` (frames, 3, effectors): see ``Take``
    - ``follows``: the targets that they follow; ``held``, ``apart`` and ``loose``: see ``AskedClip``
    - ``outside``: in which frame bones that are not solved are first outside their limits
    - ``loop``: how the clip goes round; None if it does not
    - ``digests``: of what was asked; ``off`` (frames,): how far off that is, characteristic lengths
    """

    rig: Rig
    request: Request
    solution: Solution
    read: Sequence[FrameSnapshot]
    marks: Mask
    follows: Followed
    held: tuple[Goal, ...]
    apart: float
    loose: Mask
    outside: dict[str, int]
    loop: Loop | None
    digests: Sequence[str]
    off: Array

    @property
    def frames(self) -> Sequence[FrameSnapshot]:
        """The frames with the targets that they follow."""
        return self.follows.frames
