# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a track is noise, judged by how its frames differ from their neighbours."""

from math import comb, sqrt

import numpy as np

from ..geometry import Array, Mask

# Motion hardly has differences of this order. Those of noise alternate: from frame to frame their correlation
# is -0.8, that of motion is positive.
_ORDER = 4
_TREMBLING = -0.4
# Differences below this share of the way that a track goes are rounding, and so are those below this many
# figure sizes, a sixth of a millimetre of a person: Blender's single precision makes what stands on a body in
# motion tremble, by some tenths of a micrometre.
_ROUNDING, _LEAST_TREMOR = 1e-5, 1e-4
# Of noise alone the products of neighbouring differences have so many times its variance for each number, and
# half of these products for points, three numbers, are below so many of that.
_GROWTH, _MEDIAN = -float(comb(2 * _ORDER, _ORDER - 1)), 0.7645


def trembles(values: Array) -> bool:
    """Return whether a track (frames, c), in figure sizes, goes to and fro from frame to frame.

    However fast it moves.
    """
    changes = np.diff(values, _ORDER, axis=0)
    changes = changes[changes.any(axis=1)]
    if len(changes) < 2:
        return False
    squares = np.einsum("fi,fi->f", changes, changes)
    alternating = np.einsum("fi,fi->f", changes[1:], changes[:-1])
    rounding = max(_ROUNDING * float(np.ptp(values, axis=0).max()), _LEAST_TREMOR) ** 2
    return bool(np.median(2 * alternating / (squares[1:] + squares[:-1] + rounding)) < _TREMBLING)


def noise_of(values: Array, believed: Mask) -> float:
    """Return the standard deviation of the noise in each number of a track (frames, c).

    From how differences of the fourth order alternate where all of their frames are ``believed`` (frames,):
    those of motion do not. Zero for a track without six such frames in a row.
    """
    changes = np.diff(values, _ORDER, axis=0)
    whole = np.convolve(believed, np.ones(_ORDER + 2), mode="valid") > _ORDER + 1
    if not whole.any():
        return 0.0
    products = np.einsum("fi,fi->f", changes[1:], changes[:-1])[whole]
    return sqrt(max(float(np.median(products)) / (_MEDIAN * _GROWTH * values.shape[1]), 0.0))
