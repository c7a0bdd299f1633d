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
    """A batch of b systems of which n frames are eliminated.

    Of each of these the solution takes ``near`` (n, b, q, q) of the next one's, and its ``own`` (n, b, q, q)
    inverse times ``far`` (n, b, q) of that of the one after.
    """

    own: Array
    near: Array
    far: Array

    def solution(self, right: Array) -> Array:
        """Return the solution (n, b, q) for a right side (n, b, q), where no other frames are left."""
        found = self.forwards(np.concatenate([right, np.zeros((2, *right.shape[1:]))]))
        found[-2:] = 0.0
        return self.backwards(found)[:-2]

    def forwards(self, right: Array) -> Array:
        """Return what a right side (n + 2, b, q) leaves of the two frames after, behind the others' own."""
        given, found = right.copy(), np.empty(right.shape)
        for frame, (own, near) in enumerate(zip(self.own, self.near, strict=True)):
            found[frame] = matvec(own, given[frame])
            given[frame + 1] -= matvec(near.swapaxes(-1, -2), given[frame])
            given[frame + 2] -= self.far[frame] * found[frame]
        found[-2:] = given[-2:]
        return found

    def backwards(self, found: Array) -> Array:
        """Return the solution (n + 2, b, q) from that of the last two, in place of what was found."""
        for frame in reversed(range(len(self.own))):
            found[frame] -= matvec(self.near[frame], found[frame + 1])
            found[frame] -= matvec(self.own[frame], self.far[frame] * found[frame + 2])
        return found


@dataclass(frozen=True, eq=False, slots=True)
class Met:
    """A system that is eliminated from both ends at a time, ``ends`` (b = 2), up to two frames in the
    ``middle`` (b = 1).
    """

    ends: Eliminated
    middle: Eliminated

    def solution(self, right: Array) -> Array:
        """Return the solution (frames, q) for a right side (frames, q)."""
        half = len(self.ends.own) + 1
        whole = np.concatenate([right, np.zeros((2 * half - len(right), right.shape[1]))])
        found = self.ends.forwards(_from_both_ends(whole, half + 1))
        left = found[-2:, 0] + found[-2:, 1][::-1] - whole[half - 1 : half + 1]
        there = self.middle.solution(left[:, None])
        found[-2:, :1], found[-2:, 1:] = there, there[::-1]
        found = self.ends.backwards(found)[:half]
        return np.concatenate([found[:, 0], found[::-1, 1]])[: len(right)]


def eliminated(blocks: Array, bands: Array) -> Pausing[Eliminated]:
    """Return symmetric positive definite systems over the frames of a clip after elimination.

    ``blocks`` (frames, b, q, q), which are overwritten: a frame's own, the bands' diagonal included;
    ``bands`` (3, frames, b, q) couple it with others.
    """
    _, near, far = bands
    whole, _ = yield from _eliminated(blocks, near, far, _diagonal(near[0]), len(blocks))
    return whole


def eliminated_from_both_ends(blocks: Array, bands: Array) -> Pausing[Met]:
    """Return one such system, ``blocks`` (frames, q, q) and ``bands`` (3, frames, q), of two frames or more.

    Two frames at a time take less than one after the other. ``blocks`` stay as they are.
    """
    half, size = -(-len(blocks) // 2), blocks.shape[-1]
    more = 2 * half - len(blocks)  # one that makes them even
    sides = np.empty((half + 1, 2, size, size))
    sides[:] = np.eye(size)
    for side, given, skipped in ((0, blocks, 0), (1, blocks[::-1], more)):
        own = given[: half + 1 - skipped]
        sides[skipped : skipped + len(own), side] = own
    middle = -sides[-2:, 0]
    del blocks, given, own  # all of them take as much as the sides
    _, near, far = np.pad(bands, ((0, 0), (0, more), (0, 0)))
    nears, fars = (_from_both_ends(band[: len(band) - apart], half) for apart, band in ((1, near), (2, far)))
    ends, coupling = yield from _eliminated(sides, nears, fars, _diagonal(nears[0]), half - 1)
    middle += sides[-2:, 0] + sides[-2:, 1][::-1]
    across = coupling[0] + coupling[1].T - np.diag(near[half - 1])
    none = np.zeros((2, 1, size))
    met, _ = yield from _eliminated(middle[:, None], none, none, across[None], 2)
    return Met(ends, met)


def _from_both_ends(values: Array, count: int) -> Array:
    """Return the first ``count`` values, and the last ones beginning at the end, (count, 2, ...)."""
    return np.stack([values[:count], values[::-1][:count]], axis=1)


def _diagonal(values: Array) -> Array:
    """Return diagonal matrices (b, q, q) of values (b, q)."""
    return values[..., None] * np.eye(values.shape[-1])


def _eliminated(
    blocks: Array, near: Array, far: Array, coupling: Array, count: int
) -> Pausing[tuple[Eliminated, Array]]:
    """Return systems of which ``count`` frames are eliminated, and what couples the next two (b, q, q).

    ``blocks`` are overwritten: by inverses, and of frames after those by what is left; ``near`` and ``far``
    (frames, b, q) couple frames with the next one and the one after; ``coupling``: the first two.
    """
    takes, passed = np.empty((count, *blocks.shape[1:])), np.empty_like(coupling)
    each = np.arange(coupling.shape[-1])
    pause = max(_AT_ONCE // max(len(coupling) * len(each) ** 3, 1), 1)
    for frame in range(count):
        blocks[frame] = own = inverse(blocks[frame])
        product(own, coupling, out=takes[frame])
        if frame + 1 < len(blocks):
            blocks[frame + 1] -= symmetric_product(coupling.swapaxes(-1, -2), takes[frame], out=passed)
            coupling = takes[frame].swapaxes(-1, -2) * -far[frame][:, None]
            coupling[:, each, each] += near[frame + 1]
        if frame + 2 < len(blocks):
            np.multiply(own, far[frame][:, None], out=passed)
            passed *= far[frame][..., None]
            blocks[frame + 2] -= passed
        if frame % pause == pause - 1:
            yield
    return Eliminated(blocks[:count], takes, far[:count]), coupling
