# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where effectors should be, as the solver is asked: their targets in armature space."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...solvers import Targets
from ...solvers.geometry import Array, matrix_to_quaternion, norm, slerp
from ...solvers.goals import plain_axes, points_of, weights_of
from ..errors import RigError
from ..frames.frame_snapshot import FrameSnapshot, column
from ..goals import FAR
from ..rig.mirrors import axis_signs, shown_from_solved
from ..rig.rig import Rig
from .spaces import check_armature_place, check_transforms, mean_scale, points_in_armature, turned_in_armature
from .varying import check_finite, factors_in, offsets_in, points_in

# Where effectors should be, and the frames that ask for it.
Aimed = tuple[Sequence[FrameSnapshot], Targets]
# All of a frame that has a say in it but for where targets are and how they are turned.
_BESIDE_PLACES = ("armature_to_world", "matrices", "scales", "influences", "weights", "offsets")


def targets_of(rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array) -> Targets:
    """Return where the effectors should be, armature space, one row for each frame.

    ``rotations`` (frames, bones, 3, 3) and ``heads`` (frames, bones, 3): the animated pose, from which the
    influences blend. Raises RigError naming the target or the effector.
    """
    to_world = column(frames, "armature_to_world")
    check_armature_place(rig.object_name, to_world)
    check_transforms(rig.targets, column(frames, "targets"))
    _check_mirrors(rig, frames)
    check_finite(rig, frames)
    found = places_wanted(rig, frames, rotations, heads)
    _check_near(rig, heads, effector_points(rig, found.offsets, rotations, heads), found)
    return found


def places_wanted(rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array) -> Targets:
    """Return what ``targets_of`` does, of targets that need not be checked."""
    to_world, targets = column(frames, "armature_to_world"), column(frames, "targets")
    shown = turned_in_armature(to_world[:, None], targets)
    wanted = shown * shown_from_solved(effector_signs(rig, frames))[..., None, :]
    present, offsets = rotations[:, rig.places], offsets_in(rig, frames)
    influences = column(frames, "influences")
    return Targets(
        positions=_positions(frames, effector_points(rig, offsets, rotations, heads)),
        rotations=slerp(matrix_to_quaternion(present), matrix_to_quaternion(wanted), influences),
        axes=_axes(rig, to_world),
        weights=factors_in(rig, frames),
        offsets=offsets,
    )


def _positions(frames: Sequence[FrameSnapshot], points: Array) -> Array:
    """Return where effectors should be (frames, effectors, 3), armature space.

    ``points`` (frames, effectors, 3): where they are animated to be, from which the influences blend.
    """
    places = points_in_armature(column(frames, "armature_to_world")[:, None], column(frames, "targets"))
    positions: Array = points + column(frames, "influences")[..., None] * (places - points)
    return positions


def moved_on(
    rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array, before: Aimed | None
) -> Targets | None:
    """Return what ``targets_of`` does where targets are moved, and not turned, from how they were ``before``.

    None where more is asked otherwise, or nothing is known of before. Targets that do not count may turn.
    """
    if before is None or len(frames) != len(before[0]) or not all(map(_is_alike, frames, before[0])):
        return None
    if not np.isfinite(column(frames, "targets")).all():
        return None
    points = effector_points(rig, before[1].offsets, rotations, heads)
    found = replace(before[1], positions=_positions(frames, points))
    _check_near(rig, heads, points, found)
    return found


def _is_alike(frame: FrameSnapshot, other: FrameSnapshot) -> bool:
    """Return whether all but places that effectors are asked for is, to the bit, as in the other frame."""
    pairs = ((getattr(frame, name), getattr(other, name)) for name in _BESIDE_PLACES)
    if not all(one is two or np.array_equal(one, two) for one, two in pairs):
        return False
    turned = (frame.targets[:, :3, :3] != other.targets[:, :3, :3]).any(axis=(1, 2))
    return not (turned & (frame.influences != 0)).any()


def effector_signs(rig: Rig, frames: Sequence[FrameSnapshot]) -> Array:
    """Return which way the axes (frames, effectors, 3) of the effectors are shown; see ``mirrors``."""
    linear = column(frames, "matrices")[:, rig.places, :3, :3]
    return axis_signs(linear, column(frames, "scales")[:, rig.places])


def effector_points(rig: Rig, offsets: Array | None, rotations: Array, heads: Array) -> Array:
    """Return the points (frames, effectors, 3) that should meet the targets, armature space.

    ``offsets``: as ``Targets`` has them.
    """
    own = points_of(rig.effectors, offsets)
    return heads[:, rig.places] + (rotations[:, rig.places] @ own[..., None])[..., 0]


def _axes(rig: Rig, to_world: Array) -> Array:
    linear = to_world[:, :3, :3] / mean_scale(to_world)[:, None, None]
    uneven = np.abs(linear.swapaxes(-1, -2) @ linear - np.eye(3)).max() > 1e-6
    if rig.position_axes.all() and not uneven:
        return plain_axes(len(rig.effectors))
    return rig.position_axes[..., None] * linear[:, None]


def _check_mirrors(rig: Rig, frames: Sequence[FrameSnapshot]) -> None:
    """Refuse an offset whose axes do not lie in the solver's as they did when the rig was read."""
    offsets = points_in(rig, frames)
    if not offsets.any():
        return
    differ = ((effector_signs(rig, frames) != rig.axis_signs) & (offsets != 0)).any(axis=(0, 2))
    if differ.any():
        name = rig.effectors[int(np.argmax(differ))].bone
        raise RigError(f"Bone '{name}', an effector with an offset, is mirrored in some frames only")


def _check_near(rig: Rig, heads: Array, points: Array, targets: Targets) -> None:
    """Refuse a place or an offset that counts and is so far away that the rig is a point beside it."""
    spans = np.ptp(np.concatenate([heads, points], axis=1), axis=1)
    sizes, away = norm(spans)[:, None], norm(targets.positions - points)
    counts = weights_of(rig.effectors, targets.weights)[..., 0] > 0
    own, off = norm(np.ptp(heads, axis=1))[:, None], norm(points - heads[:, rig.places])
    outlying = (counts & (off > FAR * own) & (own > 0)).any(axis=0)
    if outlying.any():
        name = rig.effectors[int(np.argmax(outlying))].bone
        raise RigError(f"The offset of the effector on '{name}' is more than a million times the rig's size")
    far = (counts & (away > FAR * sizes) & (sizes > 0)).any(axis=0)
    if far.any():
        words = rig.targets[int(np.argmax(far))]
        raise RigError(f"The target {words} is more than a million times the rig's size away")
