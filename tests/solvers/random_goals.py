# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random goals of every kind, and the points of bones that they look at, without any skeleton."""

import numpy as np
from random_rigs import matrices, quaternions

from solvers.goals import Aim, Balance, Place, Plane, Pole, RelativeFrame


def relative_frames(rng, batch=1, count=2):
    return [
        RelativeFrame(
            f"hand.{n}",
            f"sword.{n}",
            to_offset=rng.normal(size=(batch, 3)),
            to_rotation=quaternions(rng, batch),
            position_weight=rng.uniform(0.3, 2),
            rotation_weight=rng.uniform(0.3, 2),
            weights=rng.uniform(0.1, 1, (batch, 2)),
        )
        for n in range(count)
    ]


def aims(rng, batch=1, count=2):
    """Aims at points and, every second one, along directions."""
    return [
        Aim(
            f"head.{n}",
            axis=tuple(rng.normal(size=3)),
            weight=rng.uniform(0.3, 2),
            weights=rng.uniform(0.1, 1, batch),
            **{"along" if n % 2 else "at": 3 * rng.normal(size=(batch, 3))},
        )
        for n in range(count)
    ]


def poles(rng, batch=1, count=2):
    """Poles at points and, every second one, along directions."""
    return [
        Pole(
            *(f"{part}.{n}" for part in ("thigh", "shin", "foot")),
            weight=rng.uniform(0.3, 2),
            weights=rng.uniform(0.1, 1, batch),
            **{"along" if n % 2 else "at": 3 * rng.normal(size=(batch, 3))},
        )
        for n in range(count)
    ]


def places(rng, batch=1, count=2):
    return [
        Place(
            f"foot.{n}",
            rng.normal(size=(batch, 3)),
            tuple(rng.normal(size=3)),
            weight=rng.uniform(0.3, 2),
            weights=rng.uniform(0.1, 1, batch),
        )
        for n in range(count)
    ]


def planes(rng, batch=1, count=2):
    return [
        Plane(
            tuple((f"bone.{n}.{point}", (0, 0, 0)) for point in range(3)),
            normals=rng.normal(size=(batch, 3)),
            heights=rng.normal(size=batch),
            weight=rng.uniform(0.3, 2),
            weights=rng.uniform(0.1, 1, batch),
        )
        for n in range(count)
    ]


def levels(rng, batch):
    """Ground plans, of any shear and in any direction."""
    return rng.normal(size=(batch, 2, 3))


def balances_at(rng, batch=1, count=2):
    return [
        Balance(masses(rng), at=rng.normal(size=(batch, 3)), level=levels(rng, batch)) for n in range(count)
    ]


def balances_over(rng, batch=1, count=2):
    """Balances over polygons of random corners, far from most centres of mass."""
    return [
        Balance(masses(rng), polygon=2 + rng.normal(size=(batch, 3 + n, 3)), level=levels(rng, batch))
        for n in range(count)
    ]


def masses(rng):
    return tuple((f"bone.{n}", (0, 0, 0), rng.uniform(0.1, 2)) for n in range(4))


KINDS = (relative_frames, aims, poles, places, planes, balances_at, balances_over)


def group_of(goals, arm=0.1):
    """Return the group of goals of one kind, which look at frames of their own."""
    shape = len(goals), len(goals[0].frames())
    return type(goals[0]).grouped(goals, np.arange(np.prod(shape)).reshape(shape), np.atleast_1d(arm))


def frames_of(rng, goals, batch=1):
    """Return random points (batch, m, c, 3) and rotations (batch, m, c, 3, 3) of what the goals look at."""
    shape = batch, len(goals), len(goals[0].frames())
    return rng.normal(size=(*shape, 3)), matrices(quaternions(rng, *shape))
