# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How joints would rather be, where the targets leave a choice.

A joint's posture cost is how unlikely its rotation is: with ``e`` the turn from its comfort rotation to the
present one, a rotation vector in the bone's own frame, and ``S`` the spread of such turns in natural motion,
it is ``d^2 = e^T S^-1 e``. Of Gaussian turns 3 % stray farther than three deviations: what does is no habit
but forced by targets, and neighbours are not to bend far to spare it. There the cost grows in proportion to
``d`` (Huber 1964, 10.1214/aoms/1177703732). Soft rims of limits add to it; see steps/comfort_at_targets.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import ComfortError, check_kinds
from ..geometry import (
    Array,
    Indices,
    Rows,
    are_numbers,
    einsum,
    matrix_to_quaternion,
    matvec,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
    rotation_vector_bends,
    rotation_vector_rates,
    rotation_vector_to_matrix,
    vecmat,
)
from .one_way import OneWay, OneWays, one_ways
from .ties import MOST_TIES, Ties, ties

# The least spread, radians: a joint that never moved where its comfort was learned may have to here.
_LEAST_SPREAD = 0.05
# The spread, radians, of a bone of mean length for which none is given.
_USUAL_SPREAD = 0.4
# From how many standard deviations on a turn is no habit.
_FAR = 3.0


@dataclass(frozen=True, eq=False)
class Comfort:
    """Where a joint rests, and how far it strays from there.

    - ``rotation``, (4,) or (batch, 4): a quaternion relative to rest, as poses have it.
    - ``spread``, (3, 3) or (batch, 3, 3): the covariance, in square radians, of the turns from there, as
      rotation vectors in the bone's own frame. A number is a standard deviation, in radians, the same about
      all axes. A smaller spread pulls harder, down to about 3 degrees. None: the joint strays as readily as
      the solver turns the bone, by 0.4 radians for a bone of mean length, by more for a longer one.
    - ``one_way``: to which side the limb bends, if it bends to one side only.
    - ``ties``, (3, k) or (batch, 3, k): how the joint strays together with others, about the axes of its
      bone, in standard deviations. ``ties @ other.ties.T`` is the correlation of the strays of two joints.
      Ties are shorter than 1.
    - ``batch``: how many rows all of these have, one for all problems or one for each.

    Raises ComfortError naming the bone.
    """

    bone: str
    rotation: Array
    spread: Array | float | None = 0.5
    one_way: OneWay | None = None
    ties: Array | None = None
    batch: int = field(default=1, init=False)

    def __post_init__(self) -> None:
        if not are_numbers(self.rotation, 0 if self.spread is None else self.spread):
            raise ComfortError(f"The comfort of '{self.bone}' has a value that is no number")
        rotation = np.array(self.rotation, dtype=np.float64)
        fits = rotation.ndim in (1, 2) and rotation.shape[-1] == 4 and rotation.size
        if not fits or not (np.abs(np.linalg.norm(rotation, axis=-1) - 1) < 1e-6).all():
            raise ComfortError(f"The comfort pose of '{self.bone}' is no rotation, a quaternion of length 1")
        object.__setattr__(self, "rotation", rotation)
        if self.spread is not None:
            self._set_spread(np.array(self.spread, dtype=np.float64))
        if self.ties is not None:
            self._set_ties(self.ties)
        ways = [] if self.one_way is None else [self.one_way]
        check_kinds(ways, OneWay, f"The way of the limb of '{self.bone}'", ComfortError)
        rows = _rows(self.rotation, 1), _rows(self.spread, 2), _rows(self.ties, 2)
        object.__setattr__(self, "batch", max(rows))

    def _set_ties(self, given: Array) -> None:
        shape = np.shape(given) if are_numbers(given) else ()
        if len(shape) not in (2, 3) or shape[-2] != 3 or not 0 < shape[-1] <= MOST_TIES:
            raise ComfortError(f"The ties of '{self.bone}' must be numbers (3, k), k at most {MOST_TIES}")
        tied = np.array(given, dtype=np.float64)
        if not (np.isfinite(tied).all() and (np.linalg.norm(tied, 2, axis=(-2, -1)) < 1).all()):
            raise ComfortError(f"The ties of '{self.bone}' are not shorter than 1")
        object.__setattr__(self, "ties", tied)

    def _set_spread(self, spread: Array) -> None:
        if spread.ndim == 0 and spread < 0:
            raise ComfortError(f"The spread of '{self.bone}' is negative")
        if spread.ndim == 0:
            spread = spread**2 * np.eye(3)
        fits = spread.ndim in (2, 3) and spread.shape[-2:] == (3, 3) and spread.size
        if not fits or not np.isfinite(spread).all() or not _is_symmetric(spread):
            raise ComfortError(
                f"The spread of '{self.bone}' must be finite, a number or a symmetric matrix (3, 3)"
            )
        if (np.linalg.eigvalsh(spread)[..., 0] < -1e-9 * np.trace(spread, axis1=-2, axis2=-1)).any():
            raise ComfortError(f"The spread of '{self.bone}' is negative in some direction")
        object.__setattr__(self, "spread", spread)

    @property
    def tied(self) -> Array | None:
        """The ties (b, 3, k), None where there are none."""
        return self.ties[None] if self.ties is not None and self.ties.ndim == 2 else self.ties

    def rows(self, keep: Rows) -> "Comfort":
        """Return the comfort of the rows ``keep`` of a batch; what all rows share is left alone."""
        rotation, spread, tied = (value[keep] if len(value) > 1 else value for value in self._values())
        own = None if self.spread is None else spread
        return replace(self, rotation=rotation, spread=own, ties=None if self.ties is None else tied)

    def moved(self, rotation: Array, strays: float, share: Array | float = 1.0) -> "Comfort":
        """Return the comfort at another ``rotation`` (..., 4), the joint straying ``strays`` times as far.

        It keeps the ``share``, of all rows or (batch,), of its ties. As a drag makes it in every move it is
        not checked again.
        """
        spread = self.spread if self.spread is None or strays == 1 else strays**2 * np.asarray(self.spread)
        shares, rotation = np.asarray(share), np.asarray(rotation, dtype=np.float64)
        tied = None if self.ties is None else shares[..., None, None] * self.ties
        batch = max(self.batch, rotation.size // 4, shares.size)
        made = object.__new__(Comfort)
        vars(made).update(vars(self), rotation=rotation, spread=spread, ties=tied, batch=batch)
        return made

    def _values(self) -> tuple[Array, Array, Array]:
        """Return rotations (b, 4), spreads (b, 3, 3) and ties (b, 3, k), zeros for none."""
        spread = np.zeros((3, 3)) if self.spread is None else np.asarray(self.spread)
        tied = np.zeros((3, 0)) if self.ties is None else self.ties
        return np.atleast_2d(self.rotation), spread.reshape(-1, 3, 3), tied[None] if tied.ndim == 2 else tied


def _rows(value: Array | float | None, own: int) -> int:
    """Return how many rows a value has that has ``own`` axes where all share one."""
    return len(value) if isinstance(value, np.ndarray) and value.ndim > own else 1


def _is_symmetric(matrices: Array) -> bool:
    """Return whether matrices (..., 3, 3) are symmetric but for rounding."""
    apart = np.abs(matrices - matrices.swapaxes(-1, -2))
    return bool((apart <= 1e-8 + 1e-5 * np.abs(matrices)).all())


@dataclass(frozen=True, eq=False, slots=True)
class Comforts:
    """The comfort of ``m`` bones: ``rotations``, ``precisions`` (b, m, 3, 3), inverse spreads.

    ``one_ways``: those of their limbs that bend to one side. ``ties``: which stray together, if any do.
    """

    bones: Indices
    rotations: Array
    precisions: Array
    one_ways: OneWays
    ties: Ties | None = None

    def rows(self, keep: Rows) -> "Comforts":
        """Return the comforts of the rows ``keep`` of a batch; what all rows share is left alone."""
        rotations, precisions = (
            value if len(value) == 1 else value[keep] for value in (self.rotations, self.precisions)
        )
        tied = self.ties and self.ties.of_rows(keep)
        return replace(self, rotations=rotations, precisions=precisions, ties=tied)

    def strays(self, local: Array) -> Array:
        """Return the turns (batch, m, 3) from comfort to local rotations (batch, m, 3, 3)."""
        return quaternion_to_rotation_vector(matrix_to_quaternion(self.rotations.swapaxes(-1, -2) @ local))

    def posture_cost(self, local: Array) -> Array:
        """Return the posture cost, (batch,), at local rotations (batch, m, 3, 3)."""
        strays = self.strays(local)
        squares = self._squares(strays)
        costs = np.where(squares > _FAR**2, _FAR * (2 * np.sqrt(squares) - _FAR), squares)
        total: Array = einsum("bm->b", costs)
        if self.ties is not None:
            total = total + self.ties.cost(strays.take(self.ties.bones, axis=1))
        return total

    def trust(self, strays: Array) -> Array:
        """Return the share (batch, m) of their precision that turns (batch, m, 3) are pulled back with."""
        return _trust(self._squares(strays))

    def model(self, strays: Array) -> tuple[Array, Array, Array]:
        """Return half the gradient (batch, m, 3) of posture cost over the turns, and half its curvature.

        Of that blocks (batch, m, 3, 3), no less than it is, and rows (batch, k, t, 3) of the bones that are
        tied, whose squares the blocks have too much: together what least squares have.
        """
        trust = self.trust(strays)
        blocks = trust[..., None, None] * self.precisions
        pulls = matvec(blocks, strays)
        if self.ties is None:
            return pulls, blocks, np.zeros((len(strays), 0, 0, 3))
        bones = self.ties.bones
        drawn, added, rows = self.ties.model(strays.take(bones, axis=1))
        pulls[:, bones] += drawn
        blocks[:, bones] += added
        return pulls, blocks, rows

    def bends(self, strays: Array, pulls: Array) -> Array:
        """Return what blocks less rows lack of half the posture cost's second derivatives.

        (batch, m, 3, 3), over turns in the bones' own frames; but for that of ties far from comfort.
        ``pulls`` (batch, m, 3): its gradient over the turns.
        """
        trust = self.trust(strays)
        slopes = vecmat(trust[..., None] * matvec(self.precisions, strays), rotation_vector_rates(strays))
        fading = np.where(trust < 1, trust / _FAR**2, 0.0)[..., None, None]
        return rotation_vector_bends(strays, pulls) - fading * slopes[..., :, None] * slopes[..., None, :]

    def _squares(self, strays: Array) -> Array:
        """Return how many standard deviations turns (batch, m, 3) are long, squared, (batch, m)."""
        squares: Array = einsum("bmi,bmi->bm", strays, matvec(self.precisions, strays))
        return squares

    def eased(self, local: Array, share: Array) -> Array:
        """Return the local rotations ``share`` (batch, 1) of the way to comfort."""
        left = (1 - share)[..., None] * self.strays(local)
        return self.rotations @ rotation_vector_to_matrix(left)


def _trust(squares: Array) -> Array:
    """Return the share of their precision that turns so many deviations long, squared, are drawn with."""
    trust: Array = 1 / np.maximum(np.sqrt(squares) / _FAR, 1.0)
    return trust


def comforts(chosen: Sequence[Comfort], place: dict[str, int], mobility: Array, readiness: Array) -> Comforts:
    """Return the comfort of the bones in ``place`` (name to index); stiff bones stray the less.

    ``mobility`` (n,); ``readiness`` (b, n): how readily bones turn, squared.
    """
    chosen = sorted((comfort for comfort in chosen if comfort.bone in place), key=lambda c: place[c.bone])
    if not chosen:
        nothing = np.zeros((1, 0, 3, 3))
        return Comforts(np.zeros(0, np.int64), nothing, nothing, one_ways(()))
    bones = np.array([place[comfort.bone] for comfort in chosen], dtype=np.int64)
    several = [comfort for comfort in chosen if comfort.batch > 1]
    rows = max((_rows(comfort.rotation, 1) for comfort in several), default=1)
    count = max((_rows(comfort.spread, 2) for comfort in several), default=1)
    usual = _USUAL_SPREAD**2 * readiness[..., None, None] * np.eye(3)
    rotations = np.empty((rows, len(bones), 4))
    spreads = np.empty((max(count, len(readiness)), len(bones), 3, 3))
    for index, comfort in enumerate(chosen):
        rotations[:, index] = comfort.rotation
        spreads[:, index] = usual[:, bones[index]] if comfort.spread is None else comfort.spread
    values, vectors = np.linalg.eigh(spreads)
    precise = 1 / (np.maximum(values, 0.0) + _LEAST_SPREAD**2) / np.maximum(mobility[bones, None], 1e-6)
    precisions = (vectors * precise[..., None, :]) @ vectors.swapaxes(-1, -2)
    roots = (vectors * np.sqrt(precise)[..., None, :]) @ vectors.swapaxes(-1, -2)
    ways = one_ways((place[comfort.bone], comfort.one_way) for comfort in chosen if comfort.one_way)
    tied = ties([comfort.tied for comfort in chosen], roots)
    return Comforts(bones, quaternion_to_matrix(rotations), precisions, ways, tied)
