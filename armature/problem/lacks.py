# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""By how much bones are too short, or too long, for targets that a pose misses.

Only what is certain is told, since it follows from lengths alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...solvers import Skeleton, Solution, forward
from ...solvers.geometry import Array, Mask, matvec, norm
from ...solvers.goals import points_of
from ..frames.frame_snapshot import FrameSnapshot
from ..rig.rig import Rig
from .soles import goals_of_soles
from .stacking import measured, world_lengths
from .targets import places_wanted
from .varying import weights_in

_PLAIN = 1e-9  # of what axes differ from the scene's
_NOTHING = 1e-6  # of the figure's extent


@dataclass(frozen=True)
class Lack:
    """Bones are too short by a ``length`` at least, in scene units: those between an effector and the bone
    ``end``, another effector's that stays in place or the first of its limb. Or one of them ``is_long``:
    however the others fold, it reaches past the target.
    """

    length: float
    end: str
    is_long: bool


@dataclass(frozen=True, eq=False)
class Lacks:
    """What is too short or long in a solution of ``frames``, for each effector in its own of ``rows``, or -1.

    ``stay`` (frames, effectors): which are in their places and asked to be.
    """

    rig: Rig
    frames: Sequence[FrameSnapshot]
    skeleton: Skeleton
    solution: Solution
    rows: Sequence[int]
    stay: Mask

    def to_others(self, column: int) -> Lack | None:
        """Return by how much at most bones are too short or too long for an effector while others stay."""
        row = self.rows[column]
        found = self._bodies[row].to_others(column, self.stay[row])
        return max(found, key=lambda lack: lack.length, default=None)

    def in_limb(self, column: int) -> Lack | None:
        """Return by how much an effector's limb is too short or too long while it begins where it does."""
        return next(self._bodies[self.rows[column]].in_limb(column), None)

    @cached_property
    def _bodies(self) -> "dict[int, _Body]":
        """The poses of the rows that are asked about."""
        return {row: self._body(row) for row in set(self.rows) if row >= 0}

    def _body(self, row: int) -> "_Body":
        keep = slice(row, row + 1)
        posed = forward(self.skeleton.rows(keep), self.solution.pose.rows(keep))
        return _posed(self.rig, self.frames[row], *(of[0] for of in posed))


@dataclass(frozen=True, eq=False)
class _Body:
    """A pose of a frame, in armature space: ``heads`` (bones, 3), ``points`` of effectors and where these are
    ``wanted`` (effectors, 3), and which of these places ``counts`` (effectors,) along all axes.
    """

    rig: Rig
    frame: FrameSnapshot
    heads: Array
    points: Array
    wanted: Array
    counts: Mask

    def to_others(self, column: int, stay: Mask) -> Iterator[Lack]:
        """Yield by how much the ways to others that ``stay`` are too short or long, or less than nothing."""
        way = self.rig.way_up(int(self.rig.places[column]))
        for other in np.flatnonzero(stay & self.counts & self.counts[column]).tolist():
            back = self.rig.way_up(int(self.rig.places[other]))
            if other != column and way[-1] == back[-1]:
                joints = [bone for bone in way if bone not in back]
                joints += [bone for bone in reversed(back) if bone not in way]
                links = self.points[column], *self.heads[joints], self.points[other]
                yield self._lack(column, links, self.rig.effectors[other].bone)

    def in_limb(self, column: int) -> Iterator[Lack]:
        """Yield by how much its limb is too short or long, or less than nothing; none of one of no length."""
        limb = self.rig.limb_of(column)
        links = self.points[column], *self.heads[limb]
        is_free = self.rig.parents[limb[-1]] < 0 and self.rig.free_location[limb[-1]].any()
        if self.counts[column] and not is_free and _lengths(links).sum() > _NOTHING * self.frame.extent:
            yield self._lack(column, links, self.rig.names[limb[-1]])

    def _lack(self, column: int, links: Sequence[Array], end: str) -> Lack:
        """Return by how much the way along its ``links``, points (3,), is too short for where an effector is
        wanted.

        Or too long: by how much its longest part reaches past that place, however the other parts are turned.
        """
        away, lengths = norm(self.wanted[column] - links[-1]), _lengths(links)
        short, long = away - lengths.sum(), 2 * lengths.max() - lengths.sum() - away
        beyond = np.array([max(short, long)])
        return Lack(float(world_lengths([self.frame], beyond)[0, 0]), end, bool(long > short))


def _lengths(links: Sequence[Array]) -> Array:
    """Return how long the parts of the way along points (3,) are."""
    return norm(np.diff(links, axis=0))


def _posed(rig: Rig, frame: FrameSnapshot, rotations: Array, heads: Array) -> _Body:
    """Return the pose with ``rotations`` (bones, 3, 3) and ``heads`` (bones, 3).

    Feet that hold by their soles are asked for by their balls.
    """
    before = measured(rig, [frame])
    targets = places_wanted(rig, [frame], *before)
    own, wanted = points_of(rig.effectors, targets.offsets)[0].copy(), targets.positions[0].copy()
    weights, goals = weights_in(rig, [frame])[0], goals_of_soles(rig, [frame], *before, targets)
    for sole in rig.soles:
        (ball, *_), goals = goals[: sole.count], goals[sole.count :]
        row = rig.row_of(sole.foot)
        if weights[row].all():
            own[row], wanted[row] = ball.offset, ball.positions[0]
    plain = np.abs(targets.axes[0] - np.eye(3)).max(axis=(-2, -1)) < _PLAIN
    points = heads[rig.places] + matvec(rotations[rig.places], own)
    return _Body(rig, frame, heads, points, wanted, plain & (weights[:, 0] > 0))
