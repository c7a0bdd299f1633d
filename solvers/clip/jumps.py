# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a solved clip jumps from one way of meeting its targets to another.

How far a bone turns says nothing by itself: motion may be fast. What tells is going on from the pose of the
frame before, in steps to targets between, as they would be in a clip of more frames. If that comes as near to
the targets by far less of a turn, they asked for no more; what comfort asks for does not count.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from math import radians

import numpy as np

from ..geometry import Array, Indices, Mask, normalised, slerp
from ..goals import Targets
from ..model import Pose, carried_on
from ..pauses import Pausing, quiet, telling
from ..problem import with_prepared
from ..request import Request
from ..settings import Haste
from ..solve import UNSEEN, Solution, solve_in_parts
from .nearness import as_near

# A jump turns a bone by so much more, in radians, and so many times as far, as going on from before does.
# Of clips read ten times a second swings of 30 degrees may differ by as much, but not by both.
EXCESS, TIMES = radians(30), 2.0
# A sudden turn turns a bone by so much more, in radians, than the start poses do, and so many times as far as
# it turns before and after: quick motion is quick for longer. In clips of people that are read 24 times a
# second, arms that are flung are quick for one frame, by up to 40 degrees.
_SUDDEN, _ALONE = radians(60), 3.0
# A snap changes how fast a bone turns by so many radians a frame, before and after, so many frames at most
# from where targets begin or cease to be missed.
_SNAP, _NEAR_EDGE = radians(10), 3
# Two poses are as near to targets that both miss if their distances differ by less than this part.
_AS_NEAR = 1e-3
# Steps from frame to frame: a single long one may end on another way of meeting the targets by itself.
_STEPS = 4
# Rows that are gone on into at a time.
_AT_ONCE = 128
# Rows whose turns are measured at a time.
_TURNED = 1024


@dataclass(frozen=True, eq=False)
class Jumps:
    """The ``rows`` (jumps,) whose pose jumps away from that of the row before, in ascending order.

    ``bones`` (jumps,): the index of the bone that jumps farthest there; ``angles`` (jumps,): by how many
    radians it turns.
    """

    rows: Indices
    bones: Indices
    angles: Array

    def among(self, rows: slice) -> "Jumps":
        """Return those of consecutive rows, counted from their first."""
        keep = (rows.start <= self.rows) & (self.rows < rows.stop)
        return Jumps(self.rows[keep] - rows.start, self.bones[keep], self.angles[keep])


def find_jumps(
    request: Request, solution: Solution, among: Mask | None = None
) -> Generator[int, int | None, Jumps]:
    """Return where the ``solution`` of a request jumps from frame to frame, however it was solved.

    Rows are the frames of a clip. A turn that the start poses make themselves is no jump. ``among``
    (frames,): the frames to look at, if not all. Frames that turn far are solved again, step by step, unless
    the solution says what was seen of them before. Like ``solve_in_parts`` this gives the rows done so far
    after every step. Raises SkeletonError for a solution of something else.
    """
    request.check_rows(solution.pose)
    pose = request.pose
    all_turned = turns_between_rows(solution.pose)
    far = all_turned - turns_between_rows(pose) > EXCESS
    if among is not None:
        far &= among[1:, None]
    far &= solution.jumped_by[1:, None] == UNSEEN
    rows = np.flatnonzero(far.any(axis=1)) + 1
    turned, far = all_turned[rows - 1], far[rows - 1]
    needed = np.zeros_like(turned)
    for first in range(0, len(rows), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        work = _needed(request, solution, rows[some], np.where(far[some], turned[some], 0.0))
        needed[some] = yield from telling(work, first)
        yield min(first + _AT_ONCE, len(rows))
    far &= _is_far_less(needed, turned)
    jumping = far.any(axis=1)
    jumped_by = solution.jumped_by if among is None else np.where(among, solution.jumped_by, UNSEEN)
    jumped_by = np.append(UNSEEN, jumped_by[1:])
    jumped_by[rows[jumping]] = np.argmax(np.where(far, turned - needed, -1.0), axis=1)[jumping]
    rows = np.flatnonzero(jumped_by >= 0)
    bones = jumped_by[rows]
    return Jumps(rows, bones, all_turned[rows - 1, bones])


def find_sudden_turns(start: Pose, pose: Pose, jumps: Jumps) -> Jumps:
    """Return where bones of a clip's ``pose`` turn far at once, though no other way comes as near: a target
    is cut, or a joint is at its end and another way of meeting the targets is the only one left.

    Neither what the ``start`` poses turn themselves counts, nor the rows that are ``jumps``.
    """
    if len(pose) < 3:
        return Jumps(np.arange(0), np.arange(0), np.zeros(0))
    turned = turns_between_rows(pose)
    beside = np.concatenate([turned[1:2], np.maximum(turned[:-2], turned[2:]), turned[-2:-1]])
    far = (turned - turns_between_rows(start) > _SUDDEN) & (turned > _ALONE * beside)
    far[jumps.rows - 1] = False
    rows = np.flatnonzero(far.any(axis=1))
    bones = np.where(far, turned, -1.0)[rows].argmax(axis=1)
    return Jumps(rows + 1, bones, turned[rows, bones])


def find_snaps(start: Pose, pose: Pose, missed: Mask) -> Jumps:
    """Return where bones of a clip's ``pose`` turn quickly for a moment beside frames that are ``missed``.

    ``missed`` (frames,): those that miss what can be seen. Where targets come back into reach, straight limbs
    bend at a speed without end. What the ``start`` poses turn themselves does not count.
    """
    rows = np.flatnonzero(np.diff(missed)) + 1
    if not len(rows):
        return Jumps(np.arange(0), np.arange(0), np.zeros(0))
    turned = turns_between_rows(pose)
    more = np.pad(turned - turns_between_rows(start), ((1, 1), (0, 0)), mode="edge")
    snaps = more[1:-1] - np.minimum(more[:-2], more[2:])
    near = np.abs(np.arange(1, len(missed))[:, None] - rows).min(axis=1) <= _NEAR_EDGE
    found = np.flatnonzero(near & (snaps > _SNAP).any(axis=1))
    bones = snaps[found].argmax(axis=1)
    return Jumps(found + 1, bones, turned[found, bones])


def joined_jumps(parts: Sequence[Jumps]) -> Jumps:
    """Return the jumps of ascending parts as one."""
    rows, bones, angles = zip(*((part.rows, part.bones, part.angles) for part in parts), strict=True)
    return Jumps(np.concatenate(rows), np.concatenate(bones), np.concatenate(angles))


def with_jumps(solution: Solution, jumps: Jumps) -> Solution:
    """Return the solution that says where it jumps: ``jumps`` are all of them."""
    jumped_by = np.full_like(solution.jumped_by, -1)
    jumped_by[:1] = UNSEEN  # what comes before it is not known
    jumped_by[jumps.rows] = jumps.bones
    return replace(solution, jumped_by=jumped_by)


def _is_far_less(needed: Array, turned: Array) -> Mask:
    """Return which of the turns that were made are jumps, by what was needed."""
    is_far_less: Mask = (turned - needed > EXCESS) & (turned > TIMES * needed)
    return is_far_less


def _needed(request: Request, solution: Solution, rows: Indices, turned: Array) -> Pausing[Array]:
    """Return the turns (rows, bones) that go on into ``rows`` from the rows before, by targets between.

    Without end where that comes less near than the solution. Few steps go there, those to targets between in
    haste; more only where that would tell: where the bones have ``turned`` (rows, bones) far more.
    """
    own = with_prepared(request.rows(rows).without_comfort())
    here = start = carried_on(own.skeleton, solution.pose.rows(rows - 1), own.pose)
    quick = own.in_few_steps()
    hasty = replace(quick, settings=replace(quick.settings, haste=Haste()))
    for step in range(_STEPS + 1):
        share = step / _STEPS
        targets = _between(request.targets, rows, share)
        goals = tuple(goal.rows(rows - 1 + round(share)) for goal in request.goals)
        on_the_way = replace(hasty if share < 1 else quick, pose=here, targets=targets, goals=goals)
        found = yield from quiet(solve_in_parts(on_the_way, follows=step > 0))
        here = found.pose
    there = solution.rows(rows)
    needed, near = turns(start.rotations, here.rotations), as_near(own, found, there, _AS_NEAR)
    in_doubt = np.flatnonzero(_is_far_less(needed, turned).any(axis=1) & ~near)
    if len(in_doubt):
        going_on = replace(own, pose=here).rows(in_doubt)
        found = yield from quiet(solve_in_parts(going_on, follows=True))
        needed[in_doubt] = turns(start.rotations[in_doubt], found.pose.rotations)
        near[in_doubt] = as_near(going_on, found, there.rows(in_doubt), _AS_NEAR)
    return np.where(near[:, None], needed, np.inf)


def _between(targets: Targets, rows: Indices, share: float) -> Targets:
    """Return the targets of which ``share`` is of the ``rows`` and the rest of the rows before."""
    before, own = targets.rows(rows - 1), targets.rows(rows)
    positions = (1 - share) * before.positions + share * own.positions
    turned = slerp(before.rotations, own.rotations, np.full(own.rotations.shape[:2], share))
    return replace(own, positions=positions, rotations=turned)


def turns_between_rows(pose: Pose) -> Array:
    """Return the angles (rows - 1, bones) by which bones turn from each row to the next."""
    rows, count = pose.rotations, len(pose)
    ends = ((first, min(first + _TURNED, count - 1)) for first in range(0, count - 1, _TURNED))
    made = [turns(rows[first:last], rows[first + 1 : last + 1]) for first, last in ends]
    return np.concatenate(made) if made else np.zeros((0, rows.shape[1]))


def turns(a: Array, b: Array) -> Array:
    """Return the angles (rows, bones) between quaternions (rows, bones, 4)."""
    cosines = np.einsum("rbi,rbi->rb", normalised(a), normalised(b))
    angles: Array = 2 * np.arccos(np.minimum(np.abs(cosines), 1.0))
    return angles
