# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares of tracks with third differences: equations in which each frame meets three on either side.

Three frames are a block, so blocks meet their neighbours only. Every other block is eliminated, all at a
time, which leaves half of them, and so on (cyclic reduction).

Reference: Hockney 1965 (10.1145/321250.321259).
"""

import numpy as np

from ..geometry import Array

_THIRD = np.array([-1.0, 3.0, -3.0, 1.0])
_BLOCK = 3


def solve_banded(weights: Array, stiffness: Array, pulls: Array) -> Array:
    """Return x (frames, tracks, c) where ``diag(weights) x + T' diag(stiffness) T x = pulls``.

    ``T``: third differences. ``weights`` (frames, tracks), above zero; ``stiffness`` (frames - 3, tracks);
    ``pulls`` (frames, tracks, c). Tracks do not meet.
    """
    frames, tracks = weights.shape
    bands = _bands(weights, stiffness)
    more = -frames % _BLOCK
    bands = np.pad(bands, ((0, 0), (0, more + _BLOCK), (0, 0)))
    bands[0, frames:] = 1.0  # frames that make the last block whole
    own = np.arange(_BLOCK)
    begin = np.arange(0, frames + more, _BLOCK)[:, None, None]
    blocks = bands[np.abs(own - own[:, None]), begin + np.minimum(own, own[:, None])]
    ahead = _BLOCK + own - own[:, None]
    met = (ahead <= _BLOCK)[..., None]
    coupling = np.where(met, bands[np.minimum(ahead, _BLOCK), begin + own[:, None]], 0.0)[:-1]
    given = np.pad(pulls, ((0, more), (0, 0), (0, 0))).reshape(len(begin), _BLOCK, tracks, -1)
    # One after the other in memory, whatever the number of tracks: numpy multiplies others in another order.
    move = (0, 3, 1, 2)
    parts = blocks.transpose(move), coupling.transpose(move), given.transpose(0, 2, 1, 3)
    found = _reduced(*map(np.ascontiguousarray, parts))
    return found.transpose(0, 2, 1, 3).reshape(frames + more, tracks, -1)[:frames]


def _bands(weights: Array, stiffness: Array) -> Array:
    """Return the entries (4, frames, tracks) of each frame with itself and the three that follow."""
    bands = np.zeros((len(_THIRD), *weights.shape))
    for apart in range(len(_THIRD)):
        for place in range(len(_THIRD) - apart):
            share = _THIRD[place] * _THIRD[place + apart]
            bands[apart, place : place + len(stiffness)] += share * stiffness
    bands[0] += weights
    return bands


def _reduced(blocks: Array, coupling: Array, given: Array) -> Array:
    """Return x (n, tracks, 3, c); ``blocks`` (n, tracks, 3, 3), ``coupling`` (n - 1, ...) to the next."""
    found: Array = np.empty(given.shape)
    if len(blocks) == 1:
        found[:] = np.linalg.solve(blocks, given)
        return found
    before, after = np.swapaxes(coupling[::2], -1, -2), coupling[1::2]
    odd = len(blocks[1::2])
    after = np.concatenate([after, np.zeros((odd - len(after), *blocks.shape[1:]))])
    sides = np.concatenate([before, after, given[1::2]], axis=-1)
    gone = np.linalg.solve(blocks[1::2], sides)
    to_before, to_after, own = gone[..., :3], gone[..., 3:6], gone[..., 6:]
    kept, pulls = blocks[::2].copy(), given[::2].copy()
    kept[:odd] -= coupling[::2] @ to_before
    pulls[:odd] -= coupling[::2] @ own
    behind = np.swapaxes(after, -1, -2)[: len(kept) - 1]
    kept[1:] -= behind @ to_after[: len(behind)]
    pulls[1:] -= behind @ own[: len(behind)]
    across = -coupling[::2][: len(kept) - 1] @ to_after[: len(kept) - 1]
    found[::2] = _reduced(kept, across, pulls)
    found[1::2] = own - to_before @ found[::2][:odd]
    following = found[2::2]
    found[1::2][: len(following)] -= to_after[: len(following)] @ following
    return found
