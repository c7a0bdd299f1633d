# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints may not do.

A limit speaks of a bone's local rotation: relative to rest, in its parent's frame. Angles are radians. A
range of a whole turn or more is free; a range of nothing holds the joint there. ``cushion`` is the width
of the soft rim inside the limit, 0 for none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import LimitError, in_tuple
from ..geometry import Array, Indices, Rows, arctan2, are_numbers, cross, is_number, norm
from .building import ALONG, Chain, Direction, ellipses, hinges, limb_frames, swings
from .eulers import Eulers
from .group import Group

SWINGS = "SWINGS"  # the sort of all that point into cones: a hundred joints of any kind cost what one does
LONGEST_CHAIN = 32  # cones; to draw more would hold up the window for seconds
_SHORTEST = 1e-100


class _OneForAll:
    """Limits that are the same in all rows of a batch."""

    @property
    def batch(self) -> int:
        """One row."""
        return 1

    def rows(self, keep: Rows) -> Self:
        """Return the limit."""
        return self


@dataclass(frozen=True)
class Hinge(_OneForAll):
    """Turns about one ``axis``, in the bone's rest frame, from ``lower`` to ``upper``.

    ``play``: how far the bone may turn the axis itself, as joints of flesh do; none by default.

    Raises LimitError naming the bone.
    """

    bone: str
    axis: Direction
    lower: float = -pi
    upper: float = pi
    cushion: float = 0.0
    play: float = 0.0

    hinged: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_numbers(self.bone, self.lower, self.upper, self.play)
        _check_range(self.bone, self.lower, self.upper)
        _check_cushion(self.bone, self.cushion)
        _check_direction(self.bone, self.axis, "an axis")
        if not 0 <= self.play <= 0.5 * pi:
            raise LimitError(f"The limit of '{self.bone}' has a play outside 0 to a quarter turn")

    @property
    def sort(self) -> str:
        """With play it is a swing."""
        return SWINGS if self.play else "HINGES"

    @property
    def goes_round(self) -> bool:
        """Whether it may turn by any angle."""
        return self.upper - self.lower >= 2 * pi

    @property
    def swing(self) -> tuple[Chain, Direction]:
        """The cones and the limb of the hinge as seen from its axis, about which the bone then twists."""
        return ((self.axis, self.play),), self.axis

    @classmethod
    def grouped(cls, limits: Sequence[Any], bones: Indices, cushions: Array) -> Group:
        """Return hinges, or swings of any kind, as a group."""
        if limits[0].sort == SWINGS:
            return _swings(limits, bones, cushions)
        return hinges(bones, cushions, _bounds(limits), [limit.axis for limit in limits])

    def tilts(self, local: Array) -> Array:
        """Return how far local rotations (..., 3, 3) turn the axis itself, radians (...)."""
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        turned = local @ axis
        return arctan2(norm(cross(np.broadcast_to(axis, turned.shape), turned)), turned @ axis)


@dataclass(frozen=True)
class Cones(_OneForAll):
    """The bone's ``limb`` stays in a kusudama, its twist about that between ``lower`` and ``upper``.

    ``cones``: a chain of (direction, radius), at most `LONGEST_CHAIN`, neighbours joined by corridors;
    see kusudama.py. ``limb``: where the bone's limb goes on, in its rest frame; +Y unless it lies across it.
    Twist has no meaning where the limb points straight back, so keep that outside.

    Raises LimitError naming the bone.
    """

    bone: str
    cones: Chain
    lower: float = -pi
    upper: float = pi
    cushion: float = 0.0
    limb: Direction = ALONG

    hinged: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check_numbers(self.bone, self.lower, self.upper)
        _check_range(self.bone, self.lower, self.upper)
        _check_cushion(self.bone, self.cushion)
        _check_direction(self.bone, self.limb, "a limb's direction")
        object.__setattr__(self, "cones", in_tuple(self.cones, f"The cones of '{self.bone}'", LimitError))
        if not self.cones:
            raise LimitError(f"The limit of '{self.bone}' has no cone, so it allows nothing")
        if len(self.cones) > LONGEST_CHAIN:
            raise LimitError(
                f"The limit of '{self.bone}' has {len(self.cones)} cones; there may be {LONGEST_CHAIN}"
            )
        for cone in self.cones:
            if len(in_tuple(cone, f"A cone of '{self.bone}'", LimitError)) != 2:
                raise LimitError(f"A cone of the limit of '{self.bone}' is no direction and radius")
            direction, radius = cone
            _check_direction(self.bone, direction, "a cone's direction")
            _check_numbers(self.bone, radius)
            if not 0 <= radius <= pi:
                raise LimitError(f"The limit of '{self.bone}' has a cone's radius outside 0 to half a turn")

    @property
    def sort(self) -> str:
        """A swing."""
        return SWINGS

    @property
    def swing(self) -> tuple[Chain, Direction]:
        """The cones and the limb."""
        return self.cones, self.limb

    @classmethod
    def grouped(cls, limits: Sequence[Any], bones: Indices, cushions: Array) -> Group:
        """Return swings of any kind as a group."""
        return _swings(limits, bones, cushions)


@dataclass(frozen=True)
class Ellipse(_OneForAll):
    """The bone swings within an ellipse of four ``radii``: about +X, -X, +Z and -Z, each 0 to pi.

    The swing is the least turn that brings +Y where the bone points; 0 locks that side. Its twist
    about +Y stays between ``lower`` and ``upper``. See ellipses.py.

    Raises LimitError naming the bone.
    """

    bone: str
    radii: tuple[float, float, float, float]
    lower: float = -pi
    upper: float = pi
    cushion: float = 0.0

    def __post_init__(self) -> None:
        _check_numbers(self.bone, self.lower, self.upper)
        _check_range(self.bone, self.lower, self.upper)
        _check_cushion(self.bone, self.cushion)
        _check_array(self.bone, self.radii)
        if np.shape(self.radii) != (4,) or not all(0 <= radius <= pi for radius in self.radii):
            raise LimitError(f"The limit of '{self.bone}' needs four radii, each 0 to half a turn")

    @property
    def sort(self) -> str:
        """All alike."""
        return "ELLIPSES"

    @classmethod
    def grouped(cls, limits: Sequence[Self], bones: Indices, cushions: Array) -> Group:
        """Return ellipses as a group."""
        return ellipses(bones, cushions, _bounds(limits), [limit.radii for limit in limits])


@dataclass(frozen=True, eq=False)
class EulerLimit:
    """Euler angles between ``lower`` and ``upper``; equal bounds lock an axis, one free axis is a hinge.

    ``order``: "XYZ" and so on, first letter turns first. ``lower``, ``upper`` (batch or 1, 3), by axis.

    Raises LimitError naming the bone.
    """

    bone: str
    order: str
    lower: Array
    upper: Array
    cushion: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.order, str) or sorted(self.order) != ["X", "Y", "Z"]:
            raise LimitError(
                f"The limit of '{self.bone}' has the order '{self.order}', not one of X, Y and Z"
            )
        _check_array(self.bone, self.lower, self.upper)
        for name in ("lower", "upper"):
            bounds = np.atleast_2d(np.array(getattr(self, name), dtype=np.float64))
            if bounds.ndim != 2 or bounds.shape[1] != 3:
                raise LimitError(f"The limit of '{self.bone}' needs bounds (batch, 3), not {bounds.shape}")
            object.__setattr__(self, name, bounds)
        _check_range(self.bone, self.lower, self.upper)
        _check_cushion(self.bone, self.cushion)

    @property
    def sort(self) -> str:
        """The order of the angles."""
        return self.order

    @property
    def batch(self) -> int:
        """How many rows the bounds have."""
        return max(len(self.lower), len(self.upper))

    @classmethod
    def grouped(cls, limits: Sequence[Self], bones: Indices, cushions: Array) -> Group:
        """Return limits of one order as a group."""
        lower, upper = (
            np.stack(np.broadcast_arrays(*(getattr(limit, name) for limit in limits)), axis=1)
            for name in ("lower", "upper")
        )
        return Eulers(bones, cushions, limits[0].order, lower, upper)

    def rows(self, keep: Rows) -> "EulerLimit":
        """Return the limit of the rows ``keep`` of a batch."""
        lower, upper = (value if len(value) == 1 else value[keep] for value in (self.lower, self.upper))
        return replace(self, lower=lower, upper=upper)


def upright(limit: Cones) -> tuple[Cones, Array]:
    """Return the limit as seen from its limb's frame, whose +Y is the limb, and that (3, 3), limb to bone."""
    frame = limb_frames([limit.limb])[0]
    cones = tuple((tuple((direction @ frame).tolist()), radius) for direction, radius in limit.cones)
    return replace(limit, cones=cones, limb=ALONG), frame


def _swings(limits: Sequence[Cones | Hinge], bones: Indices, cushions: Array) -> Group:
    chains, limbs = zip(*(limit.swing for limit in limits), strict=True)
    return swings(bones, cushions, _bounds(limits), chains, limbs, [limit.hinged for limit in limits])


def _bounds(limits: Sequence[Hinge | Cones | Ellipse]) -> tuple[Array, Array]:
    lower, upper = ([float(getattr(limit, name)) for limit in limits] for name in ("lower", "upper"))
    return np.array(lower), np.array(upper)


def _check_numbers(bone: str, *values: object) -> None:
    if not all(map(is_number, values)):
        raise LimitError(f"The limit of '{bone}' has a value that is no number")


def _check_array(bone: str, *values: object) -> None:
    if not are_numbers(*values):
        raise LimitError(f"The limit of '{bone}' has a value that is no number")


def _check_range(bone: str, lower: float | Array, upper: float | Array) -> None:
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        raise LimitError(f"The limit of '{bone}' has an angle that is not finite")
    if not (np.asarray(lower) <= np.asarray(upper)).all():
        raise LimitError(f"The limit of '{bone}' allows nothing: a minimum is above its maximum")


def _check_cushion(bone: str, cushion: float) -> None:
    if not (is_number(cushion) and np.isfinite(cushion) and cushion >= 0):
        raise LimitError(f"The soft rim (cushion) of the limit of '{bone}' is negative or no finite number")


def _check_direction(bone: str, direction: tuple[float, float, float], what: str) -> None:
    _check_array(bone, direction)
    # Squares of lengths far from one are nothing, or no numbers.
    if np.shape(direction) != (3,) or not _SHORTEST < np.abs(direction).max() < 1 / _SHORTEST:
        raise LimitError(f"The limit of '{bone}' has {what} that is zero or not finite")
