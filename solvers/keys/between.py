# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long vectors are between samples too: from one key of the full clip to the next they are a polynomial.

Channels are cubics in time there, so what small changes of them do to a body nearly is one.
"""

import numpy as np

from ..geometry import Array, norm
from .spans import SUBFRAMES

# Places that are looked at from one sample to the next.
_PLACES = 4


def _weights() -> Array:
    """Return how samples from a key to the next make up each place between (places, SUBFRAMES + 1)."""
    samples, places = np.arange(SUBFRAMES + 1), np.arange(_PLACES * SUBFRAMES) / _PLACES
    powers = np.vander(samples - SUBFRAMES / 2, increasing=True)
    return np.vander(places - SUBFRAMES / 2, SUBFRAMES + 1, increasing=True) @ np.linalg.inv(powers)


_WEIGHTS = _weights()


def largest_around(vectors: Array) -> Array:
    """Return the largest lengths (samples, ...) of vectors (samples, ..., 3) half way around samples."""
    largest, keys = norm(vectors), (len(vectors) - 1) // SUBFRAMES
    last = keys * SUBFRAMES
    samples = [vectors[first : first + last : SUBFRAMES] for first in range(SUBFRAMES + 1)]
    for place, weights in enumerate(_WEIGHTS):
        if place % _PLACES:
            lengths = norm(sum(weight * sample for weight, sample in zip(weights, samples, strict=True)))
            nearest = (place + _PLACES // 2) // _PLACES
            near = largest[nearest : nearest + last : SUBFRAMES]
            np.maximum(near, lengths, out=near)
    return largest
