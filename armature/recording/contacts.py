# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where effectors' bones stand: heads and tips of their targets' paths, found in the world and held there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Object

from ...solvers import Goal, Place, Settings, Targets
from ...solvers.geometry import (
    Array,
    Mask,
    matrix_to_quaternion,
    matvec,
    multiply,
    polar_factor,
    quaternion_to_matrix,
    vecmat,
)
from ...solvers.goals import points_of, weights_of
from ...solvers.motion import find_contacts, led, plant, steps, unheld
from ..frames.frame_snapshot import FrameSnapshot, column
from ..problem.stacking import measured, stack_clip
from ..rig.rig import Rig
from .recording import Recording, figure_size

# At rest feet are so near to the lowest point of a figure, in figure sizes.
_LOW = 0.2


def feet_of(ob: Object, rig: Rig) -> Mask:
    """Return which effectors (effectors,) are low at rest; of those whose place does not count, none."""
    bones = [bone.bone for bone in ob.pose.bones]
    ends = np.array([end for bone in bones for end in (bone.head_local, bone.tail_local)])
    heights = ends @ np.array(ob.matrix_world)[2, :3]
    size = np.ptp(ends @ np.array(ob.matrix_world)[:3, :3].T, axis=0).max()
    heads = heights[::2][rig.indices[rig.places]]
    placed = np.array([effector.position_weight > 0 for effector in rig.listed], dtype=bool)
    return (heads - heights.min() < _LOW * size) & ~rig.targetless & placed


def find_standing(rig: Rig, numbers: Sequence[int], recording: Recording, feet: Mask) -> Mask:
    """Return where heads and tips of ``feet`` (effectors,) and hands stand, (frames, effectors, 2).

    Told by targets without noise. ``numbers`` of the scene's frames. Raises RigError.
    """
    recording = recording.righted()
    doubts = recording.doubts()
    frames = recording.cleaned(doubts & ~doubts.all(axis=0), keeps_noise=False)
    request = stack_clip(rig, numbers, frames, Settings())
    return Limbs(rig, frames, request.targets, recording.rate).contacts(feet)


@dataclass(frozen=True, eq=False)
class Limbs:
    """The effectors' bones as their ``targets`` have them, in ``frames`` that are ``rate`` a second."""

    rig: Rig
    frames: Sequence[FrameSnapshot]
    targets: Targets
    rate: float

    def contacts(self, feet: Mask) -> Mask:
        """Return where heads and tips of ``feet`` (effectors,) and hands stand, (frames, effectors, 2).

        Targets whose place does not count stand nowhere, and those whose rotation does not have no tip.
        """
        points, size = self._points(), figure_size(self.rig, self.frames)
        frames, limbs = points.shape[:2]
        flat = points.reshape(frames, 2 * limbs, 3)
        found = find_contacts(flat, np.repeat(feet, 2), size, self.rate).reshape(frames, limbs, 2)
        counts = weights_of(self.rig.effectors, self.targets.weights) > 0
        found &= counts[..., :1]
        found[..., 1] &= counts[..., 1]
        return found & ~self.rig.targetless[:, None]

    def planted(self, contacts: Mask, inner: slice) -> tuple[Targets, tuple[Goal, ...], float, Mask]:
        """Return targets that are led to where limbs stand, and goals that hold them there.

        And, of the frames that are ``inner``, how far they step within a contact at most, scene units, and
        where (frames, effectors) they move too fast in one to stand anywhere.
        ``contacts`` (frames, effectors, 2).
        """
        points = self._points()
        found = plant(points, contacts, figure_size(self.rig, self.frames), self.rate)
        shifts, turns = led(points, found)
        linear = column(self.frames, "armature_to_world")[:, None]
        space = polar_factor(linear[..., :3, :3])  # which may mirror: turns are carried over all the same
        turned = matrix_to_quaternion(np.swapaxes(space, -1, -2) @ turns @ space)
        rotations = multiply(turned, self.targets.rotations)
        heads = self._in_armature(points[:, :, 0] + shifts)
        positions = heads + matvec(quaternion_to_matrix(rotations), self._offsets)
        targets = replace(self.targets, positions=positions, rotations=rotations)
        goals, apart = self._places(found.held, found.places), steps(contacts[inner], found.rows(inner))
        return targets, goals, apart, unheld(contacts, found, self.rate)[inner]

    def _points(self) -> Array:
        """Return heads and tips (frames, effectors, 2, 3), world."""
        wanted = quaternion_to_matrix(self.targets.rotations)
        ends = np.stack([np.zeros_like(self._tips), self._tips], axis=1) - self._offsets[:, :, None]
        points = self.targets.positions[:, :, None] + np.einsum("...ij,...kj->...ki", wanted, ends)
        to_world = column(self.frames, "armature_to_world")
        return np.einsum("fij,fekj->feki", to_world[:, :3, :3], points) + to_world[:, None, None, :3, 3]

    def _in_armature(self, points: Array) -> Array:
        """Return points (frames, n, 3) of the world in armature space."""
        to_world = column(self.frames, "armature_to_world")
        away = points - to_world[:, None, :3, 3]
        return np.linalg.solve(to_world[:, None, :3, :3], away[..., None])[..., 0]

    @property
    def _offsets(self) -> Array:
        return points_of(self.rig.effectors, self.targets.offsets)

    @property
    def _tips(self) -> Array:
        """Where the bones' tips are in their frames, (effectors, 3)."""
        rotations, _ = measured(self.rig, self.frames[:1])
        places = self.rig.places
        tails = self.frames[0].matrices[places, :3, 1] * self.rig.lengths[places, None]
        return vecmat(tails, rotations[0, places])

    def _ends(self, held: Mask) -> list[tuple[int, int, tuple[float, float, float]]]:
        """Return effectors and ends, 0 for heads, that are held at all, and where on the bones these are."""
        tips = self._tips
        pairs = zip(*np.nonzero(held.any(axis=0)), strict=True)
        return [(int(limb), int(end), tuple((end * tips[limb]).tolist())) for limb, end in pairs]

    def _places(self, held: Mask, places: Array) -> tuple[Goal, ...]:
        return tuple(
            Place(
                self.rig.effectors[limb].bone,
                self._in_armature(places[:, limb, end][:, None])[:, 0],
                offset,
                weights=held[:, limb, end].astype(float),
            )
            for limb, end, offset in self._ends(held)
        )
