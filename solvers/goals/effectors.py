# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What should be where: effectors on bones and the targets they should meet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite

import numpy as np

from ..errors import EffectorError, check_kinds
from ..geometry import Array, Mask, Rows, are_numbers, is_whole, norm
from ..model import LEFT_OUT, LONGEST, Skeleton, frozen


@dataclass(frozen=True, slots=True)
class Effector:
    """A bone, with an offset point on it, that should meet a target.

    - ``offset``: the point in the bone's frame, in length units
    - ``position_weight``, ``rotation_weight``: how much a miss counts; 0 ignores it. Both mean the same on a
      rig of any size.
    - ``rotation_axes``: 1 where the turn about that axis of the target counts, 0 where it is free
    - ``falloff``: how much the bones above this one feel the effectors below it: 1 fully, 0 not at all
    - ``rank``: 1 for what must hold, 2 for what should hold as far as the first rank lets it, and so on.
      Within a rank weights decide.
    - ``rotation_rank``: the rank of the rotation, if it is not that of the position

    Raises EffectorError naming the bone.
    """

    bone: str
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    position_weight: float = 1.0
    rotation_weight: float = 1.0
    rotation_axes: tuple[float, float, float] = (1.0, 1.0, 1.0)
    falloff: float = 1.0
    rank: int = 2
    rotation_rank: int | None = None

    def __post_init__(self) -> None:
        own = self.position_weight, self.rotation_weight, self.falloff
        if not are_numbers(self.offset, self.rotation_axes, own):
            raise EffectorError(f"The effector on '{self.bone}' has a value that is no number")
        if not np.shape(self.offset) == np.shape(self.rotation_axes) == (3,):
            raise EffectorError(f"The effector on '{self.bone}' has a value that is not 3 long")
        by_axis = (self.rotation_weight * axis for axis in self.rotation_axes)
        weights = (self.position_weight, self.rotation_weight, *self.rotation_axes, *by_axis)
        if not all(map(isfinite, (*self.offset, *weights, self.falloff))):
            raise EffectorError(f"The effector on '{self.bone}' has a value that is not finite")
        if max(map(abs, self.offset)) > LONGEST:
            raise EffectorError(f"The effector on '{self.bone}' is more than {LONGEST:g} away from its bone")
        if min(weights) < 0:
            raise EffectorError(f"The effector on '{self.bone}' has a negative weight")
        if not 0 <= self.falloff <= 1:
            raise EffectorError(f"The effector on '{self.bone}' has a falloff outside 0 to 1")
        if not all(map(is_whole, self.ranks)):
            raise EffectorError(f"The effector on '{self.bone}' has a rank that is no whole number")
        if min(self.ranks) < 1:
            raise EffectorError(f"The effector on '{self.bone}' has rank {min(self.ranks)}; the first is 1")

    @property
    def ranks(self) -> tuple[int, int]:
        """The ranks of position and rotation."""
        return self.rank, self.rank if self.rotation_rank is None else self.rotation_rank


@cache
def plain_axes(effectors: int) -> Array:
    """Return axes (1, effectors, 3, 3) in which positions count alike; the same array every time."""
    return frozen(np.broadcast_to(np.eye(3), (1, effectors, 3, 3)))


@dataclass(frozen=True, eq=False)
class Targets:
    """Where the effectors should be, in armature space, one row for each problem of the batch.

    - ``positions`` (batch, effectors, 3), ``rotations`` (batch, effectors, 4)
    - ``axes`` (batch or 1, effectors, 3, 3): maps a miss in armature space onto the axes in which it counts.
      A row of zeros leaves that axis free; the identity by default.
    - ``weights`` (batch or 1, effectors, 2): factors on the effectors' weights of position and rotation, 1 by
      default
    - ``offsets`` (batch or 1, effectors, 3): the points in their bones' frames that should meet the targets,
      the effectors' own by default

    Raises EffectorError for wrong shapes and values that are not finite.
    """

    positions: Array
    rotations: Array
    axes: Array = LEFT_OUT
    weights: Array | None = None
    offsets: Array | None = None

    def __post_init__(self) -> None:
        for name in ("positions", "rotations", "axes", "weights", "offsets"):
            if name in ("positions", "rotations") or getattr(self, name) is not None:
                array = frozen(getattr(self, name), what=f"Target {name}", error=EffectorError)
                object.__setattr__(self, name, array)
        count = self.positions.shape[1] if self.positions.ndim == 3 else 0
        if self.axes is None:
            object.__setattr__(self, "axes", plain_axes(count))
        tails: dict[str, tuple[int, ...]] = {"positions": (3,), "rotations": (4,), "axes": (3, 3)}
        own: dict[str, tuple[int, ...]] = {"weights": (2,), "offsets": (3,)}
        tails |= {name: tail for name, tail in own.items() if getattr(self, name) is not None}
        batch = len(np.atleast_1d(self.positions))
        for name, tail in tails.items():
            shape = getattr(self, name).shape
            batches = (batch,) if name in ("positions", "rotations") else (batch, 1)
            if shape[:1] not in [(b,) for b in batches] or shape[1:] != (count, *tail):
                raise EffectorError(f"Target {name} have shape {shape}, not (batch, effectors, {tail})")

    def but_in(self, rows: Mask, parts: Mask) -> "Targets":
        """Return the targets, of which these ``parts`` (effectors, 2), places and rotations, weigh nothing in
        the ``rows`` (batch,) of a mask.
        """
        own = np.ones((1, self.positions.shape[1], 2)) if self.weights is None else self.weights
        return replace(self, weights=np.where(rows[:, None, None] & parts, 0.0, own))

    def rows(self, keep: Rows) -> "Targets":
        """Return the targets of the rows ``keep``."""
        plain = self.axes is plain_axes(self.positions.shape[1])
        axes = self.axes if len(self.axes) == 1 else self.axes[keep]
        given = (self.weights, self.offsets)
        own = (part[keep] if part is not None and len(part) > 1 else part for part in given)
        return Targets(self.positions[keep], self.rotations[keep], LEFT_OUT if plain else axes, *own)

    def check(self, effectors: tuple[Effector, ...]) -> None:
        """Raise EffectorError naming the effector whose target is missing or cannot be used."""
        if len(effectors) != self.positions.shape[1]:
            raise EffectorError(f"There are {len(effectors)} effectors but {self.positions.shape[1]} targets")
        given = [self.positions] if self.axes is plain_axes(len(effectors)) else [self.positions, self.axes]
        for values in given:
            if not (np.abs(values) <= LONGEST).all():
                flat = np.moveaxis(values, 1, 0).reshape(len(effectors), -1)
                _refuse(effectors, ~np.all(np.isfinite(flat), axis=1), "is not finite")
                far = np.any(np.abs(flat) > LONGEST, axis=1)
                _refuse(effectors, far, f"is more than {LONGEST:g} away, or its axes are longer than that")
        unit = np.abs(norm(np.minimum(np.abs(self.rotations), 2.0)) - 1) < 1e-6
        if not unit.all():
            _refuse(effectors, ~np.all(unit, axis=0), "has a rotation that is no unit quaternion")
        if self.weights is not None:
            odd = ~np.all((self.weights >= 0) & (self.weights <= LONGEST), axis=(0, 2))
            _refuse(effectors, odd, f"has a weight that is negative, not finite or more than {LONGEST:g}")
        if self.offsets is not None:
            odd = ~np.all(np.abs(self.offsets) <= LONGEST, axis=(0, 2))
            _refuse(effectors, odd, f"has an offset that is not finite or more than {LONGEST:g}")


def points_of(effectors: Sequence[Effector], offsets: Array | None) -> Array:
    """Return the points on the bones that should meet targets, (b, effectors, 3), in the bones' frames.

    ``offsets``: as ``Targets.offsets``.
    """
    if offsets is not None:
        return offsets
    return np.array([e.offset for e in effectors], dtype=np.float64).reshape(1, -1, 3)


def weights_of(effectors: Sequence[Effector], factors: Array | None) -> Array:
    """Return how much positions and rotations count, (b, effectors, 2), each row by its ``factors``.

    ``factors``: as ``Targets.weights``.
    """
    own = np.array([(e.position_weight, e.rotation_weight) for e in effectors]).reshape(1, -1, 2)
    return own if factors is None else own * factors


def _refuse(effectors: tuple[Effector, ...], bad: Mask, complaint: str) -> None:
    """Raise EffectorError naming the first effector whose target is ``bad`` (effectors,)."""
    if bad.any():
        raise EffectorError(f"The target of '{effectors[int(np.argmax(bad))].bone}' {complaint}")


def check_effectors(skeleton: Skeleton, effectors: tuple[Effector, ...], alone: bool) -> None:
    """Raise SkeletonError for a bone that is not there, EffectorError when nothing is asked for.

    ``alone``: whether there are no goals of other kinds.
    """
    check_kinds(effectors, Effector, "The effectors", EffectorError)
    for effector in effectors:
        skeleton.index(effector.bone)
    if alone and not effectors:
        raise EffectorError("There are no effectors")
    if alone and not any(
        e.position_weight or (e.rotation_weight and any(e.rotation_axes)) for e in effectors
    ):
        raise EffectorError("Every effector has zero weight")
