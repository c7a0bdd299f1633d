# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded targets of a clip, as tracks in the world: what is not to be believed, and cleaned ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...solvers import Targets
from ...solvers.geometry import Array, Indices, Mask, matrix_to_quaternion, norm, quaternion_to_matrix
from ...solvers.motion import cleaned, find_doubts, find_exchanges
from ..errors import RigError
from ..frames.frame_snapshot import FrameSnapshot, column
from ..frames.sight import Sight
from ..problem.stacking import world_lengths
from ..rig.mirrors import shown_rotation
from ..rig.rig import Rig

# What a target counts in frames in which it is bridged: it gives way, but is no worse than none.
_BRIDGED = 0.1
# Targets that differ by less than this share of where they are stand where they stood.
_SAME = 1e-5


def figure_size(rig: Rig, frames: Sequence[FrameSnapshot]) -> float:
    """Return how large the figure is, scene units; 0 where it has no size.

    As it is scaled, and however it is posed: a measure that the pose has a say in would find other contacts
    and doubts once the body is baked.
    """
    lengths = [float(norm(frame.matrices[:, :3, 1]) @ rig.lengths) for frame in frames]
    scales = np.array(lengths)[:, None] / rig.lengths.sum()
    size = float(np.median(world_lengths(frames, rig.extent * scales)))
    return size if np.isfinite(size) else 0.0


@dataclass(frozen=True, eq=False)
class Recording:
    """The targets in ``frames`` of a clip, read ``rate`` times a second."""

    rig: Rig
    frames: Sequence[FrameSnapshot]
    rate: float

    @cached_property
    def broken(self) -> Mask:
        """Which places and rotations of targets (frames, effectors, 2) are not finite in a frame."""
        broken = ~np.isfinite(self._matrices).all(axis=(-2, -1))
        return np.repeat(broken[..., None], 2, axis=-1)

    @property
    def is_still(self) -> bool:
        """Whether no target moves at all."""
        matrices = self._matrices[:, ~self.rig.targetless]
        return bool((matrices == matrices[:1]).all())

    @cached_property
    def exchanged(self) -> Mask:
        """Which targets (frames, effectors) are taken for another."""
        return self._really != np.arange(self._really.shape[1])

    def righted(self) -> "Recording":
        """Return the recording with targets that are taken for each other put right."""
        if not self.exchanged.any():
            return self
        own = np.arange(len(self.frames))[:, None]
        return replace(self, frames=self._with(self._matrices[own, self._really]))

    @cached_property
    def _really(self) -> Indices:
        """Which effector's each target really is, (frames, effectors)."""
        size, (positions, rotations) = figure_size(self.rig, self.frames), self._tracks()
        if size <= 0:
            return np.tile(np.arange(positions.shape[1]), (len(positions), 1))
        return find_exchanges(positions, rotations, size, self.rate)

    def doubts(self) -> Mask:
        """Return which places and rotations (frames, effectors, 2) are not to be believed."""
        size = figure_size(self.rig, self.frames)
        if size <= 0:
            return self.broken
        return find_doubts(*self._tracks(), size, self.rate) & ~self.rig.targetless[:, None]

    def cleaned(self, masked: Mask, keeps_noise: bool) -> list[FrameSnapshot]:
        """Return the frames with targets that are bridged where ``masked`` (frames, effectors, 2).

        Places and rotations each by themselves; without noise, too, unless it is to stay. Raises RigError
        naming a target that is masked everywhere.
        """
        lost = masked.all(axis=0).any(axis=-1)
        if lost.any():
            words = self.rig.targets[int(np.argmax(lost))]
            raise RigError(f"The target {words} is masked, or not finite, in every frame")
        tracks = ~self.rig.targetless
        changed = tracks & (masked.any(axis=(0, 2)) | (not keeps_noise))
        if not changed.any():
            return list(self.frames)
        positions, rotations = (values[:, tracks] for values in self._tracks())
        found = cleaned(positions, rotations, masked[:, tracks], self.rate, keeps_noise)
        matrices, part = self._matrices.copy(), np.tile(np.eye(4), (*found[0].shape[:2], 1, 1))
        part[..., :3, 3], part[..., :3, :3] = found[0], quaternion_to_matrix(found[1])
        matrices[:, changed] = part[:, changed[tracks]]
        return self._with(matrices)

    def _with(self, matrices: Array) -> list[FrameSnapshot]:
        """Return the frames with other targets (frames, effectors, 4, 4)."""
        return [replace(frame, targets=own) for frame, own in zip(self.frames, matrices, strict=True)]

    @cached_property
    def _matrices(self) -> Array:
        return column(self.frames, "targets")

    def _tracks(self) -> tuple[Array, Array]:
        """Return positions (frames, effectors, 3) and rotations (frames, effectors, 4), world."""
        matrices, broken = self._matrices, self.broken[..., :1]
        linear = np.where(broken[..., None], np.eye(3), matrices[..., :3, :3])
        turned = matrix_to_quaternion(shown_rotation(linear))
        return matrices[..., :3, 3], np.where(broken, np.nan, turned)


def posed_within(frames: Sequence[FrameSnapshot], inner: slice) -> list[FrameSnapshot]:
    """Return the frames, of which those that are not ``inner`` are posed like the nearest of these.

    Of the others only the targets are looked at, whatever is wrong with the body there.
    """
    first, last = frames[inner][0], frames[inner][-1]
    return [
        *(_asked_in(first, one) for one in frames[: inner.start]),
        *frames[inner],
        *(_asked_in(last, one) for one in frames[inner.stop :]),
    ]


def _asked_in(posed: FrameSnapshot, frame: FrameSnapshot) -> FrameSnapshot:
    return replace(posed.asked_as(frame), armature_to_world=frame.armature_to_world)


def weighed(targets: Targets, masked: Mask) -> Targets:
    """Return the targets, whose places and rotations that are ``masked`` have little weight.

    ``masked``: (frames, effectors, 2).
    """
    if not masked.any():
        return targets
    factors = np.where(masked, _BRIDGED, 1.0)
    return replace(targets, weights=factors if targets.weights is None else factors * targets.weights)


def with_targets(
    sights: Sequence[Sight], read: Sequence[FrameSnapshot], cleaned: Sequence[FrameSnapshot]
) -> list[Sight]:
    """Return what is shown, with targets that are where they were ``read`` to be as they were cleaned."""
    found = []
    for sight, before, after in zip(sights, read, cleaned, strict=True):
        shown, stood = sight.frame.targets, np.isfinite(before.targets).all(axis=(-2, -1))
        apart, size = (np.abs(x).max(axis=(-2, -1)) for x in (shown - before.targets, before.targets))
        same = ~stood | (apart <= _SAME * size)
        targets = np.where(same[:, None, None], after.targets, shown)
        found.append(replace(sight, frame=replace(sight.frame, targets=targets)))
    return found
