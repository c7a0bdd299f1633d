# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the frames of a bake are solved: together, one from the other, or each alone."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...armature.setup.ranks import GRADUAL, RECORDED
from ...solvers import (
    Request,
    Solution,
    is_met,
    solve_clip_in_parts,
    solve_in_parts,
    solve_kept,
    without_gradual,
)
from ...solvers.clip.gradual import AROUND, away_from
from ...solvers.geometry import Mask
from ...solvers.model import chosen_poses

# Fewer frames, with none beside them, show no pop, and are too few for one to be spread over.
FEW = 20


@dataclass(frozen=True, eq=False)
class Solving:
    """Solves ``frames`` together or not, with a ``smoothness``.

    ``keeps``: poses that are as near as can be stay. ``beside``: frames (frames,) beside those that are
    baked, which stay whatever they miss. ``left``: frames (frames,) that are as a bake has left them, which
    stay in the end. ``goes_on``: what is found at first may be gone on with.
    """

    frames: Literal['TOGETHER', 'FOLLOWING', 'ALONE']
    smoothness: float
    keeps: bool
    beside: Mask
    left: Mask
    goes_on: bool

    @property
    def gives_way(self) -> bool:
        """Whether goals give way gradually: in motion of more than a few frames, or beside others."""
        return self.frames == 'TOGETHER' and bool(self.beside.any() or len(self.beside) >= FEW)

    def found(self, request: Request, stays: Mask, near: bool) -> Generator[int, None, Solution]:
        """Solve what is asked; without smoothness those that ``stays`` says stay.

        ``near``: frames begin near where they end, which counts for those that are solved together.
        """
        if self.frames == 'TOGETHER':
            stays = stays & (self.smoothness == 0) | (self.beside if self.goes_on else self._staying)
            request = self._gradually(request, GRADUAL)
            keeps = self.keeps and self.smoothness == 0
            begins = is_met(without_gradual(request)) if keeps else None
            return solve_clip_in_parts(request, self.smoothness, stays=stays, near=near, begins=begins)
        if self.frames == 'ALONE' and self.keeps:
            return solve_kept(request)
        return solve_in_parts(request, self.frames == 'FOLLOWING')

    def given_way(self, request: Request, held: Solution) -> Generator[int, None, Solution]:
        """Go on from where all was ``held``: what is recorded gives way gradually, if anything does."""
        stays = self._staying
        request = replace(request, pose=chosen_poses(stays, request.pose, held.pose))
        if not self.gives_way:
            return replace(self, goes_on=False).found(request, np.zeros_like(stays), True)
        request = self._gradually(request, RECORDED)
        return solve_clip_in_parts(request, self.smoothness, stays=stays, held=held)

    @property
    def _staying(self) -> Mask:
        """The frames (frames,) that stay in the end."""
        changed = ~(self.left | self.beside)
        near = away_from(changed) <= AROUND if changed.any() else changed
        return self.beside | self.left & ~near

    def _gradually(self, request: Request, ranks: tuple[int, ...]) -> Request:
        """Return the request in which goals of these ``ranks`` give way gradually, if any do."""
        if not self.gives_way:
            return request
        return replace(request, settings=replace(request.settings, gradual=ranks))
