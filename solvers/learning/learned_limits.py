# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits learned from the rotations that a motion uses.

The region is a hinge where the motion is one, otherwise a chain of cones that holds the bone's directions,
near to their convex hull, and a range that holds its twists. The order of samples means nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from ..errors import SettingsError
from ..geometry import Array, arctan2, is_number, quaternion_to_matrix, twist_about
from ..limits import ALONG, Cones, Hinge
from .cone_chains import fitted_chain
from .learned_comforts import OUTLIERS, LearnedComfort, learn_comforts

# Measured on motion capture: with these, parts held back of a clip are inside, and hardly a region is
# larger than 1.5 of the hulls of its motion; see docs/measurements.md.
MARGIN = 0.15 * pi / 180
STRETCH = 0.11
# A hinge takes away what a motion has off its axis, so that may be no more than a solve may miss.
HINGE_TOLERANCE = 0.1 * pi / 180

_ALONG = np.array(ALONG)
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

    ``rotations`` and ``outliers`` are those of ``learn_comforts``, the rest those of ``learn_limit``.

    Raises LimitError naming the bone, SettingsError.
    """
    comforts = learn_comforts(names, rotations, outliers)
    return [learn_limit(rests, margin, hinge_tolerance, stretch) for rests in comforts]


def learn_limit(
    rests: LearnedComfort,
    margin: float = MARGIN,
    hinge_tolerance: float = HINGE_TOLERANCE,
    stretch: float = STRETCH,
) -> LearnedLimit:
    """Return a bone's comfort with the limit that its usual samples say.

    ``margin``, radians, is left all round the samples at least. ``stretch`` is left beyond them on either
    side, as a share of how far the bone turns that way. This is so for the ranges of twists and hinges, and
    for the convex hull of the bone's directions: its area grows by ``(1 + 2 stretch)^2``. The region has that
    area, unless the margin needs more. A bone whose usual samples are at most ``hinge_tolerance``, radians,
    off one axis gets a hinge.

    Raises SettingsError.
    """
    for name, value, most in (
        ("margin in radians", margin, pi),
        ("hinge tolerance in radians", hinge_tolerance, pi),
        ("stretch", stretch, 1),
    ):
        if not (is_number(value) and 0 <= value <= most):
            raise SettingsError(f"The {name} is {value}, not 0 to {most:.4g}")
    bone = rests.comfort.bone
    hinge = _hinge(bone, rests.usual, margin, stretch, hinge_tolerance)
    limit = hinge or _cones(bone, rests.usual, margin, stretch)
    return LearnedLimit(rests.comfort, rests.strays, rests.left_out, rests.usual, limit)


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
    centres, radii = fitted_chain(quaternion_to_matrix(samples)[:, :, 1], margin, stretch)
    lower, upper = _least_range(twist_about(samples, _ALONG))
    cones = tuple((tuple(c), r) for c, r in zip(centres.tolist(), radii.tolist(), strict=True))
    return Cones(name, cones, *_widened(lower, upper, margin, stretch))


def _least_range(angles: Array) -> tuple[float, float]:
    """Return the ends of the shortest arc that holds all angles; its middle lies within half a turn."""
    around = np.sort(angles % (2 * pi))
    arcs = np.diff(around, append=around[0] + 2 * pi)
    widest = int(np.argmax(arcs))
    lower = float(around[(widest + 1) % len(around)])
    extent = 2 * pi - float(arcs[widest])
    turns = 2 * pi * (lower + 0.5 * extent > pi)
    return lower - turns, lower + extent - turns


def _widened(lower: float, upper: float, margin: float, stretch: float) -> tuple[float, float]:
    room = max(margin, stretch * (upper - lower))
    if upper - lower + 2 * room >= 2 * pi:
        return -pi, pi
    return lower - room, upper + room
