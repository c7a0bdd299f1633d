# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets on the move, measured from the pose where that began.

So the pose depends on where the targets are and hardly on the way there: back where they were, the body is
as it was, and pins do not creep.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from time import monotonic

import numpy as np

from ..armature import (
    VISIBLE_DISTANCE,
    Batch,
    FrameSnapshot,
    Rig,
    figure_extents,
    share_of_comfort,
    share_of_comfort_in_limb,
    share_of_way,
)
from ..armature.problem.varying import points_in, weights_in
from ..armature.setup.ranks import FOLLOWING, MOVED
from ..solvers import (
    Pose,
    Request,
    Settings,
    Skeleton,
    Targets,
    forward,
    in_pose,
    solve_in_parts,
    with_prepared,
    with_shared_twists,
)
from ..solvers.geometry import (
    Array,
    Mask,
    dot,
    matrix_to_quaternion,
    matvec,
    norm,
)
from ..solvers.goals import weights_of
from ..solvers.pauses import Pausing, finished, finished_within, hurried, quiet
from .asked import asking_nothing, effector_rows, going_along, rows_turned, while_moved
from .drawn import Drawn, drawn
from .following import MOVING, RESTING, drawn_to_targets, pace_of, slack_of, way_of
from .found import Found
from .rest import another_way, at_rest, best
from .straight import bent, ends_limb, over_bent

# The most steps of each kind while something is on the move: what targets within reach take from one move to
# the next, and of others most of the way.
_HASTE = 4
# Seconds that a move may take for the window to be drawn 60 times in each.
FRAME = 1 / 60
# Past so many times that what comes first is left as it is, too.
_PATIENCE = 4
# What is missed by more than so many times the way of the next move is not met by that.
_LOST = 2.0
# As a share of how far what is moved was where another way was in vain: nearer than that it is tried again,
# where a move back misses by more than the one before. Else the body follows.
_NEARER = 0.9
# As a share of the extent, and in radians: what is no farther from where it began is back there.
_BACK = 1e-6


@dataclass(eq=False)
class Drag:
    """``begin``: the pose where it began; ``moved``: the rows of what is moved, effectors and after them the
    other goals; ``are_pins_released``: whether pins go along for the time being, which may change from one
    move to the next.

    As long as the ``terms`` are the same, the rows that are turned and whether pins are released, ``asking``
    stands, the rig with what effectors ask for meanwhile, and ``told``, that in which those that go along
    ask for nothing. ``asked``: what was asked last, of the solver by the ``request``; ``pose``: the one
    found for it, where the next move is solved from, its twists not divided: comfort would have to put them
    together again first; ``in_vain``: how far what is moved was at most since going in parts has not helped,
    0 if it may; ``is_late``: the last move was past its time, and misses; ``missed``: by how much it misses;
    ``resting``: the work on the pose at rest, if it was begun since the last move, ``rested``: that pose,
    once it is found, and ``caught_up``: what a move that was late has come to before, until that is shown;
    ``places``: where effectors began, points (effectors, 3) and rotations (effectors, 4). Bones are drawn to
    where they began, those with comfort the less the farther targets are moved, as ``drawn``. The ``batch``
    stands as long as roots are free along the same axes: those of the scene turn in an armature object that
    is moved itself.
    """

    rig: Rig
    settings: Settings
    begin: FrameSnapshot
    moved: frozenset[int]
    are_pins_released: bool = False
    terms: tuple[frozenset[int], bool] | None = field(default=None, init=False)
    asking: Rig | None = field(default=None, init=False)
    told: Rig | None = field(default=None, init=False)
    asked: FrameSnapshot | None = field(default=None, init=False)
    request: Request | None = field(default=None, init=False)
    pose: Pose | None = field(default=None, init=False)
    in_vain: float = field(default=0.0, init=False)
    is_late: bool = field(default=False, init=False)
    missed: float = field(default=0.0, init=False)
    resting: Pausing[Found] | None = field(default=None, init=False)
    caught_up: Found | None = field(default=None, init=False)
    rested: Found | None = field(default=None, init=False)
    batch: Batch | None = field(default=None, init=False)
    places: tuple[Array, Array] | None = field(default=None, init=False)
    drawn: Drawn | None = field(default=None, init=False)

    @property
    def along(self) -> frozenset[int]:
        """The rows of the effectors that go with the body."""
        return going_along(self.rig, self.moved, self.are_pins_released)

    def move(self, places: Mapping[int, Array], seconds: float = inf) -> Found:
        """Return the pose that has effectors at ``places``: target to world (4, 4) by row, counted in full.

        All else is asked to be as where the drag began. Found in haste, and where that misses a part of
        the way at a time, as straight knees need it, unless that was in vain. Past so many ``seconds`` what
        there is will do, unless hips would stay over straight legs. Raises RigError or SolverError.
        """
        end, before = monotonic() + seconds, self.missed
        asked = self._asked_at(places)
        found = self.solve(asked, in_haste=True, seconds=seconds)
        away = float(self._away(self.request.targets).max(initial=0.0))
        if not self.is_missed(found):
            self.in_vain = 0.0
        elif self.in_vain and (away > _NEARER * self.in_vain or self.missed <= before):
            self.in_vain = max(self.in_vain, away)
        elif monotonic() < end or self._is_over_limbs:
            other = finished(another_way(self, asked, found))
            self.in_vain, found = away if other is found else 0.0, other
        return found

    def put(self, places: Mapping[int, Array]) -> Found:
        """Return the best pose for ``places``, as of ``move``, to which no moves lead: it is at rest.

        Raises RigError or SolverError.
        """
        self.rested = self.solve(self._asked_at(places))
        return self.rested

    def _asked_at(self, places: Mapping[int, Array]) -> FrameSnapshot:
        """Return the frame in which effectors are asked to be at ``places``, as of ``move``."""
        rows = list(places)
        targets, influences = self.begin.targets.copy(), self.begin.influences.copy()
        targets[rows], influences[rows] = [places[row] for row in rows], 1.0
        return replace(self.begin, targets=targets, influences=influences)

    def rest(self, seconds: float = inf) -> Found | None:
        """Return the pose at rest for what was asked last (see ``at_rest``); it is found once.

        None where that takes more ``seconds``: the next call goes on from there, a move from the move
        before. What was late is caught up with first, to be shown meanwhile. Raises RigError or SolverError.
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

    def is_missed(self, found: Found) -> bool:
        """Return whether what is moved is missed by what can be seen."""
        return self.miss(found) > VISIBLE_DISTANCE * figure_extents([self.begin])[0]

    def miss(self, found: Found) -> float:
        """Return how far what is moved is from its targets at most, in the armature's units."""
        rows = self._moved_effectors
        return float(found.solution.position_residuals[0, rows].max(initial=0.0))

    def solve(self, frame: FrameSnapshot, in_haste: bool = False, seconds: float = inf) -> Found:
        """Return the pose for the frame's targets, in an armature object where the frame has it.

        ``in_haste``: with few steps and no other starts, for a move that others will follow; past so many
        ``seconds`` what there is will do. Raises RigError or SolverError.
        """
        work = self.solving(frame, self.paced[MOVING]) if in_haste else best(self, frame)
        now = monotonic()
        found = hurried(work, now + seconds, now + _PATIENCE * seconds)
        self.is_late = monotonic() > now + seconds and self.is_missed(found)
        return found

    def solving(self, frame: FrameSnapshot, settings: Settings) -> Pausing[Found]:
        """Return the pose for the frame's targets, from the one found last."""
        self.resting = self.caught_up = self.rested = None
        self.asked = asked = replace(
            self.begin,
            targets=frame.targets,
            influences=np.where(self._stays(frame), 0.0, frame.influences),
            goal_targets=frame.goal_targets,
            goal_influences=frame.goal_influences,
            armature_to_world=frame.armature_to_world,
        )
        turned = rows_turned(self._moved_effectors, self.begin, frame)
        self._ask(turned, self.are_pins_released)
        if self.batch is None or not self._is_as_free(asked):
            self.batch = Batch(self.asking, [asked])
            self.pose = self.drawn = None
        request = self.batch.request_in([asked], settings)
        settings = self._led(settings, request.targets)
        skeleton = self._drawn_to_begin(request.targets)
        is_fresh = self.pose is None or (settings.in_haste and self._is_back(request.targets))
        start = self._bent(self.batch.pose if is_fresh else self.pose, request.targets)
        terms = {"skeleton": skeleton, "pose": start, "prepared": self.request and self.request.prepared}
        self.request = request = with_prepared(replace(request, **terms, settings=settings))
        near = self._drawn_near(request)
        solution = yield from quiet(solve_in_parts(near, shares=False))
        if near is not request:
            solution = in_pose(request, solution, solution.pose)
        self.pose = solution.pose
        self.missed = float(solution.position_residuals[0, self._moved_effectors].max(initial=0.0))
        return Found(self.told, asked, skeleton, with_shared_twists(request, solution))

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
    def is_of_limb(self) -> bool:
        """Whether the end of a limb is moved."""
        bones = (self.rig.effectors[row].bone for row in self._moved_effectors)
        return any(ends_limb(self.batch.skeleton, bone) for bone in bones)

    def _led(self, settings: Settings, targets: Targets) -> Settings:
        """Return the settings for what follows, and for how far it is from what was asked last."""
        extent = figure_extents([self.begin])[0]
        way = self._way(targets, extent)
        lost = settings.lost if self.missed > _LOST * way else 0
        led = {"pace": max(settings.pace, pace_of(way, extent)), "lost": lost}
        if self.has_followers:
            led |= {"springs": FOLLOWING, "slack": slack_of(self._share_of_way(targets), self.is_of_limb)}
        return replace(settings, **led)

    def _way(self, targets: Targets, extent: float) -> float:
        """Return how far it is from what was asked last, as of ``way_of``; of goals nobody knows."""
        if len(moved := self._moved_effectors) < len(self.moved):
            return inf
        last = self.request and self.request.targets
        before = (last.positions[0], last.rotations[0]) if last else self._places_at_begin()
        after = targets.positions[0], targets.rotations[0]
        return way_of(*((points[moved], turns[moved]) for points, turns in (before, after)), extent)

    def _drawn_near(self, request: Request) -> Request:
        """Return the request in which what comes after what is moved comes back no faster than that moves."""
        if not (self.rig.comforts and (moved := self._moved_effectors)):
            return request
        ranks = np.array([one.ranks for one in request.effectors])
        later = (ranks > MOVED) & (weights_of(request.effectors, request.targets.weights)[0] > 0)
        later[moved] = False
        gone = float(self._away(request.targets).max()), figure_extents([self.begin])[0]
        targets = drawn_to_targets(request.targets, self._places_at_begin(), later, *gone)
        return request if targets is request.targets else replace(request, targets=targets)

    def _share_of_way(self, targets: Targets) -> float:
        """Return how far what is moved is on the way from where a body stays to where it comes along."""
        if not self._moved_effectors:
            return 1.0
        return float(share_of_way(self._away(targets).max(), figure_extents([self.begin]))[0])

    def _bent(self, pose: Pose, targets: Targets) -> Pose:
        """Return the pose with limbs bent that are straight and whose ends are moved nearer."""
        if not self.rig.comforts or self._is_back(targets):
            return pose
        points = points_in(self.rig, [self.begin])[0]
        for row in self._moved_effectors:
            bone, target = self.rig.effectors[row].bone, targets.positions[0, row]
            pose = bent(self.batch.skeleton, pose, bone, points[row], target)
        return pose

    @property
    def _is_over_limbs(self) -> bool:
        """Whether what is moved may have to bend pinned limbs, as hips their legs."""
        is_free = self.are_pins_released or self.is_of_limb
        return bool(not is_free and self.rig.comforts and self._moved_effectors)

    def over_bent_limbs(self) -> Pose | None:
        """Return the body as a whole where it was asked for, straight pinned limbs bent; None if none is."""
        if not self._is_over_limbs:
            return None
        (first, *_), targets = self._moved_effectors, self._places_at_begin()[0].copy()
        targets[first] = self.request.targets.positions[0, first]
        bones = [one.bone for one in self.rig.effectors]
        ends = list(zip(bones, points_in(self.rig, [self.begin])[0], targets, strict=True))
        held = [end for end, hold in zip(ends, self.rig.holds, strict=False) if hold == 'PINNED']
        return over_bent(self.batch.skeleton, self.pose, ends[first], held)

    def _is_as_free(self, frame: FrameSnapshot) -> bool:
        """Return whether roots may move along the axes that they may in the batch."""
        is_as_turned = np.array_equal(frame.armature_to_world, self.batch.frames[0].armature_to_world)
        return is_as_turned or np.array_equal(Batch(self.asking, [frame]).freedom, self.batch.freedom)

    def _ask(self, turned: frozenset[int], are_pins_released: bool) -> None:
        """Have effectors ask by these terms; as long as they are the same that stays as it is."""
        terms = turned, are_pins_released
        if terms == self.terms:
            return
        self.terms, asking = terms, while_moved(self.rig, self.moved, *terms)
        self.drawn = None
        if self.asking is None or asking.effectors != self.asking.effectors:
            self.asking, self.batch = asking, None
        self.told = asking_nothing(self.asking, self.along)

    @cached_property
    def hasty(self) -> Settings:
        """The settings of a move that others will follow."""
        few = min(self.settings.iterations, _HASTE)
        return replace(self.settings, iterations=few, restarts=0, in_haste=True)

    @cached_property
    def paced(self) -> dict[float, Settings]:
        """The settings of a move that is seen, by the radians that joints turn by in any case."""
        lost = {MOVING: MOVED, RESTING: 0}
        return {pace: replace(self.hasty, pace=pace, lost=rank) for pace, rank in lost.items()}

    def turned_in_vain(self) -> list[str]:
        """Return the bones whose targets have been turned since the beginning, though that does not count."""
        rows, counts = sorted(self.terms[0]), weights_in(self.rig, [self.begin])[0, :, 1]
        return [self.rig.effectors[row].bone for row in rows if not counts[row]]

    def _drawn_to_begin(self, targets: Targets) -> Skeleton:
        """Return the body with bones drawn to where they began, as far as targets are from there."""
        share, limbs = self._shares_of_comfort(targets)
        if self.drawn is None:
            going = self.moved | self.along
            self.drawn = drawn(self.batch.skeleton, self.batch.pose, self.rig.effectors, going, limbs)
        return self.drawn.at(share, limbs)

    def _shares_of_comfort(self, targets: Targets) -> tuple[float, dict[str, float]]:
        """Return how much of comfort counts, and how much in which limbs."""
        if not (self.rig.comforts and (moved := self._moved_effectors)):
            return 1.0, {}
        away, extents = self._away(targets), figure_extents([self.begin])
        share, in_limbs = share_of_comfort(away.max(), extents)[0], share_of_comfort_in_limb(away, extents)
        bones = (self.rig.effectors[row].bone for row in moved)
        return float(share), dict(zip(bones, in_limbs.tolist(), strict=True))

    def _stays(self, frame: FrameSnapshot) -> Mask:
        """Return which effectors stay where the drag began: not moved, and their targets count in part or go
        along with the body."""
        along, counted = self.along, enumerate(frame.influences.tolist())
        stays = (row not in self.moved and (row in along or share < 1) for row, share in counted)
        return np.fromiter(stays, dtype=bool)

    def _away(self, targets: Targets) -> Array:
        """Return how far (m,) the targets of the effectors that are moved are from where these began."""
        moved, (points, _) = self._moved_effectors, self._places_at_begin()
        return norm(targets.positions[0, moved] - points[moved])

    def _is_back(self, targets: Targets) -> bool:
        """Return whether all that is moved is where it began."""
        if not (moved := self._moved_effectors) or len(moved) < len(self.moved):
            return False
        away, (_, turns) = self._away(targets).max(), self._places_at_begin()
        alike = np.abs(dot(targets.rotations[0, moved], turns[moved])).min()
        return bool(away <= _BACK * figure_extents([self.begin])[0] and alike >= 1 - _BACK**2)

    @property
    def _moved_effectors(self) -> list[int]:
        return sorted(effector_rows(self.rig, self.moved))

    def _places_at_begin(self) -> tuple[Array, Array]:
        """Return points (effectors, 3) and rotations (effectors, 4) of effectors where the drag began."""
        if self.places is None:
            begun = forward(self.batch.skeleton, self.batch.pose)
            rotations, heads = (of.take(self.rig.places, axis=1) for of in begun)
            points = heads + matvec(rotations, points_in(self.rig, [self.begin]))
            self.places = points[0], matrix_to_quaternion(rotations)[0]
        return self.places
