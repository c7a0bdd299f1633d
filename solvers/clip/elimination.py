# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear systems over all frames of a clip, in which a frame is coupled with two before it and two after it.

With unknowns in the bones' own frames second differences have constant coefficients, so what couples frames
is diagonal. Eliminating frame after frame fills the coupling with the next frame; that with the one after it
stays diagonal, and products with it are none of matrices.
"""

import numpy as np

from ..geometry import Array, gram, inverse_root, matvec, vecmat


def second_differences(frames: int) -> Array:
    """Return the bands (3, frames) of ``T^T T``, T the second difference: diagonal, and one and two beside
    it.

    Entry f of a band couples frame f with frame f, f + 1 or f + 2.
    """
    bands, difference = np.zeros((3, frames)), (1.0, -2.0, 1.0)
    for first in range(3):
        for second in range(first, 3):
            bands[second - first, first : max(frames - 2, 0) + first] += (
                difference[first] * difference[second]
            )
    return bands


def eliminate(blocks: Array, weights: Array, bands: Array, right: Array) -> Array:
    """Return the solution (frames, q) of a symmetric positive definite system over the frames of a clip.

    ``blocks`` (frames, q, q), which are overwritten: a frame's own, the bands' diagonal included; ``bands``
    (3, frames) times ``weights`` (q,) couple it with others; ``right`` (frames, q).
    """
    frames, each = len(blocks), np.arange(len(weights))
    near, far = bands[1:, :, None] * weights
    inverses, fills, solution = blocks, np.empty_like(blocks), right.copy()
    coupling = np.diag(near[0])
    for frame in range(frames):
        inverses[frame] = gram(inverse_root(blocks[frame : frame + 1]))[0]
        fills[frame] = inverses[frame] @ coupling
        if frame + 1 < frames:
            blocks[frame + 1] -= coupling.T @ fills[frame]
            solution[frame + 1] -= vecmat(solution[frame], fills[frame])
        if frame + 2 < frames:
            blocks[frame + 2] -= far[frame][:, None] * inverses[frame] * far[frame]
            solution[frame + 2] -= far[frame] * matvec(inverses[frame], solution[frame])
        coupling = -fills[frame].T * far[frame]
        coupling[each, each] += near[min(frame + 1, frames - 1)]
    for frame in reversed(range(frames)):
        after = far[frame] * solution[frame + 2] if frame + 2 < frames else 0.0
        solution[frame] = matvec(inverses[frame], solution[frame] - after)
        if frame + 1 < frames:
            solution[frame] -= matvec(fills[frame], solution[frame + 1])
    return solution
