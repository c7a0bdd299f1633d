# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip is: the poses of all frames, and what follows from them of the part that is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..model import Pose
from ..problem import Residual, State, measure, state_from_pose
from .clip import Clip
from .objective import Motion, counted, motion_of
from .windows import Part


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """The frames around a part: their ``clip``, its ``state``, ``motion`` and counted ``residual`` there."""

    clip: Clip
    state: State
    motion: Motion
    residual: Residual


@dataclass(eq=False, slots=True)
class Places:
    """A ``clip`` whose frames are in a ``pose``, and the ``parts`` in which it is worked on.

    What is looked at last is remembered: of a clip in one part nothing is made twice.
    """

    clip: Clip
    pose: Pose
    parts: Sequence[Part]
    _last: tuple[Part, Place] | None = field(default=None, init=False)

    def at(self, part: Part) -> Place:
        """Return where the frames around a part are."""
        if self._last is None or self._last[0] is not part:
            self._last = None  # before there is another
            self._last = part, _place(self.clip.rows(part.around), self.pose.rows(part.around))
        return self._last[1]

    def moved(self, pose: Pose) -> "Places":
        """Return the places in another pose."""
        return Places(self.clip, pose, self.parts)


def _place(clip: Clip, pose: Pose) -> Place:
    """Return where frames in a pose are."""
    state = state_from_pose(clip.problem, pose)
    residual = counted(clip, measure(clip.problem, state))
    return Place(clip, state, motion_of(clip, state), residual)
