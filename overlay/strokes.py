# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and words in front of everything, as values that any drawing can take up."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .marks import Colour, Place
from .projection import Projection

_LEAST = 18.0  # pixels: beside a shorter line there is no room for words
_BESIDE = (8.0, 6.0)  # pixels: where words begin, from the middle of their line


@dataclass(frozen=True)
class Stroke:
    """Lines between ``places`` in the scene, the first and the second, and so on; ``width`` in pixels."""

    places: tuple[Place, ...]
    colour: Colour
    width: float = 1.5
    opacity: float = 0.9


@dataclass(frozen=True)
class Label:
    """Words beside the line between two places in the scene."""

    begin: Place
    end: Place
    words: str

    def pixels(self, seen: Projection, scale: float) -> tuple[float, float] | None:
        """Return where the words begin on the screen, or nothing where the line is short or behind the eye.

        ``scale``: that of the interface.
        """
        ends, ahead = seen.pixels(np.array([self.begin, self.end]))
        if not ahead.all() or np.linalg.norm(ends[1] - ends[0]) < _LEAST * scale:
            return None
        x, y = (ends.mean(axis=0) + np.multiply(_BESIDE, scale)).tolist()
        return x, y


def path(*places: Place) -> tuple[Place, ...]:
    """Return lines through all the places, one after the other."""
    return tuple(place for pair in pairwise(places) for place in pair)
