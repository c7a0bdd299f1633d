# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What channels do to a body: from changed channels to where bones are, and back for small turns."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    conjugate,
    matrix_to_quaternion,
    matvec,
    multiply,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
)

# The change of a channel that its effect is measured by.
_NUDGE = 1e-4


@dataclass(frozen=True, eq=False)
class Channels:
    """Channels that have keys, and their ``values`` (channels, samples) in the full clip.

    ``bones`` (channels,): whose; ``parts`` (channels,): which of a bone's rotation channels, 0 to 3, or of
    its location, 4 to 6. ``rotations`` (samples, bones, 4): all rotation channels; ``turns`` takes such to
    quaternions of the same shape. ``moves`` (samples, bones, 3, 3) takes locations to the space of the body.
    """

    values: Array
    bones: Indices
    parts: Indices
    rotations: Array
    turns: Callable[[Array], Array]
    moves: Array


@dataclass(frozen=True, eq=False)
class Motion:
    """A body in the samples of the full clip.

    ``parents`` (bones,), -1 for roots and before their children; ``inherits_rotation`` (bones,);
    ``rotations`` (samples, bones, 3, 3) and ``heads`` (samples, bones, 3), bone to body. ``points``
    (points, 3) in the frames of the bones ``holders`` (points,) are watched.
    """

    parents: Indices
    inherits_rotation: Mask
    rotations: Array
    heads: Array
    points: Array
    holders: Indices
    channels: Channels

    def pose(self, values: Array) -> tuple[Array, Array]:
        """Return rotations (samples, bones, 3, 3) and heads (samples, bones, 3), bone to body, when channels
        have these values (channels, samples).
        """
        turned, moved = self._changes(values)
        rotations, heads = np.empty_like(self.rotations), np.empty_like(self.heads)
        for bone, parent in enumerate(self.parents):
            own, head = self.rotations[:, bone], self.heads[:, bone]
            if parent >= 0:
                back = self.rotations[:, parent].swapaxes(-1, -2)
                head = heads[:, parent] + matvec(rotations[:, parent] @ back, head - self.heads[:, parent])
                if self.inherits_rotation[bone]:
                    own = rotations[:, parent] @ (back @ own)
            rotations[:, bone], heads[:, bone] = own @ turned[:, bone], head + moved[:, bone]
        return rotations, heads

    def effects(self) -> Array:
        """Return how channels turn bones, in the bones' own frames, or move them, (channels, samples, 3)."""
        found = np.empty((*self.channels.values.shape, 3))
        for part in np.unique(self.channels.parts):
            rows = np.flatnonzero(self.channels.parts == part)
            bones = self.channels.bones[rows]
            if part > 3:
                found[rows] = self.channels.moves[..., part - 4][:, bones].swapaxes(0, 1)
                continue
            nudge = np.zeros(self.channels.rotations.shape)
            nudge[:, bones, part] = _NUDGE
            before, after = (self.channels.turns(self.channels.rotations + way) for way in (-nudge, nudge))
            turned = quaternion_to_rotation_vector(multiply(conjugate(before[:, bones]), after[:, bones]))
            found[rows] = turned.swapaxes(0, 1) / (2 * _NUDGE)
        return found

    def watched(self, pose: tuple[Array, Array]) -> Array:
        """Return where the points that are watched are (samples, points, 3)."""
        rotations, heads = pose
        return matvec(rotations[:, self.holders], self.points) + heads[:, self.holders]

    def below(self) -> Mask:
        """Return which bones (bones, bones) are, or hang from, which: the first from the second."""
        hangs = np.eye(len(self.parents), dtype=bool)
        for bone, parent in enumerate(self.parents):
            if parent >= 0:
                hangs[bone] |= hangs[parent]
        return hangs

    def _changes(self, values: Array) -> tuple[Array, Array]:
        """Return by how much bones are turned, matrices, and moved, beside the full clip."""
        own, shape = self.channels, self.heads.shape
        rotations, shifts = own.rotations.copy(), np.zeros(shape)
        for bone, part, row, full in zip(own.bones, own.parts, values, own.values, strict=True):
            if part < 4:
                rotations[:, bone, part] = row
            else:
                shifts[:, bone, part - 4] = row - full
        turned = multiply(conjugate(own.turns(own.rotations)), own.turns(rotations))
        return quaternion_to_matrix(turned), matvec(own.moves, shifts)


def small_turns(before: Array, after: Array) -> Array:
    """Return the rotation vectors (..., 3), in the frames before, from rotations (..., 3, 3) to others."""
    return quaternion_to_rotation_vector(matrix_to_quaternion(before.swapaxes(-1, -2) @ after))
