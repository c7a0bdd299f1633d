# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pinned feet ask for besides their effectors: ball and toe in their places, heels above the ground."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...solvers import Goal, Place, Plane, Targets
from ...solvers.geometry import Array, Mask, dot, matvec, norm, quaternion_to_matrix, shortest_arc, vecmat
from ...solvers.goals import points_of
from ..frames.frame_snapshot import FrameSnapshot, column
from ..rig.rig import Rig
from ..rig.soles import Sole, Spot

# The sine of the angle between ground and sole from which on it stands on a wall, or on nothing.
_STEEP = 0.2
# The cosine of the angle between ground and sole up to which it lies flat, though its toes are bent up.
_LEVEL = 0.996
# The sines of angles: how far off its slope another foot may be, and how far off the level it has to be, for
# both to lie on one slope.
_ON_SLOPE, _OFF_LEVEL = 0.05, 0.1
_ON_FACE = 0.02  # of the foot's length: a ball that is on the face that the foot was put on
_NOTHING = 1e-300
_SAME_PLACE = 1e-4  # of the foot's length: a ball that is where it should be


def goals_of_soles(
    rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array, targets: Targets
) -> tuple[Goal, ...]:
    """Return what holds feet by their soles where the ``targets`` have them, ``count`` goals for each.

    ``rotations`` (frames, bones, 3, 3) and ``heads`` (frames, bones, 3): the animated pose. Armature space.
    """
    if not rig.soles:
        return ()
    feet = _feet(rig, frames, rotations, heads, targets)
    return tuple(goal for sole in rig.soles for goal in feet.goals(sole))


def standing_on_balls(
    rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array, targets: Targets
) -> Mask:
    """Return which effectors (frames, effectors) are pinned feet with their balls where the ``targets`` have
    them, whether their heels are lifted or not.

    Arguments as for ``goals_of_soles``.
    """
    feet = _feet(rig, frames, rotations, heads, targets)
    found = np.zeros((len(frames), len(rig.effectors)), dtype=bool)
    for sole in rig.feet:
        found[:, feet.row(sole)] = feet.stands(sole)
    return found


def _feet(
    rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array, targets: Targets
) -> "_Feet":
    to_world = column(frames, "armature_to_world")
    sizes = norm(column(frames[:1], "matrices")[0, :, :3, 1])
    return _Feet(rig, rotations, heads, targets, to_world, sizes)


@dataclass(frozen=True, eq=False)
class _Feet:
    """``to_world`` (frames, 4, 4): of the armature; ``sizes`` (bones,): how much larger bones are posed than
    at rest."""

    rig: Rig
    rotations: Array
    heads: Array
    targets: Targets
    to_world: Array
    sizes: Array

    @property
    def up(self) -> Array:
        """The scene's up (frames, 3), a unit vector."""
        up = self.to_world[:, 2, :3]
        return up / norm(up)[:, None]

    def goals(self, sole: Sole) -> tuple[Goal, ...]:
        """Return what holds ball and toe, and what keeps the ends above the ground."""
        row = self.row(sole)
        turned = quaternion_to_matrix(self.targets.rotations[:, row])
        normals = self._ground(sole, turned)
        spots = [self._sized(spot) for spot in sole.spots]
        places = self._places(sole, spots, row, turned)
        clearances = self.sizes[self.rig.places[row]] * np.array(sole.clearances)
        above = [dot(normals, place) - own for place, own in zip(places, clearances, strict=True)]
        ground = np.min(above, axis=0)
        weights = self._weights(row)
        (foot, ball), held = spots[0], 2 if sole.other else 1
        goals: list[Goal] = [Place(foot, places[0], ball, weights=weights)]
        if sole.other:
            (bone, point), axes = spots[1], _across(places[1] - places[0], normals)
            goals.append(Place(bone, places[1], point, axes, weights=weights))
        for spot, clearance in zip(spots[held:], clearances[held:], strict=True):
            goals.append(Plane((spot,), normals, ground + clearance, weights=weights))
        return tuple(goals)

    def _ground(self, sole: Sole, turned: Array) -> Array:
        """Return what is square (frames, 3) to the ground of a foot that is ``turned`` as its target is.

        A face that it was put on is the ground as long as its ball is there.
        """
        tips = [spot for spot in map(self._sized, sole.spots) if spot[0] != sole.foot]
        found = self._ground_by_toes(sole, tips, turned) if tips else self._ground_by_others(sole, turned)
        if sole.ground is None:
            return found
        normal, high = self._face(sole, turned)
        is_on = np.abs(high) < _ON_FACE * norm(self._ball(sole))
        return np.where(is_on[:, None], normal, found)

    def _ground_by_toes(self, sole: Sole, tips: Sequence[Spot], turned: Array) -> Array:
        """Return the ground of a foot whose toes bend.

        They lie on it along their length, so that tells a slope from a lifted heel. A sole that is level has
        the ground under it, however its toes are bent.
        """
        own, ball = self._own(sole, turned), self._present(self._sized(sole.spots[0]))
        now = np.mean([self._present(tip) for tip in tips], axis=0) - ball
        beside = matvec(turned, vecmat(now, self.rotations[:, self.rig.names.index(sole.foot)]))
        now = np.where(self.stands(sole)[:, None], now, beside)
        bent = shortest_arc(matvec(turned, np.array(sole.ahead)), now)
        under = matvec(quaternion_to_matrix(bent), own)
        levels = [dot(way, self.up) for way in (own, under)]
        is_flat = (levels[0] > _LEVEL) & (levels[0] > levels[1])
        return np.where(is_flat[:, None], own, under)

    def _ground_by_others(self, sole: Sole, turned: Array) -> Array:
        """Return the ground of a foot without toes that bend: level, unless its sole is steep.

        Or unless the sole of another foot lies on the same slope, and above or below it: one lifted heel may
        look like a slope, but not from one foot to the other.
        """
        own = self._own(sole, turned)
        is_level = dot(own, self.up) > _STEEP
        for other in self.rig.soles:
            its = quaternion_to_matrix(self.targets.rotations[:, self.row(other)])
            way = self._under_ball(other, its) - self._under_ball(sole, turned)
            length = norm(way)
            is_one = dot(self._own(other, its), own) > _LEVEL
            is_one &= np.abs(dot(way, own)) < _ON_SLOPE * length
            is_level &= ~(is_one & (np.abs(dot(way, self.up)) > _OFF_LEVEL * length))
        return np.where(is_level[:, None], self.up, own)

    def _own(self, sole: Sole, turned: Array) -> Array:
        """Return what is square (frames, 3) to the sole of a foot that is ``turned`` so."""
        return matvec(turned, np.array(sole.ups[0][1]))

    def _ball(self, sole: Sole) -> Array:
        """Return the ball (3,) of a foot as large as it is posed, in the foot's frame."""
        return np.array(self._sized(sole.spots[0])[1])

    def _clearance(self, sole: Sole) -> Array:
        """Return how far the ball of a foot as large as it is posed is above the ground."""
        return self.sizes[self.rig.places[self.row(sole)]] * sole.clearances[0]

    def _ball_at(self, sole: Sole, turned: Array) -> Array:
        """Return where (frames, 3) the target has the ball."""
        return self._foot(self.row(sole), turned) + matvec(turned, self._ball(sole))

    def _under_ball(self, sole: Sole, turned: Array) -> Array:
        """Return where (frames, 3) the ball touches the ground if the foot lies on it."""
        return self._ball_at(sole, turned) - self._clearance(sole) * self._own(sole, turned)

    def _face(self, sole: Sole, turned: Array) -> tuple[Array, Array]:
        """Return the normals (frames, 3) of the face that the foot was put on, and the ball's heights.

        A height (frames,) is how far the ball is above where it would touch the face.
        """
        normal, distance = np.array(sole.ground[:3]), sole.ground[3]
        linear = vecmat(normal, self.to_world[:, :3, :3])
        size = norm(linear)
        away = distance - dot(self.to_world[:, :3, 3], normal)
        own = linear / size[:, None]
        return own, dot(own, self._ball_at(sole, turned)) - away / size - self._clearance(sole)

    def row(self, sole: Sole) -> int:
        """Return the row of the effector that stands on it."""
        return self.rig.row_of(sole.foot)

    def stands(self, sole: Sole) -> Mask:
        """Return in which frames (frames,) the ball is where it is with the foot where its target has it."""
        turned = quaternion_to_matrix(self.targets.rotations[:, self.row(sole)])
        away = self._ball_at(sole, turned) - self._present(self._sized(sole.spots[0]))
        return norm(away) < _SAME_PLACE * norm(self._ball(sole))

    def _places(self, sole: Sole, spots: Sequence[Spot], row: int, turned: Array) -> list[Array]:
        """Return where (frames, 3) spots are with the foot where its target has it, ``turned`` as that is.

        The toe of a foot that is there, but for its heel, stays as it is posed.
        """
        index, foot = self.rig.places[row], self._foot(row, turned)
        present = [self._present(spot) for spot in spots]
        beside = [vecmat(point - self.heads[:, index], self.rotations[:, index]) for point in present]
        places = [foot + matvec(turned, away) for away in beside]
        if sole.has_toe:
            places[1] = np.where(self.stands(sole)[:, None], present[1], places[1])
        return places

    def _weights(self, row: int) -> Array:
        """Return how much the sole counts (frames or 1,): not at all where place or turn does not.

        What the effector itself weighs makes no difference to its sole, keyed or not.
        """
        if self.targets.weights is None:
            return np.ones(1)
        place, turn = np.moveaxis(self.targets.weights[:, row], -1, 0)
        counted = np.ones_like(place) if self.rig.varying[row, 0] else place
        return np.where((place > 0) & (turn > 0), counted, 0.0)

    def _foot(self, row: int, turned: Array) -> Array:
        """Return where (frames, 3) the target has the head of the foot."""
        own = points_of(self.rig.effectors, self.targets.offsets)[:, row]
        return self.targets.positions[:, row] - matvec(turned, own)

    def _present(self, spot: Spot) -> Array:
        """Return where (frames, 3) a spot is in the animated pose."""
        bone = self.rig.names.index(spot[0])
        return self.heads[:, bone] + matvec(self.rotations[:, bone], np.array(spot[1]))

    def _sized(self, spot: Spot) -> Spot:
        """Return a spot of a bone as large as it is posed."""
        bone, point = spot
        x, y, z = (self.sizes[self.rig.names.index(bone)] * np.array(point)).tolist()
        return bone, (x, y, z)


def _across(toes: Array, normals: Array) -> Array:
    """Return the axes (frames, 3, 3) across toes (frames, 3), whose length is not asked for once more."""
    aside = np.cross(normals, toes)
    above = np.cross(toes, aside)
    axes = np.stack([above, aside, np.zeros_like(toes)], axis=1)
    return axes / np.maximum(norm(axes)[..., None], _NOTHING)
