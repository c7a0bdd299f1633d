# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fewest keys with which a body stays within a bound of the full clip.

Bones are taken from the root to the tips. Each bone is fitted to the turns that bring it where the full clip
has it, given what its parents have become: so errors do not add up along a chain. A channel may be off by a
share of the bound, divided by what the channel does. Shares grow where there is room and shrink where there
is none.

Errors are those of rotations, and of points a few centimetres off every bone's head along its three axes.
This is how animation compression measures what a skin would show (N. Frechette, *Animation Compression:
Measuring Accuracy*, 2016: virtual vertices).
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..errors import SettingsError
from ..geometry import Array, Indices, is_number, vecmat
from .between import largest_around
from .curves import Curve, fitted
from .motion import Motion, small_turns
from .spans import SUBFRAMES, fewest_spans

# Shares of the bound that turns and moves of single bones begin with.
_TURNS, _MOVES = 0.6, 0.3
# In the first rounds shares grow and shrink, aiming at so much of the bound; then they shrink until it holds.
_ROUNDS, _AIM, _TIGHTER = 2, 0.85, 0.94
_MOST_ROUNDS = 12
# What a round may leave of shares, at least and at most, and the power of what would be right for one alone.
_SHRINK, _GROW, _SOFTLY = 0.4, 1.5, 0.7
# Channels that do less than this part of what the strongest of their bone does count as doing that much.
_WEAK = 0.1
_NOTHING = 1e-12


@dataclass(frozen=True)
class Bound:
    """How far points may be off, ``distance``, and bones be turned, ``angle`` in radians.

    ``shell``: how far from heads the points are. Raises SettingsError.
    """

    distance: float
    angle: float
    shell: float

    def __post_init__(self) -> None:
        for name in ("distance", "angle", "shell"):
            value = getattr(self, name)
            if not (is_number(value) and 0 < value < np.inf):
                raise SettingsError(f"The {name} of a bound must be above zero, not {value!r}")


@dataclass(frozen=True, eq=False)
class Reduction:
    """``curves``: one for each channel. ``worst``: how many times the bound they are off."""

    curves: tuple[Curve, ...]
    worst: float

    @property
    def keys(self) -> int:
        """How many keys all curves have."""
        return sum(len(curve.keys) for curve in self.curves)


def reduce_keys(motion: Motion, bound: Bound) -> Generator[int, None, Reduction | None]:
    """Return few keys that are within the bound, or None where none are found; gives the steps done."""
    fit = _Fit(motion, bound, motion.effects())
    shares = np.empty((2, *motion.heads.shape[:2]))
    shares[0], shares[1] = _TURNS, _MOVES
    done = 0
    for tried in range(_MOST_ROUNDS):
        values = motion.channels.values.copy()
        curves: dict[int, Curve] = {}
        for bones in _levels(motion.parents):
            curves |= fit.level(bones, shares, values)
            done += len(bones)
            yield done
        worst, factors = fit.reshared(motion.pose(values))
        if worst <= 1.0:
            return Reduction(tuple(curves[row] for row in range(len(curves))), worst)
        shares *= factors if tried < _ROUNDS else _TIGHTER * np.minimum(factors, 1.0)
    return None


def distances_between(
    rotations: tuple[Array, Array], points: tuple[Array, Array], shell: float
) -> tuple[Array, Array]:
    """Return how far points ``shell`` off others are apart, and angles between rotations, (samples, points).

    Before and after: ``rotations`` (samples, points, 3, 3), whose axes the points are off along, and
    ``points`` (samples, points, 3). The largest half way around each sample.
    """
    turned = shell * (rotations[1] - rotations[0]).swapaxes(-1, -2)
    apart = (points[1] - points[0])[..., None, :] + turned
    return largest_around(apart).max(axis=-1), largest_around(small_turns(*rotations))


def _levels(parents: Indices) -> list[Indices]:
    depths = np.zeros(len(parents), np.int64)
    for bone, parent in enumerate(parents):
        depths[bone] = depths[parent] + 1 if parent >= 0 else 0
    return [np.flatnonzero(depths == depth) for depth in range(int(depths.max(initial=-1)) + 1)]


@dataclass(frozen=True, eq=False)
class _Fit:
    """Fits channels of a motion within a bound; ``effects`` (channels, samples, 3): what they do."""

    motion: Motion
    bound: Bound
    effects: Array

    def level(self, bones: Indices, shares: Array, values: Array) -> dict[int, Curve]:
        """Return the curves of the bones' channels, by row; ``values`` of their parents are fitted.

        ``shares`` (2, samples, bones) of the bound, of turns and moves. The bones' values are changed.
        """
        owners, turning = self.motion.channels.bones, self.motion.channels.parts < 4
        away = small_turns(self.motion.pose(values)[0][:, bones], self.motion.rotations[:, bones])
        for place, bone in enumerate(bones):
            rows = np.flatnonzero((owners == bone) & turning)
            values[rows] += _undoing(self.effects[rows], away[:, place])
        rows, curves = np.flatnonzero(np.isin(owners, bones)), {}
        allowed = self._tolerances(rows, shares)
        spans = fewest_spans(values[rows], allowed)
        for row, limits, keys in zip(rows.tolist(), allowed, spans, strict=True):
            curves[row] = fitted(values[row], limits, keys)
            values[row] = curves[row].sampled()
        return curves

    def _tolerances(self, rows: Indices, shares: Array) -> Array:
        """Return by how much channels (rows, samples) may be off."""
        owners, moving = self.motion.channels.bones[rows], self.motion.channels.parts[rows] >= 4
        strengths = np.linalg.norm(self.effects[rows], axis=-1)
        weakest = np.array([_WEAK * strengths[owners == owner].max() for owner in owners]).reshape(-1, 1)
        limits = np.where(moving, self.bound.distance, self.bound.angle)[:, None]
        allowed = limits * shares[moving.astype(int), :, owners]
        tolerances: Array = allowed / np.maximum(np.maximum(strengths, weakest), _NOTHING)
        return tolerances

    def reshared(self, found: tuple[Array, Array]) -> tuple[float, Array]:
        """Return how many times the bound the found pose is off, and by what to multiply shares."""
        motion, bound, full = self.motion, self.bound, (self.motion.rotations, self.motion.heads)
        turned = full[0][:, motion.holders], found[0][:, motion.holders]
        points = motion.watched(full), motion.watched(found)
        distances, _ = distances_between(turned, points, bound.shell)
        angles = largest_around(small_turns(found[0], full[0])) / bound.angle
        below, moved = motion.below(), np.zeros(angles.shape)
        for holder in np.unique(motion.holders):
            off = distances[:, motion.holders == holder].max(axis=1) / bound.distance
            moved[:, below[holder]] = np.maximum(moved[:, below[holder]], off[:, None])
        off = np.stack([np.maximum(angles, moved), moved])
        factors = np.clip(_AIM / np.maximum(_around(off), _NOTHING), _SHRINK, _GROW) ** _SOFTLY
        return float(off.max()), factors


def _undoing(effects: Array, turns: Array) -> Array:
    """Return small changes (channels, samples) of a bone's channels that turn it by (samples, 3).

    By damped least squares: where a limit stops the bone, or it turns by no angle about its axis, no change
    undoes a turn, and near there only large ones do.
    """
    if not len(effects):
        return np.zeros((0, len(turns)))
    jacobians = np.moveaxis(effects, 0, -1)
    weak = max(_WEAK * np.linalg.norm(jacobians, axis=(-2, -1)).max(), _NOTHING)
    damped = jacobians @ jacobians.swapaxes(-1, -2) + weak**2 * np.eye(3)
    return vecmat(np.linalg.solve(damped, turns[..., None])[..., 0], jacobians).T


def _around(values: Array) -> Array:
    """Return the largest values (kinds, samples, bones) within two and a half keys of each sample."""
    reach = 5 * SUBFRAMES // 2
    padded = np.pad(values, ((0, 0), (reach, reach), (0, 0)), mode="edge")
    largest: Array = sliding_window_view(padded, 2 * reach + 1, axis=1).max(axis=-1)
    return largest
