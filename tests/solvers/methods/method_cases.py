# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all methods are tried on."""

import numpy as np
from random_rigs import chain, end_of, names, random_pose

from solvers import METHODS, EulerLimit, Settings, Targets

PUBLISHED = tuple(method for method in METHODS if method != "SUPERPOSE")


def settings(method, **values):
    return Settings(method=method, **values)


def reach_targets(rng, batch, nearest=0.2, farthest=0.9, effectors=1):
    """Random targets at distances from the origin; rotations unturned."""
    goals = rng.normal(size=(batch, effectors, 3))
    goals *= rng.uniform(nearest, farthest, size=(batch, effectors, 1)) / np.linalg.norm(
        goals, axis=-1, keepdims=True
    )
    return Targets(goals, np.broadcast_to([1.0, 0, 0, 0], (batch, effectors, 4)))


def bent_chain(rng, bones, batch, spread=0.3, **values):
    """A chain of length 1, bent at random, and its end."""
    skeleton = chain(bones, **values)
    return skeleton, (end_of(bones),), random_pose(rng, skeleton, batch, spread)


def only_about_z(bones):
    """Limits that leave every bone of a chain one axis: a puppet cut out of paper, in the plane x, y."""
    free = np.array([0, 0, np.pi])
    return tuple(EulerLimit(name, "XYZ", -free, free) for name in names(bones))
