# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the world of the targets to the armature's own space, and back."""

import numpy as np

from ...solvers import Targets
from ...solvers.rotation import Array, matrix_to_quaternion, nearest_rotation, slerp
from ..errors import RigError
from ..frames.frame import Frame
from ..rig.rig import Rig

_FLAT = 1e-7
_FAR = 1e6  # rig sizes: single precision, which Blender counts in, ends there


def targets_of(rig: Rig, frames: list[Frame], rotations: Array, heads: Array) -> Targets:
    """Return where the effectors should be, armature space, one row for each frame.

    ``rotations`` (frames, bones, 3, 3) and ``heads`` (frames, bones, 3): the animated pose, from which the
    influences blend. Raises RigError naming the target.
    """
    to_world = np.stack([frame.armature_to_world for frame in frames])
    _check_armature(rig, to_world)
    world = np.stack([frame.targets for frame in frames])
    _check_finite(rig, world)
    influences = np.stack([frame.influences for frame in frames])
    wanted_points, wanted = place_in_armature(to_world[:, None], world)
    present = rotations[:, rig.places]
    points = heads[:, rig.places] + _carried_offsets(rig, present)
    positions = points + influences[..., None] * (wanted_points - points)
    _check_near(rig, heads, points, positions)
    return Targets(
        positions=positions,
        rotations=slerp(matrix_to_quaternion(present), matrix_to_quaternion(wanted), influences),
        axes=_axes(rig, to_world),
    )


def place_in_armature(to_world: Array, target: Array) -> tuple[Array, Array]:
    """Return point (..., 3) and rotation (..., 3, 3) in armature space of targets (..., 4, 4) in the world.

    Where the armature object is sheared or scaled unevenly there is no such rotation; the nearest is taken,
    in a way that placing a target on a bone and reading it back is exact.
    """
    point = np.linalg.solve(to_world, target[..., 3:])[..., :3, 0]
    turned = nearest_rotation(target[..., :3, :3])
    return point, nearest_rotation(np.linalg.solve(to_world[..., :3, :3], turned))


def place_in_world(to_world: Array, point: Array, rotation: Array) -> tuple[Array, Array]:
    """Return the world's point (3,) and rotation (3, 3) of a place in armature space."""
    linear = to_world[..., :3, :3]
    return linear @ point + to_world[..., :3, 3], nearest_rotation(linear @ rotation)


def mean_scale(to_world: Array) -> Array:
    """Return how many scene units one of the armature's units is on average (...)."""
    return np.cbrt(np.abs(np.linalg.det(to_world[..., :3, :3])))


def _carried_offsets(rig: Rig, rotations: Array) -> Array:
    offsets = np.array([effector.offset for effector in rig.effectors])
    return (rotations @ offsets[..., None])[..., 0]


def _axes(rig: Rig, to_world: Array) -> Array:
    linear = to_world[:, :3, :3] / mean_scale(to_world)[:, None, None]
    uneven = np.abs(linear.swapaxes(-1, -2) @ linear - np.eye(3)).max() > 1e-6
    if rig.position_axes.all() and not uneven:
        return np.broadcast_to(np.eye(3), (1, len(rig.effectors), 3, 3))
    return rig.position_axes[..., None] * linear[:, None]


def _check_armature(rig: Rig, to_world: Array) -> None:
    if not np.isfinite(to_world).all():
        raise RigError(f"The transform of armature '{rig.object_name}' is not finite")
    if not _has_volume(to_world).all():
        raise RigError(f"Armature '{rig.object_name}' is scaled to zero")


def _check_finite(rig: Rig, world: Array) -> None:
    finite = np.isfinite(world).all(axis=(0, 2, 3))
    if not finite.all():
        raise RigError(f"The transform of the target {rig.targets[int(np.argmin(finite))]} is not finite")
    usable = _has_volume(world).all(axis=0)
    if not usable.all():
        raise RigError(f"The target {rig.targets[int(np.argmin(usable))]} is scaled to zero")


def _check_near(rig: Rig, heads: Array, points: Array, positions: Array) -> None:
    """Refuse a place that counts and is so far away that the rig is a point beside it."""
    spans = np.ptp(np.concatenate([heads, points], axis=1), axis=1)
    sizes, away = np.linalg.norm(spans, axis=-1)[:, None], np.linalg.norm(positions - points, axis=-1)
    counts = np.array([effector.position_weight > 0 for effector in rig.effectors])
    far = (counts & (away > _FAR * sizes) & (sizes > 0)).any(axis=0)
    if far.any():
        words = rig.targets[int(np.argmax(far))]
        raise RigError(f"The target {words} is more than a million times the rig's size away")


def _has_volume(matrices: Array) -> Array:
    values = np.linalg.svd(matrices[..., :3, :3], compute_uv=False)
    return values[..., 2] > _FLAT * values[..., 0]
