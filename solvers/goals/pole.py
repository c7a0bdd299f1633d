# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The middle joint of a limb, an elbow or a knee, that lies towards a target or a direction."""

from dataclasses import dataclass, field

import numpy as np

from ..geometry import Array, Mask, arctan2, cross, dot, matvec, norm, rotation_vector_to_matrix
from ..model import Skeleton
from .animated import HEAD, Frame
from .towards import Towards, TowardsGoals

# A pole counts half where the middle joint is this far from the line of the limb, in arms; or where the
# direction of the target is this far, as a sine, from that line.
_STRAIGHT, _IN_LINE = 1 / 8, 1 / 50
_TINY = 1e-9  # in arms: an end this near to the root gives no line


@dataclass(frozen=True, eq=False)
class Pole(Towards):
    """The head of ``middle`` should lie towards a point or a direction, seen along the limb.

    The limb goes from the head of ``upper`` to that of ``end``; ``middle`` is between them, each below the
    one before. ``at`` (batch or 1, 3): a point; ``along`` (batch or 1, 3): a direction. One of them, in
    armature space.

    A pole never costs the limb's end anything: its rank is below that of targets, so it only takes what these
    leave open, which is the turn of the limb about the line between its ends. Among goals of its own rank it
    is weighed against the others.

    Raises GoalError naming the bone.
    """

    upper: str
    middle: str
    end: str
    rank: int = field(default=3, kw_only=True)

    @property
    def title(self) -> str:
        """What the goal is called in messages."""
        return f"pole of '{self.middle}'"

    def frames(self) -> tuple[Frame, ...]:
        """Return the ends and the middle of the limb."""
        return (self.upper, HEAD), (self.middle, HEAD), (self.end, HEAD)

    @property
    def group_type(self) -> "type[Poles]":
        """The group that takes up goals of this kind."""
        return Poles

    def check(self, skeleton: Skeleton, batch: int) -> None:
        """Raise SkeletonError for a bone that is not there, GoalError for bones that are no limb."""
        super().check(skeleton, batch)
        for below, above in ((self.end, self.middle), (self.middle, self.upper)):
            bone = skeleton.parents[skeleton.index(below)]
            while bone >= 0 and skeleton.names[bone] != above:
                bone = skeleton.parents[bone]
            self.refuse(bool(bone < 0), f"has no limb: '{below}' is not below '{above}'")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Poles(TowardsGoals):
    """Poles: one row each, the angle about the limb's line from the target to the middle joint.

    The row, for the angle t::

        a t  h^2 / (h^2 + h0^2)  s^2 / (s^2 + s0^2)

    fades with the distance h of the middle joint from the line, and with the sine s of the target's angle
    with it, so that straight limbs, and targets in line with a limb, have no say and no jump. Slopes are
    those of the angle alone: a pole swings its limb, and never stretches it to fade.
    """

    def fades(self, points: Array) -> Array:
        """Return how much the angles count (batch, m), from 0 to 1."""
        return self._limbs(points).fade

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return the faded angles, (batch, m, 1)."""
        limbs = self._limbs(points)
        return (self.roots * self.arm * limbs.angle * limbs.fade)[..., None]

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, None]:
        """Return the derivatives by the ends and the middle of the limbs, as if nothing faded."""
        limbs = self._limbs(points)
        middle, line, target = limbs.slopes()
        target = self.is_point[:, None] * target
        by_point = np.stack([-middle - line - target, middle, line], axis=2)[:, :, None]
        return (self.roots * self.arm)[..., None, None, None] * by_point, None

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return no lengths, and the faded angles (batch, m)."""
        limbs = self._limbs(points)
        angles = self.counted * np.abs(limbs.angle) * limbs.fade
        return np.zeros_like(angles), angles

    def swings(self, points: Array, shares: Array) -> Array:
        """Return the turns of both parts of the limbs that bring the middle joints to their poles.

        Both turn about the limb's line. Of the twist that this is for them they keep a share: first one that
        is all of it for bent limbs, whose joint then bends as before, and none for straight ones, and after
        that each of ``shares``.
        """
        return self._limbs(points).swings(self.counted, shares)

    def _limbs(self, points: Array) -> "_Limbs":
        upper, middle, end = (points[:, :, number] for number in range(3))
        return _Limbs(middle - upper, end - upper, self.ways(upper), self.arm)


class _Limbs:
    """Limbs seen from their roots: where middle, end and target are, (batch, m, 3), and what follows.

    ``angle`` (batch, m) about the line from the target to the middle; ``fade`` (batch, m): how much it
    counts, for the limb's bend and for the target's angle with the line. What is kept of middle and target,
    one after the other, has an axis for these two in front.
    """

    def __init__(self, middle: Array, end: Array, target: Array, arm: Array) -> None:
        self._length = np.maximum(norm(end), _TINY * arm)[..., None]
        self._distance = np.maximum(norm(target), _TINY * arm)[..., None]
        self._parts, self._line = np.stack([middle, end - middle], axis=2), end / self._length
        line, ways = self._line, np.stack([middle, target / self._distance])
        self._along = dot(ways, line)[..., None]
        out = ways - self._along * line
        squares = dot(out, out)[..., None]
        halves = np.stack([(_STRAIGHT * arm) ** 2, np.full(arm.shape, _IN_LINE**2)])
        self._dimmed = 1 / (squares + halves[..., None])
        self._shares = squares * self._dimmed
        self.fade: Array = (self._shares[0] * self._shares[1])[..., 0]
        self._round = cross(np.broadcast_to(line, out.shape), out)
        self.angle = arctan2(dot(self._round[1], out[0]), dot(out[1], out[0]))

    def slopes(self) -> tuple[Array, Array, Array]:
        """Return the derivatives (batch, m, 3) of the angle by middle, end and target, times the fade."""
        # No division by what is next to nothing: the fades' denominators stand for it.
        middle, target = self._dimmed * self._shares[::-1] * self._round
        line = self._along[1] * target - self._along[0] * middle
        return middle, line / self._length, -target / self._distance

    def swings(self, counted: Mask, shares: Array) -> Array:
        """Return turns (batch, 1 + s, m, 2, 3, 3) of upper and lower parts; none of limbs not ``counted``."""
        back = (counted * self.angle)[..., None]
        swung = rotation_vector_to_matrix(-back * self._line)[:, :, None]
        parts = matvec(swung, self._parts)
        parts /= np.maximum(norm(parts), _TINY * self._length)[..., None]
        kept = np.concatenate([self._shares[:1, ..., 0], np.multiply.outer(shares, np.ones_like(self.angle))])
        undone = np.swapaxes(1 - kept, 0, 1)[..., None] * back[:, None]
        twisted: Array = rotation_vector_to_matrix(undone[..., None] * parts[:, None]) @ swung[:, None]
        return twisted
