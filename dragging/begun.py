# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a drag began, and how far what is asked for is from there."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

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
from ..armature.problem.varying import points_in
from ..armature.setup.ranks import MOVED
from ..solvers import Pose, Request, Skeleton, Targets, forward, twists_gathered
from ..solvers.geometry import Array, dot, matrix_to_quaternion, matvec, norm
from ..solvers.goals import weights_of
from .asked import asking_nothing, effector_rows
from .drawn import Drawn, drawn
from .following import Places, drawn_to_targets, places_of, way_of
from .stages import stages_of
from .straight import bent, ends_limb, over_bent

# As a share of the extent, and in radians: what is no farther from where it began is back there.
_BACK = 1e-6


@dataclass(frozen=True, eq=False)
class Begun:
    """``frame``: the frame where the drag began; ``batch``: of that one, as it is asked; ``moved``: the rows
    of what is moved, effectors and after them the other goals; ``along``: those of the effectors that go
    along with the body.

    Bones are drawn to where they began, those with comfort the less the farther targets are moved. Targets
    are of one row, in armature space.
    """

    rig: Rig
    frame: FrameSnapshot
    batch: Batch
    moved: frozenset[int]
    along: frozenset[int]

    @cached_property
    def pose(self) -> Pose:
        """The pose where the drag began, as solves take it: the twist of limbs is at the joints that turn."""
        return twists_gathered(self.batch.skeleton, self.batch.pose)

    @cached_property
    def effectors(self) -> list[int]:
        """The rows of the effectors that are moved."""
        return sorted(effector_rows(self.rig, self.moved))

    @cached_property
    def told(self) -> Rig:
        """The rig as it is asked, in which effectors that go along ask for nothing."""
        return asking_nothing(self.batch.rig, self.along)

    @property
    def is_of_effectors(self) -> bool:
        """Whether effectors alone are moved: how far other goals go nobody knows."""
        return len(self.effectors) == len(self.moved)

    @property
    def extent(self) -> float:
        """The extent of the body, a length in armature space."""
        return self.frame.extent

    @cached_property
    def points(self) -> Array:
        """The points (effectors, 3) of bones that meet targets, in the bones' own frames."""
        return points_in(self.rig, [self.frame])[0]

    @cached_property
    def places(self) -> Places:
        """Where effectors began: points (effectors, 3) and rotations (effectors, 4)."""
        begun = forward(self.batch.skeleton, self.pose)
        rotations, heads = (of.take(self.rig.places, axis=1) for of in begun)
        points = heads + matvec(rotations, self.points)
        return points[0], matrix_to_quaternion(rotations)[0]

    @property
    def is_of_limb(self) -> bool:
        """Whether the end of a limb is moved."""
        bones = (self.rig.effectors[row].bone for row in self.effectors)
        return any(ends_limb(self.batch.skeleton, bone) for bone in bones)

    def is_visible(self, distance: float) -> bool:
        """Return whether a distance can be seen of the body."""
        return distance > VISIBLE_DISTANCE * self.extent

    def away(self, targets: Targets) -> Array:
        """Return how far (m,) the targets of the effectors that are moved are from where these began."""
        return norm(targets.positions[0, self.effectors] - self.places[0][self.effectors])

    def is_back(self, targets: Targets) -> bool:
        """Return whether all that is moved is where it began; of other goals than effectors nobody knows."""
        moved = self.effectors
        if not (moved and self.is_of_effectors):
            return False
        alike = np.abs(dot(targets.rotations[0, moved], self.places[1][moved])).min()
        return bool(self.away(targets).max() <= _BACK * self.extent and alike >= 1 - _BACK**2)

    def asked_last(self, request: Request | None) -> Places:
        """Return where effectors were asked to be by the last request; where they began before the first."""
        return places_of(request.targets) if request else self.places

    def way(self, before: Places, targets: Targets) -> float:
        """Return how far it is to the targets from what was asked ``before``, as of ``way_of``."""
        return way_of(before, places_of(targets), self.effectors, self.extent)

    def stages(self, before: Places, targets: Targets, way: float) -> Iterator[Targets]:
        """Yield what is asked for on the ``way`` from what was asked ``before``, if that is far."""
        return stages_of(before, targets, self.effectors, way, self.extent)

    def share_of_way(self, targets: Targets) -> float:
        """Return how far what is moved is on the way from where a body stays to where it comes along."""
        if not self.effectors:
            return 1.0
        return float(share_of_way(self.away(targets).max(), figure_extents([self.frame]))[0])

    def body_at(self, targets: Targets) -> Skeleton:
        """Return the body with bones drawn to where they began, as far as targets are from there."""
        return self._drawn.at(*self._shares_of_comfort(targets))

    @cached_property
    def _drawn(self) -> Drawn:
        limbs = [self.rig.effectors[row].bone for row in self.effectors] if self.rig.comforts else ()
        follows = {row for row, hold in enumerate(self.rig.holds) if hold == 'FOLLOWS'}
        going = self.moved | self.along
        body = self.batch.skeleton, self.pose, self.rig.effectors
        return drawn(*body, going, follows - going, limbs)

    def _shares_of_comfort(self, targets: Targets) -> tuple[float, dict[str, float]]:
        """Return how much of comfort counts, and how much in which limbs."""
        if not (self.rig.comforts and self.effectors):
            return 1.0, {}
        away, extents = self.away(targets), figure_extents([self.frame])
        share, in_limbs = share_of_comfort(away.max(), extents)[0], share_of_comfort_in_limb(away, extents)
        bones = (self.rig.effectors[row].bone for row in self.effectors)
        return float(share), dict(zip(bones, in_limbs.tolist(), strict=True))

    def drawn_near(self, request: Request) -> Request:
        """Return the request in which what comes after what is moved comes back no faster than that moves."""
        if not (self.rig.comforts and self.effectors):
            return request
        ranks = np.array([one.ranks for one in request.effectors])
        later = (ranks > MOVED) & (weights_of(request.effectors, request.targets.weights)[0] > 0)
        later[self.effectors] = False
        gone = float(self.away(request.targets).max())
        targets = drawn_to_targets(request.targets, self.places, later, gone, self.extent)
        return request if targets is request.targets else replace(request, targets=targets)

    def bent(self, pose: Pose, targets: Targets) -> Pose:
        """Return the pose with limbs bent that are straight and whose ends are moved nearer."""
        if not self.rig.comforts:
            return pose
        for row in self.effectors:
            bone, target = self.rig.effectors[row].bone, targets.positions[0, row]
            pose = bent(self.batch.skeleton, pose, bone, self.points[row], target)
        return pose

    def over_bent_limbs(self, pose: Pose, targets: Targets) -> Pose | None:
        """Return the body as a whole at the first target, straight pinned limbs bent; None if none is."""
        first, ends = self.effectors[0], self.places[0].copy()
        ends[first] = targets.positions[0, first]
        bones = [one.bone for one in self.rig.effectors]
        limbs = list(zip(bones, self.points, ends, strict=True))
        held = [end for end, hold in zip(limbs, self.rig.holds, strict=False) if hold == 'PINNED']
        return over_bent(self.batch.skeleton, pose, limbs[first], held)
