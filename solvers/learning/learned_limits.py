# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits learned from the rotations that a motion uses.

The region is a hinge where the motion is one, otherwise the smallest chain of cones that holds the bone's
directions and the smallest range that holds its twists. The order of samples means nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from ..errors import SettingsError
from ..limits.kinds import Cones, Hinge
from ..rotation import Array, arctan2, quaternion_to_matrix
from .cone_chains import smallest_chain
from .learned_comforts import OUTLIERS, LearnedComfort, check_samples, resting, usual_samples

# Measured on motion capture: with these, parts held back of a clip are inside; see docs/method.md.
MARGIN = 0.25 * pi / 180
STRETCH = 0.05
# A hinge takes away what a motion has off its axis, so that may be no more than a solve may miss.
HINGE_TOLERANCE = 0.1 * pi / 180

# A chain of cones is a little larger than what it holds, a range is not.
_RANGE_STRETCH = 2

# A motion is a hinge's if it turns by this many tolerances at least.
_LEAST_RANGE = 10


@dataclass(frozen=True, eq=False)
class LearnedLimit(LearnedComfort):
    """What a bone's samples say of it: the region of its ``limit``, and where it rests."""

    limit: Hinge | Cones


def learn_limits(
    names: Sequence[str],
    rotations: Array,
    margin: float = MARGIN,
    outliers: float = OUTLIERS,
    hinge_tolerance: float = HINGE_TOLERANCE,
    stretch: float = STRETCH,
) -> list[LearnedLimit]:
    """Return what each bone's rotations (samples, bones, 4) say: its limit and its comfort.

    ``rotations`` and ``outliers`` are those of ``learn_comforts``. ``margin``, radians, is left round the
    samples. ``stretch`` is left beyond them besides, on either side: a share of their extent along each
    principal axis of the directions, twice that of the ranges of twists and hinges. Motion that is small
    across one axis is thus left little room there. A bone whose usual samples are no more than
    ``hinge_tolerance``, radians, off one axis becomes a hinge.

    Raises LimitError naming the bone, SettingsError.
    """
    rotations = np.asarray(rotations, dtype=np.float64)
    check_samples(names, rotations, outliers)
    if not 0 <= margin <= pi:
        raise SettingsError(f"The margin is {margin} radians, not 0 to pi")
    if not 0 <= hinge_tolerance <= pi:
        raise SettingsError(f"The hinge tolerance is {hinge_tolerance} radians, not 0 to pi")
    if not 0 <= stretch <= 1:
        raise SettingsError(f"The stretch is {stretch}, not 0 to 1")
    learned = []
    for bone, name in enumerate(names):
        usual = usual_samples(rotations[:, bone], outliers)
        rests = resting(name, usual, len(rotations))
        limit = _hinge(name, usual, margin, stretch, hinge_tolerance) or _cones(name, usual, margin, stretch)
        learned.append(LearnedLimit(rests.comfort, rests.strays, rests.left_out, limit))
    return learned


def _hinge(name: str, samples: Array, margin: float, stretch: float, tolerance: float) -> Hinge | None:
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
    return Hinge(name, tuple(axis.tolist()), *_widened(lower, upper, margin, stretch))


def _cones(name: str, samples: Array, margin: float, stretch: float) -> Cones:
    centres, radii = smallest_chain(quaternion_to_matrix(samples)[:, :, 1], margin, stretch)
    lower, upper = _least_range(2 * arctan2(samples[:, 2], samples[:, 0]))
    cones = tuple((tuple(c), r) for c, r in zip(centres.tolist(), radii.tolist(), strict=True))
    return Cones(name, cones, *_widened(lower, upper, margin, stretch))


def _least_range(angles: Array) -> tuple[float, float]:
    """Return the ends of the shortest arc that holds all angles; its middle lies within half a turn."""
    around = np.sort(angles % (2 * pi))
    gaps = np.diff(around, append=around[0] + 2 * pi)
    widest = int(np.argmax(gaps))
    lower = float(around[(widest + 1) % len(around)])
    extent = 2 * pi - float(gaps[widest])
    return lower - 2 * pi * (lower + 0.5 * extent > pi), lower + extent - 2 * pi * (lower + 0.5 * extent > pi)


def _widened(lower: float, upper: float, margin: float, stretch: float) -> tuple[float, float]:
    room = margin + _RANGE_STRETCH * stretch * (upper - lower)
    if upper - lower + 2 * room >= 2 * pi:
        return -pi, pi
    return lower - room, upper + room
