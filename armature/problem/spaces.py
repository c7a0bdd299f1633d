# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the world to the armature's own space and back, and which transforms leave a way back."""

from collections.abc import Sequence

import numpy as np

from ...solvers.geometry import Array, Mask, matvec, norm
from ..errors import RigError
from ..rig.mirrors import shown_rotation

_FLAT = 1e-7


def place_in_armature(to_world: Array, target: Array) -> tuple[Array, Array]:
    """Return point (..., 3) and rotation (..., 3, 3) in armature space of targets (..., 4, 4) in the world.

    Where the armature object is sheared or scaled unevenly there is no such rotation; the nearest is taken,
    in a way that placing a target on a bone and reading it back is exact.
    """
    return points_in_armature(to_world, target), turned_in_armature(to_world, target)


def points_in_armature(to_world: Array, target: Array) -> Array:
    """Return points (..., 3) in armature space of targets (..., 4, 4) in the world."""
    points: Array = np.linalg.solve(to_world, target[..., 3:])[..., :3, 0]
    return points


def turned_in_armature(to_world: Array, target: Array) -> Array:
    """Return rotations (..., 3, 3) in armature space of targets (..., 4, 4) in the world."""
    return shown_rotation(np.linalg.solve(to_world[..., :3, :3], shown_rotation(target[..., :3, :3])))


def place_in_world(to_world: Array, point: Array, rotation: Array) -> tuple[Array, Array]:
    """Return the world's point (..., 3) and rotation (..., 3, 3) of places in armature space."""
    linear = to_world[..., :3, :3]
    return matvec(linear, point) + to_world[..., :3, 3], shown_rotation(linear @ rotation)


def mean_scale(to_world: Array) -> Array:
    """Return how many scene units one of the armature's units is on average (...)."""
    return np.cbrt(np.abs(np.linalg.det(to_world[..., :3, :3])))


def check_armature_place(name: str, to_world: Array) -> None:
    """Raise RigError for an armature (frames, 4, 4), named, that has no size or place."""
    if not np.isfinite(to_world).all():
        raise RigError(f"The transform of armature '{name}' is not finite")
    usable = _has_volume(to_world)
    if not usable.all():
        raise RigError(f"Armature '{name}' is scaled {_flat_words(to_world[~usable][0])}")


def check_transforms(words: Sequence[str], world: Array) -> None:
    """Raise RigError for a target (frames, targets, 4, 4), named by its words, that has no size or place."""
    finite = np.isfinite(world).all(axis=(0, 2, 3))
    if not finite.all():
        raise RigError(f"The transform of the target {words[int(np.argmin(finite))]} is not finite")
    usable = _has_volume(world).all(axis=0)
    if not usable.all():
        flat = int(np.argmin(usable))
        first = world[~_has_volume(world[:, flat]), flat][0]
        raise RigError(f"The target {words[flat]} is scaled {_flat_words(first)}")


def _flat_words(matrix: Array) -> str:
    """Return how a matrix (4, 4) without volume is scaled; Blender has a number for infinity, too."""
    return "to zero" if norm(matrix[:3, :3].T).min() < _FLAT else "far more along one axis than along another"


def _has_volume(matrices: Array) -> Mask:
    """Return which matrices (..., 4, 4) are not flat: their least stretch is no small part of the largest."""
    linear = matrices[..., :3, :3]
    # The least is more than the product of all three over the squared largest, which the norm is above.
    largest = norm(linear.reshape(*linear.shape[:-2], 9))
    full: Mask = np.abs(np.linalg.det(linear)) > _FLAT * largest**3
    if not full.all():
        values = np.linalg.svd(linear[~full], compute_uv=False)
        full[~full] = values[..., 2] > _FLAT * values[..., 0]
    return full
