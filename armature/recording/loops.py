# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are played again and again: what leads to the first frame is what leads to the last one.

Such a clip is asked for the same at both ends, on the spot or some way on. Solved for itself it would end in
another pose than it begins in, and pop whenever it begins again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...solvers.geometry import Array, Indices, Mask
from ..frames.frame_snapshot import FrameSnapshot
from ..problem.spaces import mean_scale
from ..rig.rig import Rig
from ..setup.ranks import GRADUAL

# By so much less of the figure's extent ends are alike, and parts of matrices that are no lengths.
_ALIKE = 3e-5
# So many frames on either side are felt at the ends by less than can be seen.
AWAY = 48
# So many targets that go the same way take the body along: fewer move parts of it.
_BODY = 3
# Fewer frames are no cycle.
_FEWEST = 4
_VALUES = ("influences", "weights", "offsets", "goal_influences", "goal_values")
_PLACES = ("armature_to_world", "carriers", "targets", "goal_targets")


@dataclass(frozen=True, eq=False)
class Loop:
    """Frames that begin again after a ``period``, by then moved on.

    ``on`` (4, 4): what moves targets on by a round, in the world, with the goals (goals,) that ``go``;
    ``armature_on`` (4, 4): what moves the armature; ``body_on`` (4, 4): what the body is moved on by within
    it. ``is_carried``: bones that are not solved do that, as one for root motion.
    """

    period: int
    on: Array
    armature_on: Array
    body_on: Array
    go: Mask
    is_carried: bool

    def places(self, count: int) -> tuple[Indices, Indices]:
        """Return which of ``count`` frames comes in each place, and in which round.

        From ``AWAY`` frames before them to as many after them. The last of them may begin the next round.
        """
        rounds, rows = np.divmod(np.arange(-AWAY, count + AWAY), self.period)
        return rows, rounds

    def moved_on(self, frame: FrameSnapshot, rounds: int) -> FrameSnapshot:
        """Return the frame as it is so many rounds later, but for its channels."""
        if not rounds:
            return frame
        on, armature_on, body_on = (
            np.linalg.matrix_power(one, rounds) for one in (self.on, self.armature_on, self.body_on)
        )
        goals = np.where(self.go[:, None, None], on @ frame.goal_targets, frame.goal_targets)
        moved = {"targets": on @ frame.targets, "goal_targets": goals}
        if self.is_carried:
            moved |= {name: body_on @ getattr(frame, name) for name in ("matrices", "carriers")}
        return replace(frame, armature_to_world=armature_on @ frame.armature_to_world, **moved)

    def shifts(self, rounds: Indices) -> Array:
        """Return how far channels have moved the body on after ``rounds`` (n,): (n, 3), armature space."""
        way = np.zeros(3) if self.is_carried else self.body_on[:3, 3]
        shifts: Array = rounds[:, None] * way
        return shifts


def loop_of(rig: Rig, frames: Sequence[FrameSnapshot], after: FrameSnapshot | None) -> Loop | None:
    """Return the loop that the frames are, if they are one.

    Their last, or the one ``after`` it, is asked for what the first is; and others for something else.
    """
    names = (*_PLACES, *_VALUES)
    if len(frames) < _FEWEST or not any(_differ(frames[0], one, names) for one in frames[1:]):
        return None
    ends = (len(frames) - 1, frames[-1]), (len(frames), after)
    loops = (_loop_to(rig, frames, period, end) for period, end in ends if end is not None)
    return next((loop for loop in loops if loop is not None), None)


def _differ(one: FrameSnapshot, other: FrameSnapshot, names: Sequence[str]) -> bool:
    return any(not np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def _loop_to(rig: Rig, frames: Sequence[FrameSnapshot], period: int, end: FrameSnapshot) -> Loop | None:
    """Return the loop in which the ``end`` is the first frame again, ``period`` frames later; or none.

    Targets of bones that take no part are of no account.
    """
    part = np.array([one.position_weight + one.rotation_weight > 0 for one in rig.effectors])
    first, end = (replace(one, influences=one.influences * part) for one in (frames[0], end))
    if not all(np.allclose(getattr(first, name), getattr(end, name), atol=_ALIKE) for name in _VALUES):
        return None
    armature_on = _way(first.armature_to_world, end.armature_to_world)
    if not armature_on:
        return None
    ways = armature_on
    if not any(_differ(first, one, ("armature_to_world",)) for one in (*frames[1:], end)):
        ways += _ways_of_targets(first, end)
    loops = (_loop_on(on, armature_on[0], first, end, period) for on in ways)
    return next((loop for loop in loops if loop and _keeps_go(rig, loop, first, end)), None)


def _keeps_go(rig: Rig, loop: Loop, first: FrameSnapshot, end: FrameSnapshot) -> bool:
    """Return whether effectors whose targets do not count in full are animated alike in the first and last
    frame.

    They are asked for where they are animated to be. What gives way to others, or goes with them, does not
    count.
    """
    counts = ((one.rank, one.position_weight + one.rotation_weight) for one in rig.effectors)
    asked = [rank not in GRADUAL and weight > 0 for rank, weight in counts]
    before, after = (one.armature_to_world @ one.matrices[rig.places] for one in (first, end))
    go = _alike(first, loop.on @ before, after) | (first.influences == 1)
    return bool(go[asked].all())


def _ways_of_targets(first: FrameSnapshot, end: FrameSnapshot) -> list[Array]:
    """Return what moves a target from one frame to the other, if so many count that it moves the body."""
    counts = np.flatnonzero(first.influences)
    return _way(first.targets[counts[0]], end.targets[counts[0]]) if len(counts) >= _BODY else []


def _way(begin: Array, end: Array) -> list[Array]:
    """Return what takes one matrix (4, 4) to the other; nothing does where either has no size."""
    return [end @ np.linalg.inv(begin)] if np.linalg.det(begin) and np.linalg.det(end) else []


def _loop_on(
    on: Array, armature_on: Array, first: FrameSnapshot, end: FrameSnapshot, period: int
) -> Loop | None:
    """Return the loop that is moved ``on`` by a round, if all that counts is."""
    body_on = np.linalg.inv(end.armature_to_world) @ on @ first.armature_to_world
    is_carried = not _alike(first, first.carriers, end.carriers).all()
    if is_carried:
        is_body_moved = bool(_alike(first, body_on @ first.carriers, end.carriers).all())
    else:  # by channels, which are to move it but not to turn it
        is_body_moved = bool(np.abs(body_on[:3, :3] - np.eye(3)).max() < _ALIKE)
    go = _alike(first, on @ first.goal_targets, end.goal_targets)
    goals_go = go | _alike(first, first.goal_targets, end.goal_targets) | (first.goal_influences == 0)
    targets_go = _alike(first, on @ first.targets, end.targets) | (first.influences == 0)
    if not (is_body_moved and goals_go.all() and targets_go.all()):
        return None
    return Loop(period, on, armature_on, body_on, go, is_carried)


def _alike(frame: FrameSnapshot, one: Array, other: Array) -> Mask:
    """Return which matrices (n, 4, 4) of the frame are alike, (n,), for a figure of its size."""
    scale = mean_scale(frame.armature_to_world)
    lengths = np.array([1.0, 1.0, 1.0, max(frame.extent * scale, frame.extent)])
    alike: Mask = (np.abs(one - other) <= _ALIKE * lengths).all(axis=(-2, -1))
    return alike
