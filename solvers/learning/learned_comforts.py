# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort poses learned from the rotations that a motion uses, and which of those have a say."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from ..errors import LimitError, SettingsError, check_kinds, in_tuple
from ..geometry import Array, are_numbers, is_number, norm, normalised
from ..posture import Comfort
from .mean_rotation import mean_rotation, spread_of, turns_from

# Measured on motion capture: with this, parts held back of a clip are inside; see docs/measurements.md.
OUTLIERS = 0.005
# A bone that strays no farther from its mean does not turn: no eye sees it.
STILL = 0.1 * pi / 180


@dataclass(frozen=True, eq=False)
class LearnedComfort:
    """What a bone's samples say of where it rests.

    ``comfort``: the mean rotation and the spread about it. ``strays``: how far from the mean a sample is at
    most, radians. ``left_out``: how many samples counted as outliers; they have no say in anything.
    ``usual`` (n, 4): the others, ``wxyz``.
    """

    comfort: Comfort
    strays: float
    left_out: int
    usual: Array

    @property
    def is_still(self) -> bool:
        """Whether the bone does not turn, so that the samples say nothing of what it may do."""
        return self.strays <= STILL


def learn_comforts(
    names: Sequence[str], rotations: Array, outliers: float = OUTLIERS
) -> list[LearnedComfort]:
    """Return what each bone's rotations (samples, bones, 4) say of where it rests.

    ``rotations`` are local: relative to rest, in the parent's frame, ``wxyz``, of any length and sign; their
    order means nothing. ``outliers`` is the share of samples, the most unusual ones, that may be left out.

    Raises LimitError naming the bone, SettingsError.
    """
    names = in_tuple(names, "The names of bones", LimitError)
    if not are_numbers(rotations):
        raise LimitError("Rotations to learn from must be numbers in rows of one length")
    rotations = np.asarray(rotations, dtype=np.float64)
    _check_samples(names, rotations, outliers)
    return [_resting(name, rotations[:, bone], outliers) for bone, name in enumerate(names)]


def _resting(name: str, samples: Array, outliers: float) -> LearnedComfort:
    usual = _usual_samples(samples, outliers)
    mean = mean_rotation(usual)
    turns = turns_from(mean, usual)
    comfort = Comfort(name, mean, spread_of(turns))
    return LearnedComfort(comfort, float(norm(turns).max()), len(samples) - len(usual), usual)


def _check_samples(names: Sequence[str], rotations: Array, outliers: float) -> None:
    """Raise LimitError or SettingsError where nothing can be learned from the rotations."""
    if rotations.ndim != 3 or rotations.shape[1:] != (len(names), 4):
        raise LimitError(
            f"Rotations to learn from have the shape {rotations.shape}, not (samples, {len(names)}, 4)"
        )
    check_kinds(names, str, "The names of bones", LimitError)
    if not len(rotations):
        raise LimitError("There are no rotations to learn from")
    for bone, name in enumerate(names):
        lengths = np.linalg.norm(rotations[:, bone], axis=-1)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise LimitError(f"A rotation of '{name}' to learn from is zero or not finite")
    if not (is_number(outliers) and 0 <= outliers < 1):
        raise SettingsError(f"The share of outliers is {outliers}, not 0 to below 1")


def _usual_samples(quaternions: Array, outliers: float) -> Array:
    """Return unit samples (n, 4) without the share of least usual ones, in an order of their own.

    Unusual is measured in spreads from the mean, both taken again without those. Spreads that no eye sees
    count as the least that is seen.
    """
    samples = _in_order(quaternions)
    count, kept = int(outliers * len(samples)), np.arange(len(samples))
    for _ in range(3 if count else 0):
        mean = mean_rotation(samples[kept])
        values, axes = np.linalg.eigh(spread_of(turns_from(mean, samples[kept])))
        scaled = turns_from(mean, samples) @ axes / np.sqrt(np.maximum(values, STILL**2))
        kept = np.sort(np.argsort(np.sum(scaled**2, axis=-1), kind="stable")[: len(samples) - count])
    return samples[kept]


def _in_order(quaternions: Array) -> Array:
    """Return the samples with one sign each, sorted, so that sums do not feel the order of time."""
    unit = normalised(quaternions)
    first = np.take_along_axis(unit, np.argmax(np.abs(unit) > 1e-9, axis=-1)[:, None], axis=-1)
    unit = unit * np.sign(first)
    return unit[np.lexsort(unit.T)]
