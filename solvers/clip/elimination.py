# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear systems over all frames of a clip, in which a frame is coupled with two before it and two after it.

With unknowns in the bones' own frames second differences have constant coefficients, so what couples frames
is diagonal. Eliminating frame after frame fills the coupling with the next frame; that with the one after it
stays diagonal, and products with it are none of matrices.
"""

import numpy as np

from ..geometry import Array, inverse, matvec, product


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


def eliminate(blocks: Array, bands: Array, right: Array) -> Array:
    """Return the solution (frames, q) of a symmetric positive definite system over the frames of a clip.

    ``blocks`` (frames, q, q), which are overwritten: a frame's own, the bands' diagonal included; ``bands``
    (3, frames, q) couple it with others; ``right`` (frames, q).
    """
    frames, size = right.shape
    near, far = bands[1:]
    # Of each frame what its solution takes of the next one's; a block is overwritten with its inverse, times
    # which ``far`` is what it takes of the one after that.
    takes, solution = np.empty((frames, size, size)), right.copy()
    coupling = np.diag(near[0])
    for frame in range(frames):
        blocks[frame] = own = inverse(blocks[frame : frame + 1])[0]
        made = product(own, np.column_stack([coupling, solution[frame]]))
        takes[frame], solution[frame] = made[:, :size], made[:, size]
        if frame + 1 < frames:
            passed = product(coupling.T, made)
            blocks[frame + 1] -= passed[:, :size]
            solution[frame + 1] -= passed[:, size]
            coupling = np.diag(near[frame + 1]) - takes[frame].T * far[frame]
        if frame + 2 < frames:
            blocks[frame + 2] -= far[frame][:, None] * own * far[frame]
            solution[frame + 2] -= far[frame] * solution[frame]
    padded = np.concatenate([solution, np.zeros((2, size))])
    for frame in reversed(range(frames)):
        padded[frame] -= matvec(takes[frame], padded[frame + 1])
        padded[frame] -= matvec(blocks[frame], far[frame] * padded[frame + 2])
    return padded[:frames]
