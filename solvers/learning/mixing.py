# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort learned from few samples, mixed with what was known before."""

import numpy as np

from ..geometry import conjugate, multiply, quaternion_to_rotation_vector, rotation_vector_to_quaternion
from ..posture import Comfort


def mixed_comfort(learned: Comfort, before: Comfort, samples: float, counts_as: float) -> Comfort:
    """Return the comfort of a bone that ``samples`` taught, where ``before`` counts as so many more.

    Mean and covariance are those of a normal distribution with its conjugate prior, the
    normal-inverse-Wishart (A. Gelman and others, Bayesian Data Analysis, 3rd ed. 2013, section 3.6), of
    rotation vectors in the bone's own frame; that of the mean is taken for both spreads, which are matrices.
    Bending to one side is no matter of samples: that is as before. What joints have in common they may tell,
    and are not asked: so much is left of it as of the spread from before.
    """
    if not counts_as:
        return learned
    share, whole = samples / (samples + counts_as), samples + counts_as
    apart = quaternion_to_rotation_vector(multiply(conjugate(before.rotation), learned.rotation))
    rotation = multiply(before.rotation, rotation_vector_to_quaternion(share * apart))
    between = share * counts_as * np.outer(apart, apart)
    spread = (samples * np.asarray(learned.spread) + counts_as * np.asarray(before.spread) + between) / whole
    ties = None if before.ties is None else np.sqrt(counts_as / whole) * before.ties
    return Comfort(learned.bone, rotation, spread, before.one_way, ties)
