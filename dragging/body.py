# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body of which something is moved: each pose is found from the one before, and drawn to the beginning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

import numpy as np

from ..armature import Batch, FrameSnapshot, Rig
from ..armature.problem.varying import weights_in
from ..armature.setup.ranks import FOLLOWING, MOVED
from ..solvers import (
    Haste,
    Pose,
    Request,
    Settings,
    Solution,
    Targets,
    in_pose,
    solve_in_parts,
    with_prepared,
    with_shared_twists,
)
from ..solvers.geometry import Mask
from ..solvers.pauses import Pausing, quiet
from .asked import effector_rows, going_along, rows_turned, while_moved
from .begun import Begun
from .following import MOVING, RESTING, pace_of, slack_of
from .found import Found
from .stages import led_through

# The most steps of each kind in haste. Targets within reach need no more from one move to the next, and other
# targets come most of the way in them.
_HASTE = 4
# What is missed by more than so many times the way of a move is not met by that move.
_LOST = 2.0


@dataclass(eq=False)
class Body:
    """A body of which something is moved.

    - ``begin``: the pose where that began
    - ``moved``: the rows of what is moved: effectors, and after them other goals
    - ``are_pins_released``: whether pins go along for now; it may change from one move to the next
    - ``terms``: the rows that are turned, and whether pins are released. As long as they stay the same
      ``begun`` stays, what is measured from the beginning. So it does only while roots are free along the
      same axes: axes of the scene turn with an armature object that is moved itself.
    - ``asked``: what was asked last, and ``request``: the same, as the solver takes it
    - ``pose``: what was found for it, where the next move begins; None: where the drag began. Its twists are
      not divided: comfort would first have to put them together again.
    - ``missed``: by how much that pose misses
    """

    rig: Rig
    settings: Settings
    begin: FrameSnapshot
    moved: frozenset[int]
    are_pins_released: bool = False
    terms: tuple[frozenset[int], bool] | None = field(default=None, init=False)
    begun: Begun | None = field(default=None, init=False)
    asked: FrameSnapshot | None = field(default=None, init=False)
    request: Request | None = field(default=None, init=False)
    pose: Pose | None = field(default=None, init=False)
    missed: float = field(default=0.0, init=False)

    @property
    def along(self) -> frozenset[int]:
        """The rows of the effectors that go with the body."""
        return going_along(self.rig, self.moved, self.are_pins_released)

    @property
    def batch(self) -> Batch:
        """The batch of the one frame that is asked for, in the pose where it began."""
        return self.begun.batch

    def solving(self, frame: FrameSnapshot, settings: Settings, in_stages: bool = False) -> Pausing[Found]:
        """Return the pose for the frame's targets, with the armature object where the frame has it.

        It begins from the pose that was found last. ``in_stages``: it is led there in stages where targets
        are far from that pose and comfort or limits lead the body. Raises RigError or SolverError.
        """
        self.asked = asked = replace(
            self.begin,
            targets=frame.targets,
            influences=np.where(self._stays(frame), 0.0, frame.influences),
            goal_targets=frame.goal_targets,
            goal_influences=frame.goal_influences,
            armature_to_world=frame.armature_to_world,
        )
        moved = effector_rows(self.rig, self.moved)
        begun = self._begun_for(asked, rows_turned(moved, self.begin, frame))
        request = begun.batch.request_in([asked], settings)
        targets, before = request.targets, begun.asked_last(self.request)
        way, is_back = begun.way(before, targets), begun.is_back(targets)
        settings = self._led(settings, way, targets)
        skeleton = begun.body_at(targets)
        is_fresh = self.pose is None or (is_back and settings.haste is not None)
        pose = begun.pose if is_fresh else self.pose
        start = pose if is_back else begun.bent(pose, targets)
        terms = {"skeleton": skeleton, "pose": start, "prepared": self.request and self.request.prepared}
        self.request = request = with_prepared(replace(request, **terms, settings=settings))
        if in_stages and self.is_led and not is_back:
            stages = begun.stages(before, targets, way)
            self.request = request = yield from led_through(request, stages, begun.drawn_near)
        near = begun.drawn_near(request)
        solution = yield from quiet(solve_in_parts(near, shares=False))
        if near is not request:
            solution = in_pose(request, solution, solution.pose)
        self.pose = solution.pose
        self.missed = self._farthest(solution)
        return Found(begun.told, asked, skeleton, with_shared_twists(request, solution))

    def is_missed(self, found: Found) -> bool:
        """Return whether what is moved is missed by what can be seen."""
        return self.begun.is_visible(self.miss(found))

    def miss(self, found: Found) -> float:
        """Return how far what is moved is from its targets at most, in the armature's units."""
        return self._farthest(found.solution)

    @property
    def has_followers(self) -> bool:
        """Whether anything follows what is moved softly, or goes along.

        Where nothing has comfort it stays as near as can be: nothing else says what the body should do.
        """
        others = (hold for row, hold in enumerate(self.rig.holds) if row not in self.moved)
        return bool(self.rig.comforts and self.moved) and any(hold != 'PINNED' for hold in others)

    @property
    def is_led(self) -> bool:
        """Whether comfort or limits lead the body, so that it is where moves lead it."""
        return self.has_followers or bool(self.batch.skeleton.limits)

    @property
    def is_over_limbs(self) -> bool:
        """Whether what is moved may have to bend pinned limbs, as hips their legs."""
        is_free = self.are_pins_released or self.begun.is_of_limb
        return bool(not is_free and self.rig.comforts and self.begun.effectors)

    def over_bent_limbs(self) -> Pose | None:
        """Return the body as a whole where it was asked for, straight pinned limbs bent; None if none is."""
        return self.begun.over_bent_limbs(self.pose, self.request.targets) if self.is_over_limbs else None

    def turned_in_vain(self) -> list[str]:
        """Return the bones whose targets have been turned since the beginning, though that does not count."""
        return self._uncounted(sorted(self.terms[0]), 1)

    def moved_in_vain(self) -> list[str]:
        """Return the bones whose targets have been moved since the beginning, though that does not count."""
        ways = zip(self.begun.effectors, self.begun.away(self.request.targets).tolist(), strict=True)
        return self._uncounted([row for row, way in ways if self.begun.is_visible(way)], 0)

    def _uncounted(self, rows: Sequence[int], what: int) -> list[str]:
        """Return the bones in these rows whose place, or turn if ``what`` is 1, does not count."""
        counts = weights_in(self.rig, [self.begin])[0, :, what]
        return [self.rig.effectors[row].bone for row in rows if not counts[row]]

    @cached_property
    def hasty(self) -> Settings:
        """The settings of a move that others will follow."""
        few = min(self.settings.iterations, _HASTE)
        return replace(self.settings, iterations=few, restarts=0, haste=Haste())

    @cached_property
    def paced(self) -> Mapping[float, Settings]:
        """The settings of a move that is seen, by the radians that joints turn by in any case."""
        lost = {MOVING: MOVED, RESTING: 0}
        hastes = {pace: Haste(pace=pace, lost=rank) for pace, rank in lost.items()}
        return {pace: replace(self.hasty, haste=haste) for pace, haste in hastes.items()}

    def _farthest(self, solution: Solution) -> float:
        return float(solution.position_residuals[0, self.begun.effectors].max(initial=0.0))

    def _begun_for(self, frame: FrameSnapshot, turned: frozenset[int]) -> Begun:
        """Return what is measured from the beginning, as it is asked while effectors in rows are ``turned``.

        Where effectors ask for something else, or roots are free otherwise, poses found so far are of no use.
        """
        terms = turned, self.are_pins_released
        if terms == self.terms and self._is_as_free(frame):
            return self.begun
        asking = while_moved(self.rig, self.moved, *terms)
        stands = self.begun and self.batch.rig.effectors == asking.effectors and self._is_as_free(frame)
        batch, self.pose = (self.batch, self.pose) if stands else (Batch(asking, [frame]), None)
        self.terms, self.begun = terms, Begun(self.rig, self.begin, batch, self.moved, self.along)
        return self.begun

    def _is_as_free(self, frame: FrameSnapshot) -> bool:
        """Return whether roots may move along the axes that they may in the batch."""
        is_as_turned = np.array_equal(frame.armature_to_world, self.batch.frames[0].armature_to_world)
        return is_as_turned or np.array_equal(Batch(self.batch.rig, [frame]).freedom, self.batch.freedom)

    def _led(self, settings: Settings, way: float, targets: Targets) -> Settings:
        """Return the settings for what follows, and for the ``way`` from what was asked last."""
        if settings.haste is None:
            return settings
        begun, haste = self.begun, settings.haste
        way = way if begun.is_of_effectors else inf
        lost = haste.lost if self.missed > _LOST * way else 0
        haste = replace(haste, pace=max(haste.pace, pace_of(way, begun.extent)), lost=lost)
        if self.has_followers:
            slack = slack_of(begun.share_of_way(targets), begun.is_of_limb)
            haste = replace(haste, springs=FOLLOWING, slack=slack)
        return replace(settings, haste=haste)

    def _stays(self, frame: FrameSnapshot) -> Mask:
        """Return which effectors stay where the drag began.

        Those that are not moved, and whose targets count only in part or go along with the body.
        """
        along, counted = self.along, enumerate(frame.influences.tolist())
        stays = (row not in self.moved and (row in along or share < 1) for row, share in counted)
        return np.fromiter(stays, dtype=bool)
