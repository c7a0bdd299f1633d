# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear systems over all frames of a clip, in which a frame is coupled with two before it and two after it.

With unknowns in the bones' own frames second differences have constant coefficients, so what couples frames
is diagonal. Eliminating frame after frame fills the coupling with the next frame; that with the one after it
stays diagonal, and products with it are none of matrices.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, inverse, matvec, product, symmetric_product
from ..pauses import Pausing

# Multiplications between pauses.
_AT_ONCE = 2**27


def second_differences(weights: Array) -> Array:
    """Return the bands (3, frames, q) of ``T^T W T``, T the second difference: diagonal, and one and two
    beside it.

    ``weights`` (frames, q): of the second difference in each frame; the outermost have none. Entry f of a
    band couples frame f with frame f, f + 1 or f + 2.
    """
    bands, difference = np.zeros((3, *weights.shape)), (1.0, -2.0, 1.0)
    last, inner = len(weights) - 2, weights[1:-1]
    for first in range(3):
        for second in range(first, 3):
            bands[second - first, first : last + first] += difference[first] * difference[second] * inner
    return bands


@dataclass(frozen=True, eq=False, slots=True)
class Eliminated:
    """A batch of b systems after elimination.

    Of each frame the solution takes ``near`` (frames, b, q, q) of the next one's, and its ``own``
    (frames, b, q, q) inverse times ``far`` (frames, b, q) of that of the one after.
    """

    own: Array
    near: Array
    far: Array

    def solution(self, right: Array) -> Array:
        """Return the solution (frames, b, q) for a right side (frames, b, q)."""
        frames, given = len(right), np.concatenate([right, np.zeros((2, *right.shape[1:]))])
        found = np.zeros_like(given)
        for frame in range(frames):
            found[frame] = made = matvec(self.own[frame], given[frame])
            given[frame + 1] -= matvec(self.near[frame].swapaxes(-1, -2), given[frame])
            given[frame + 2] -= self.far[frame] * made
        for frame in reversed(range(frames)):
            found[frame] -= matvec(self.near[frame], found[frame + 1])
            found[frame] -= matvec(self.own[frame], self.far[frame] * found[frame + 2])
        return found[:frames]


def eliminated(blocks: Array, bands: Array) -> Pausing[Eliminated]:
    """Return symmetric positive definite systems over the frames of a clip after elimination.

    ``blocks`` (frames, b, q, q), which are overwritten: a frame's own, the bands' diagonal included;
    ``bands`` (3, frames, b, q) couple it with others.
    """
    frames, size, near, far = len(blocks), blocks.shape[-1], bands[1], bands[2].copy()
    far[-2:] = 0.0
    takes, passed, each = np.empty(blocks.shape), np.empty(blocks.shape[1:]), np.arange(size)
    coupling = np.zeros(blocks.shape[1:])
    coupling[:, each, each] = near[0] if frames > 1 else 0.0
    pause = max(_AT_ONCE // max(len(coupling) * size**3, 1), 1)
    for frame in range(frames):
        blocks[frame] = own = inverse(blocks[frame])
        product(own, coupling, out=takes[frame])
        if frame + 1 < frames:
            blocks[frame + 1] -= symmetric_product(coupling.swapaxes(-1, -2), takes[frame], out=passed)
            coupling = takes[frame].swapaxes(-1, -2) * -far[frame][:, None]
            coupling[:, each, each] += near[frame + 1]
        if frame + 2 < frames:
            np.multiply(own, far[frame][:, None], out=passed)
            passed *= far[frame][..., None]
            blocks[frame + 2] -= passed
        if frame % pause == pause - 1:
            yield
    return Eliminated(blocks, takes, far)
