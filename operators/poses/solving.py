# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the frames of a bake are solved: together, one from the other, or each alone."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...armature import FrameSnapshot
from ...armature.setup.ranks import GRADUAL, RECORDED
from ...dragging import Solved, gone_on_with
from ...solvers import (
    Goal,
    Request,
    Solution,
    give_way_in_parts,
    in_pose,
    is_met,
    solve_clip_in_parts,
    solve_in_parts,
    solve_kept,
    without_gradual,
)
from ...solvers.clip import FRAMES_AROUND, away_from
from ...solvers.geometry import Array, Mask, angle_between, quaternion_to_matrix
from ...solvers.model import chosen_poses
from ...solvers.motion import Span, mask_of
from ...solvers.solve import KEPT_OFF_BY, joined
from .take import Take

# Fewer frames, with none beside them, show no pop, and are too few for one to be spread over.
FEW = 20
# A joint turns too fast that turns so many times as fast as the fastest did, or as it did itself and, from a
# frame to the next, by as much more as a jump does.
_FASTER = 1.5
_JUMP = np.radians(30)


@dataclass(frozen=True, eq=False)
class Solving:
    """Solves ``frames`` together or not, with a ``smoothness``.

    ``keeps``: poses that are as near as can be stay. ``take``: frames beside those that it bakes stay
    whatever they miss, but of a loop. ``left``: frames (frames,) that are as a bake has left them, which stay
    in the end. ``holds``: those in which the body is still. ``beside_contacts``: what is recorded gives way
    around frames that miss it.
    """

    frames: Literal['TOGETHER', 'FOLLOWING', 'ALONE']
    smoothness: float
    keeps: bool
    take: Take
    left: Mask
    holds: Sequence[Span]
    beside_contacts: bool

    @property
    def gives_way(self) -> bool:
        """Whether goals give way gradually: in motion of more than a few frames, or beside others."""
        return self.frames == 'TOGETHER' and bool(self.take.beside.any() or self.take.count >= FEW)

    def found(self, request: Request, stays: Mask, near: bool) -> Generator[int, None, Solution]:
        """Solve what is asked; without smoothness those that ``stays`` says stay.

        ``near``: frames begin near where they end, which counts for those that are solved together.
        """
        if self.frames == 'TOGETHER':
            others = self.take.beside if self.beside_contacts else self._staying
            stays = stays & (self.smoothness == 0) | others
            request = self._gradually(request, GRADUAL)
            keeps = self.keeps and self.smoothness == 0
            begins = is_met(without_gradual(request)) if keeps else None
            together = self._together if self.take.loop is None else self._in_loop
            return together(request, stays, near, begins)
        if self.frames == 'ALONE' and self.keeps:
            return solve_kept(request)
        return solve_in_parts(request, self.frames == 'FOLLOWING')

    def _together(
        self, request: Request, stays: Mask, near: bool, begins: Mask | None
    ) -> Generator[int, None, Solution]:
        goes_on = self.beside_contacts and self.gives_way and self.take.loop is None
        return solve_clip_in_parts(
            request, self.smoothness, stays=stays, near=near, begins=begins, goes_on=goes_on
        )

    def _in_loop(
        self, request: Request, stays: Mask, near: bool, begins: Mask | None
    ) -> Generator[int, None, Solution]:
        """Solve the frames that are baked, and go on from there with all rounds of the loop.

        Unless a joint would turn too fast to end where it begins: then they stay as they are.
        """
        own = self.take.own
        asked = request.rows(own), stays[own], near, None if begins is None else begins[own]
        alone = yield from self._together(*asked)
        held = self._in_rounds(request, alone, stays)
        request = replace(request, pose=held.pose)
        gone_on = yield from give_way_in_parts(request, held, self.smoothness, stays=stays)
        told = {name: getattr(held, name) for name in KEPT_OFF_BY}
        found = self._in_rounds(request, replace(gone_on, **told).rows(own))
        if not _is_too_fast(_fastest(found.rows(own)), _fastest(alone)):
            return found
        return joined([found.rows(slice(own.start)), alone, found.rows(slice(own.stop, None))])

    def _in_rounds(self, request: Request, found: Solution, stays: Mask | None = None) -> Solution:
        """Return what was found of the frames that are baked in all rounds of the loop; others may stay."""
        found = found.rows(self.take.alike - self.take.own.start)
        pose = self.take.moved_on(request, found.pose)
        return in_pose(request, found, pose if stays is None else chosen_poses(stays, request.pose, pose))

    def gone_on(
        self, found: Solved, frames: Sequence[FrameSnapshot], held: Sequence[Goal]
    ) -> Generator[int, None, Solved]:
        """Return what is ``found`` of the frames at first, or what it leads to where it misses something.

        ``held``: what holds contacts. If nothing has changed since a bake, that is the pose that is there.
        """
        as_one = self.gives_way and found.request.settings.method == 'SUPERPOSE'
        stays = bool(self._staying.all())
        way = gone_on_with(found, frames, held, self._given_way, as_one=as_one, stays=stays)
        return (yield from self._still((yield from way)))

    def _given_way(self, request: Request, held: Solution, met: Mask) -> Generator[int, None, Solution]:
        """Go on from where all was ``held``: what is recorded gives way gradually, if anything does.

        Away from contacts hardly, and not in frames that are ``met`` (frames,): what is animated is to be.
        """
        stays = self._staying
        request = replace(request, pose=chosen_poses(stays, request.pose, held.pose))
        if not self.gives_way:
            anew = replace(self, beside_contacts=False)
            return (yield from anew.found(request, np.zeros_like(stays), True))
        request = self._gradually(request, RECORDED)
        firmly = None if self.beside_contacts else met
        found = yield from give_way_in_parts(request, held, self.smoothness, stays=stays, firmly=firmly)
        if self.take.loop is None:
            return found
        own = self.take.own
        closed = self._in_rounds(request, found.rows(own))
        return found if _is_too_fast(_fastest(closed.rows(own)), _fastest(found.rows(own))) else closed

    def _still(self, found: Solved) -> Generator[int, None, Solved]:
        """Return what is ``found`` with the body still in each of the holds.

        One motion would go on into a hold and out of it, as elbows and knees may. Frames near by go on from
        where they are. What is to be smooth may move.
        """
        request, solution = found.request, found.solution
        is_one_motion = self.frames == 'TOGETHER' and request.settings.method == 'SUPERPOSE'
        if self.smoothness or not (is_one_motion and self.holds):
            return found
        rows, stays = np.arange(len(request)), self._staying.copy()
        for span in self.holds:
            rows[span.rows] = _at_rest(span, stays)
        still = mask_of(self.holds, len(request))
        stays |= still | (away_from(still) > FRAMES_AROUND)
        held = solution.rows(rows)
        part = replace(self._gradually(request, GRADUAL), pose=held.pose)
        gone_on = yield from give_way_in_parts(part, held, stays=stays)
        solution = joined([gone_on, held]).rows(rows + np.where(stays, len(request), 0))
        gave_way = ~solution.converged & (found.solution.stopped == "SMOOTHED")
        solution = replace(solution, stopped=np.where(gave_way, "SMOOTHED", solution.stopped))
        if self.take.loop is not None:
            solution = self._in_rounds(request, solution.rows(self.take.own))
        return replace(found, solution=solution)

    @property
    def _staying(self) -> Mask:
        """The frames (frames,) that stay in the end."""
        changed = ~(self.left | self.take.beside)
        near = away_from(changed) <= FRAMES_AROUND if changed.any() else changed
        return self.take.beside | self.left & ~near

    def _gradually(self, request: Request, ranks: tuple[int, ...]) -> Request:
        """Return the request in which goals of these ``ranks`` give way gradually, if any do."""
        if not self.gives_way:
            return request
        return replace(request, settings=replace(request.settings, gradual=ranks))


def _at_rest(span: Span, stays: Mask) -> int:
    """Return which frame of a hold is farthest from others that move; of those that stay, if any do."""
    begins, ends = span.first == 0, span.last == len(stays) - 1
    best = (span.first + span.last) // 2 if begins == ends else span.first if begins else span.last
    kept = span.first + np.flatnonzero(stays[span.rows])
    return int(kept[np.abs(kept - best).argmin()] if len(kept) else best)


def _fastest(solution: Solution) -> Array:
    """Return by how much each joint (bones,) turns from a frame to the next at most, radians."""
    turns = quaternion_to_matrix(solution.pose.rotations)
    fastest: Array = angle_between(turns[1:], turns[:-1]).max(axis=0)
    return fastest


def _is_too_fast(now: Array, before: Array) -> bool:
    """Return whether a joint (bones,) turns much faster than before."""
    jumps = now > np.maximum(_FASTER * before, before + _JUMP)
    return bool(now.max() > _FASTER * before.max() or jumps.any())
