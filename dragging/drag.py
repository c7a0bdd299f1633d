# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets on the move, measured from the pose where that began, in the time that there is.

The pose depends on where the targets are, and hardly on the way that they came. Once they are back where they
began, the body is as it was, and pins have not crept.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

from ..armature import FrameSnapshot
from ..solvers import Pose
from ..solvers.geometry import Array
from ..solvers.pauses import Pausing, finished, finished_within, told_if_late
from .body import Body
from .following import MOVING, RESTING
from .found import Found
from .resting import another_way, at_rest, best

# Seconds that a move may take for the window to be drawn 60 times in each.
FRAME = 1 / 60
# After so many times its seconds a move leaves its most important part as it is, too.
_PATIENCE = 4
# Another way was in vain with what is moved so far from where it began. It is tried again only nearer than
# this share of that, and only where a move misses by more than the one before.
_NEARER = 0.9


@dataclass(eq=False)
class Drag(Body):
    """A body that follows what is moved from one move to the next.

    - ``in_vain``: how far what is moved was at most since another way has not helped; 0 if it may help
    - ``is_late``: the last move took more than its time, and misses
    - ``resting``: the work on the pose at rest, if it was begun since the last move
    - ``rested``: the pose at rest, once it is found
    - ``caught_up``: a pose found at rest that has not been shown yet
    """

    in_vain: float = field(default=0.0, init=False)
    is_late: bool = field(default=False, init=False)
    resting: Pausing[Found] | None = field(default=None, init=False)
    caught_up: Found | None = field(default=None, init=False)
    rested: Found | None = field(default=None, init=False)

    def move(self, places: Mapping[int, Array], seconds: float = inf) -> Found:
        """Return the pose that has effectors at ``places``: target to world (4, 4) by row, counted in full.

        All else is asked to be as where the drag began. The pose is found as ``follow`` does. Raises RigError
        or SolverError.
        """
        return self.follow(self._asked_at(places), seconds, spare=seconds)

    def follow(self, asked: FrameSnapshot, seconds: float = inf, spare: float = 0.0) -> Found:
        """Return the pose for the targets of the frame that is ``asked``, for a move that others will follow.

        It is found in haste: after so many ``seconds`` the pose that there is has to do. If it misses sooner
        than after ``spare`` seconds, or hips would stay over straight legs, another way is tried, a part of
        the way at a time; but not if that was in vain before. Raises RigError or SolverError.
        """
        end, before = monotonic() + spare, self.missed
        found = self.solve(asked, in_haste=True, seconds=seconds)
        away = float(self.begun.away(self.request.targets).max(initial=0.0))
        if not self.is_missed(found):
            self.in_vain = 0.0
        elif self.in_vain and (away > _NEARER * self.in_vain or self.missed <= before):
            self.in_vain = max(self.in_vain, away)
        elif monotonic() < end or self.is_over_limbs:
            other = finished(another_way(self, asked, found))
            self.in_vain, found = away if other is found else 0.0, other
        return found

    def put(self, places: Mapping[int, Array]) -> Found:
        """Return the best pose for ``places``, given as to ``move``, to which no moves lead: it is at rest.

        Raises RigError or SolverError.
        """
        self.rested = self.solve(self._asked_at(places))
        return self.rested

    def solve(self, frame: FrameSnapshot, in_haste: bool = False, seconds: float = inf) -> Found:
        """Return the pose for the frame's targets, with the armature object where the frame has it.

        ``in_haste``: in few steps and without other starts, for a move that others will follow. After so many
        ``seconds`` the pose that there is has to do. Raises RigError or SolverError.
        """
        self.resting = self.caught_up = self.rested = None
        paced = self.paced[MOVING]
        work = self.solving(frame, paced, in_stages=True) if in_haste else best(self, frame)
        now = monotonic()
        found = told_if_late(work, now + seconds, now + _PATIENCE * seconds)
        self.is_late = monotonic() > now + seconds and self.is_missed(found)
        return found

    def rest(self, seconds: float = inf) -> Found | None:
        """Return the pose at rest for what was asked last (see ``at_rest``), which is found once.

        None if that takes more ``seconds``; the next call goes on with it. After a move that was late, its
        pose is found to the end first, to be shown meanwhile. Raises RigError or SolverError.
        """
        if self.rested is None:
            work, self.resting = self.resting or self._resting(), None
            self.rested = finished_within(work, seconds)
            self.resting, self.caught_up = (work, self.caught_up) if self.rested is None else (None, None)
        return self.rested

    def _resting(self) -> Pausing[Found]:
        """Return the pose that ``rest`` does."""
        if self.is_late:
            self.caught_up = yield from self.solving(self.asked, self.paced[RESTING])
        apart = copy(self)
        found = yield from at_rest(apart, self.asked, self._come_to)
        self.pose = apart.pose
        return found

    def _come_to(self, found: Found, pose: Pose) -> None:
        """Have what is found at rest be shown, and the next move begin there."""
        self.caught_up, self.pose = found, pose

    def _asked_at(self, places: Mapping[int, Array]) -> FrameSnapshot:
        """Return the frame in which effectors are asked to be at ``places``, given as to ``move``."""
        rows = list(places)
        targets, influences = self.begin.targets.copy(), self.begin.influences.copy()
        targets[rows], influences[rows] = [places[row] for row in rows], 1.0
        return replace(self.begin, targets=targets, influences=influences)
