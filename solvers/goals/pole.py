# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The middle joint of a limb, an elbow or a knee, that lies towards a target or a direction."""

from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

import numpy as np

from ..geometry import Array, Mask
from ..model import Skeleton
from .animated import HEAD, Frame
from .limbs import STRAIGHT, Limbs
from .towards import Towards, TowardsGoals
from .weighed import OneSided

# Of a small angle the faded row is at most so many times the distance from the half plane.
_STRICT = 1 / (2 * STRAIGHT)


@dataclass(frozen=True, eq=False)
class Pole(Towards):
    """The head of ``middle`` should lie towards a point or a direction, seen along the limb.

    The limb goes from the head of ``upper`` to that of ``end``; ``middle`` is between them, each below the
    one before. ``at`` (batch or 1, 3): a point; ``along`` (batch or 1, 3): a direction. One of them, in
    armature space.

    A pole never costs the limb's end anything. Its rank is below that of targets, and targets leave one turn
    open: the turn of the limb about the line between its ends. Among goals of its own rank a pole is weighed
    against the others.

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

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return the faded angles, (batch, m, 1)."""
        limbs = self.limbs(points)
        return (self.roots * self.arm * limbs.angle * limbs.fade)[..., None]

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, None]:
        """Return the derivatives by the ends and the middle of the limbs, as if nothing faded."""
        by_point = self.by_point(*self.limbs(points).slopes())[:, :, None]
        return (self.roots * self.arm)[..., None, None, None] * by_point, None

    def by_point(self, middle: Array, end: Array, target: Array) -> Array:
        """Return derivatives (batch, m, 3, 3) by upper, middle and end, of those seen from upper."""
        target = self.is_point[:, None] * target
        return np.stack([-middle - end - target, middle, end], axis=2)

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return no lengths, and the faded angles (batch, m)."""
        limbs = self.limbs(points)
        angles = self.counted * np.abs(limbs.angle) * limbs.fade
        return np.zeros(angles.shape), angles

    def swings(self, points: Array, shares: Array) -> Array:
        """Return the turns of both parts of the limbs that bring the middle joints to their poles.

        Both turn about the limb's line. Of the twist that this is for them they keep a share: first one that
        is all of it for bent limbs, whose joint then bends as before, and none for straight ones, and after
        that each of ``shares``.
        """
        return self.limbs(points).swings(self.counted, shares)

    def held(self, points: Array, length: Array, chosen: Mask) -> "HalfPlanes":
        """Return poles of which the ``chosen``, where they are met, are half planes."""
        off = _STRICT * self.limbs(points).sides()
        near = (np.abs(off[..., 0]) <= length[:, None]) & (off[..., 1] <= length[:, None])
        own = {each.name: getattr(self, each.name) for each in fields(Poles)}
        return HalfPlanes(**own, kept=chosen & near)

    def limbs(self, points: Array) -> Limbs:
        """Return the limbs seen from their roots."""
        upper, middle, end = (points[:, :, number] for number in range(3))
        return Limbs(middle - upper, end - upper, self.ways(upper), self.arm)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HalfPlanes(OneSided, Poles):
    """Poles that lower ranks hold, two rows each; those that are ``kept`` (batch, m) are half planes.

    One row is how far the middle joint is beside the half plane through the pole's target, the other, an
    inequality, how far behind the limb's line. An angle has no slopes where a limb is straight, and a joint
    that a step takes across the line would have to swing all the way round; a half plane has slopes
    everywhere, and from behind it the way back is as short as the way there. The other poles, which were
    missed, are angles, and their second row is zero.
    """

    kept: Mask

    BATCHED: ClassVar[tuple[str, ...]] = (*Poles.BATCHED, "kept")

    def held(self, points: Array, length: Array, chosen: Mask) -> "HalfPlanes":
        """Return poles of which the ``chosen``, where they are met, are half planes too."""
        return replace(self, kept=self.kept | Poles.held(self, points, length, chosen).kept)

    @property
    def both_sides(self) -> Mask:
        """Which rows (batch, m, 2) are equations."""
        return np.stack([np.ones_like(self.kept), ~self.kept], axis=-1)

    def met(self, points: Array, rotations: Array, length: Array, angle: float) -> Mask:
        """Return which poles (batch, m) are met, in whatever form."""
        return Poles.met(self, points, rotations, length, angle)

    def excess(self, points: Array) -> Array:
        """Return the weighted rows (batch, m, 2)."""
        limbs = self.limbs(points)
        angles = self.arm * limbs.angle * limbs.fade
        rows = np.stack([angles, np.zeros_like(angles)], axis=-1)
        if self.kept.any():
            rows = np.where(self.kept[..., None], _STRICT * limbs.sides(), rows)
        return self.roots[..., None] * rows

    def excess_slopes(self, points: Array) -> Array:
        """Return the derivatives of the rows by the ends and the middle of the limbs, as if nothing faded."""
        limbs = self.limbs(points)
        rows = self.arm[..., None, None] * self.by_point(*limbs.slopes())
        rows = np.stack([rows, np.zeros_like(rows)], axis=2)
        if self.kept.any():
            sides = np.stack([self.by_point(*slopes) for slopes in limbs.side_slopes()], axis=2)
            rows = np.where(self.kept[..., None, None, None], _STRICT * sides, rows)
        return self.roots[..., None, None, None] * rows
