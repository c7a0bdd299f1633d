# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What solvers are compared on: the problem at hand, a clip, or random ones that can be solved."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..geometry import (
    Array,
    matrix_to_quaternion,
    matvec,
    multiply,
    normalised,
    quaternion_to_matrix,
    rotation_vector_to_quaternion,
)
from ..goals import points_of
from ..model import Pose, Skeleton, forward
from ..request import Request

# How far random poses are from the one they are drawn around: radians, per component of a joint's turn, and
# the same share of the mean bone for a free root's move, per component.
SPREAD = 0.4


@dataclass(frozen=True, eq=False)
class Problems(Request):
    """A request of which each row is a problem of its own, to be solved by many.

    ``scale``: scene units in one of the armature's. ``fps``: frames in a second where the rows are a clip's
    frames in order, else None. ``in_sequence``: each row starts where a solver's last one ended.
    """

    scale: float = 1.0
    fps: float | None = None
    in_sequence: bool = False

    def alone(self) -> "Iterator[Problems]":
        """Yield the problems one by one."""
        return (self.rows(slice(row, row + 1)) for row in range(len(self)))


def reachable(present: Problems, count: int, seed: int = 0, spread: float = SPREAD) -> Problems:
    """Return ``count`` problems that the rig can solve, from the pose of the ``present`` problem (one row).

    Targets are the places of the effectors in random poses: around the present one, within the limits. There
    are no other goals.
    The same seed gives the same problems.
    """
    skeleton, start = present.skeleton, present.pose
    pose = _random_pose(skeleton, start, count, np.random.default_rng(seed), spread)
    rotations, heads = forward(skeleton, pose)
    places = [skeleton.index(effector.bone) for effector in present.effectors]
    turned = rotations.take(places, axis=1)
    points = heads.take(places, axis=1) + matvec(
        turned, points_of(present.effectors, present.targets.offsets)
    )
    targets = replace(present.targets, positions=points, rotations=matrix_to_quaternion(turned))
    starts = (np.repeat(values, count, axis=0) for values in (start.rotations, start.translations))
    return replace(present, pose=Pose(*starts), targets=targets, fps=None, in_sequence=False, goals=())


def within_limits(skeleton: Skeleton, local: Array) -> Array:
    """Return local rotations (batch, bones, 3, 3) with every bone at its nearest allowed one."""
    allowed = local.copy()
    for group in skeleton.grouped_limits:
        allowed[:, group.bones] = group.nearest(local.take(group.bones, axis=1))
    return allowed


def _random_pose(
    skeleton: Skeleton, start: Pose, count: int, rng: np.random.Generator, spread: float
) -> Pose:
    bones = len(skeleton.names)
    turns = spread * rng.standard_normal((count, bones, 3)) * (skeleton.stiffness < 1)[:, None]
    turned = multiply(normalised(start.rotations), rotation_vector_to_quaternion(turns))
    allowed = matrix_to_quaternion(within_limits(skeleton, quaternion_to_matrix(turned)))
    locked = (skeleton.stiffness == 1)[:, None]
    inner = skeleton.parents >= 0
    lengths = np.linalg.norm(skeleton.offsets[0, inner], axis=-1)
    mean = lengths.mean() if len(lengths) else 1.0
    moves = spread * mean * rng.standard_normal((count, bones, 3))
    return Pose(
        rotations=np.where(locked, start.rotations, allowed),
        translations=start.translations + matvec(skeleton.freedom, moves),
    )
