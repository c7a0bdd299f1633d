# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and comfort poses learned from the rotations that a motion uses.

The region is a hinge where the motion is one, otherwise the smallest chain of cones that holds the bone's
directions and the smallest range that holds its twists. The order of samples means nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from ..comfort import Comfort
from ..errors import LimitError, SettingsError
from ..limits.kinds import Cones, Hinge
from ..rotation import Array, arctan2, normalised, quaternion_to_matrix
from .cone_chains import smallest_chain
from .mean_rotation import mean_rotation, spread_of, turns_from

# Measured on motion capture: with these, parts held back of a clip are inside; see docs/method.md.
MARGIN = 2 * pi / 180
OUTLIERS = 0.005
# A hinge takes away what a motion has off its axis, so that may be no more than a solve may miss.
HINGE_TOLERANCE = 0.1 * pi / 180

# A motion is a hinge's if it turns by this many tolerances at least.
_LEAST_RANGE = 10


@dataclass(frozen=True, eq=False)
class LearnedLimit:
    """What a bone's samples say of it.

    ``limit``: the region. ``comfort``: the mean rotation and the spread about it. ``left_out``: how many
    samples counted as outliers; they have no say in either.
    """

    limit: Hinge | Cones
    comfort: Comfort
    left_out: int


def learn_limits(
    names: Sequence[str],
    rotations: Array,
    margin: float = MARGIN,
    outliers: float = OUTLIERS,
    hinge_tolerance: float = HINGE_TOLERANCE,
) -> list[LearnedLimit]:
    """Return what each bone's rotations (samples, bones, 4) say: its limit and its comfort.

    ``rotations`` are local: relative to rest, in the parent's frame, ``wxyz``, of any length and sign.
    ``margin``, radians, is left round the samples. ``outliers`` is the share of samples, the most unusual
    ones, that may be left out. A bone whose other samples are no more than ``hinge_tolerance``, radians,
    off one axis becomes a hinge.

    Raises LimitError naming the bone, SettingsError.
    """
    rotations = np.asarray(rotations, dtype=np.float64)
    _check(names, rotations, margin, outliers, hinge_tolerance)
    return [
        _learned(name, _in_order(rotations[:, bone]), margin, outliers, hinge_tolerance)
        for bone, name in enumerate(names)
    ]


def _check(names: Sequence[str], rotations: Array, margin: float, outliers: float, tolerance: float) -> None:
    if rotations.ndim != 3 or rotations.shape[1:] != (len(names), 4):
        raise LimitError(
            f"Rotations to learn from have the shape {rotations.shape}, not (samples, {len(names)}, 4)"
        )
    if not len(rotations):
        raise LimitError("There are no rotations to learn limits from")
    for bone, name in enumerate(names):
        lengths = np.linalg.norm(rotations[:, bone], axis=-1)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise LimitError(f"A rotation of '{name}' to learn from is zero or not finite")
    if not 0 <= margin <= pi:
        raise SettingsError(f"The margin is {margin} radians, not 0 to pi")
    if not 0 <= outliers < 1:
        raise SettingsError(f"The share of outliers is {outliers}, not 0 to below 1")
    if not 0 <= tolerance <= pi:
        raise SettingsError(f"The hinge tolerance is {tolerance} radians, not 0 to pi")


def _in_order(quaternions: Array) -> Array:
    """Return the samples with one sign each, sorted, so that sums do not feel the order of time."""
    unit = normalised(quaternions)
    first = np.take_along_axis(unit, np.argmax(np.abs(unit) > 1e-9, axis=-1)[:, None], axis=-1)
    unit = unit * np.sign(first)
    return unit[np.lexsort(unit.T)]


def _learned(name: str, samples: Array, margin: float, outliers: float, tolerance: float) -> LearnedLimit:
    kept = _usual(samples, int(outliers * len(samples)), tolerance)
    limit = _hinge(name, kept, margin, tolerance) or _cones(name, kept, margin)
    mean = mean_rotation(kept)
    comfort = Comfort(name, mean, spread_of(turns_from(mean, kept)))
    return LearnedLimit(limit, comfort, len(samples) - len(kept))


def _usual(samples: Array, count: int, least: float) -> Array:
    """Return the samples without the ``count`` least usual ones.

    Unusual is measured in spreads from the mean, both taken again without those. Spreads below
    ``least`` radians count as that.
    """
    kept = np.arange(len(samples))
    for _ in range(3 if count else 0):
        mean = mean_rotation(samples[kept])
        values, axes = np.linalg.eigh(spread_of(turns_from(mean, samples[kept])))
        scaled = turns_from(mean, samples) @ axes / np.sqrt(np.maximum(values, least**2) + 1e-18)
        kept = np.sort(np.argsort(np.sum(scaled**2, axis=-1), kind="stable")[: len(samples) - count])
    return samples[kept]


def _hinge(name: str, samples: Array, margin: float, tolerance: float) -> Hinge | None:
    """Return the hinge about the one axis of all samples, None if there is none.

    A turn's quaternion keeps to its axis, half a turn and beyond, so the axis is the samples' first
    principal one.
    """
    vectors = samples[:, 1:]
    axis = np.linalg.eigh(vectors.T @ vectors)[1][:, -1]
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    sine = vectors @ axis
    off_axis = np.linalg.norm(vectors - sine[:, None] * axis, axis=-1)
    tilt = 2 * arctan2(off_axis, np.hypot(samples[:, 0], sine))
    lower, upper = _least_range(2 * arctan2(sine, samples[:, 0]))
    if tilt.max() > tolerance or upper - lower < _LEAST_RANGE * tolerance:
        return None
    return Hinge(name, tuple(axis.tolist()), *_widened(lower, upper, margin))


def _cones(name: str, samples: Array, margin: float) -> Cones:
    centres, radii = smallest_chain(quaternion_to_matrix(samples)[:, :, 1], margin)
    lower, upper = _least_range(2 * arctan2(samples[:, 2], samples[:, 0]))
    cones = tuple((tuple(c), r) for c, r in zip(centres.tolist(), radii.tolist(), strict=True))
    return Cones(name, cones, *_widened(lower, upper, margin))


def _least_range(angles: Array) -> tuple[float, float]:
    """Return the ends of the shortest arc that holds all angles; its middle lies within half a turn."""
    around = np.sort(angles % (2 * pi))
    gaps = np.diff(around, append=around[0] + 2 * pi)
    widest = int(np.argmax(gaps))
    lower = float(around[(widest + 1) % len(around)])
    extent = 2 * pi - float(gaps[widest])
    return lower - 2 * pi * (lower + 0.5 * extent > pi), lower + extent - 2 * pi * (lower + 0.5 * extent > pi)


def _widened(lower: float, upper: float, margin: float) -> tuple[float, float]:
    if upper - lower + 2 * margin >= 2 * pi:
        return -pi, pi
    return lower - margin, upper + margin
