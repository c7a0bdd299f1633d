# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where what is moved has been in a drag, and which pose a move to there begins from."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ..solvers import Pose
from ..solvers.geometry import Array

# As shares of the armature's extent, and in entries of rotation matrices: how far around a place moves begin
# as the one to it did. Between the least and the most it is this share of the move that led there, so that
# places of one way leave no gaps and do not cover each other.
_LEAST, _MOST, _SHARE = 0.004, 0.02, 0.6
# Places that are remembered; of more the oldest are forgotten.
_REMEMBERED = 512


@dataclass(frozen=True, eq=False)
class _Place:
    """Moves to no farther than ``near`` from ``coordinates`` (n,) begin from the pose ``start``: where it is
    None, from the pose at the drag's beginning.
    """

    coordinates: Array
    near: float
    start: Pose | None


@dataclass(eq=False)
class Visited:
    """The ``places`` that what is moved came to first, in that order; ``last``: where it is, or nothing.

    One step of a move in haste leads a part of the way from its start to the best pose. So the pose depends
    on the place alone where the start does: back at a place the body is as it was there.
    """

    places: deque[_Place] = field(default_factory=lambda: deque(maxlen=_REMEMBERED), init=False)
    last: Array | None = field(default=None, init=False)

    def start(self, coordinates: Array, pose: Pose | None) -> Pose | None:
        """Return the pose that a move to a place begins from: the ``pose`` where none near it was visited.

        Of several that are near the first counts: those that were added since have no say.
        """
        away = 0.0 if self.last is None else _distances(coordinates, self.last)
        self.last = coordinates
        if self.places:
            around = np.array([place.coordinates for place in self.places])
            near = np.array([place.near for place in self.places])
            is_near = _distances(around, coordinates) <= near
            if is_near.any():
                return self.places[int(is_near.argmax())].start
        self.places.append(_Place(coordinates, float(np.clip(_SHARE * away, _LEAST, _MOST)), pose))
        return pose

    def forget(self) -> None:
        """Have the next move begin where the last one ended."""
        self.places.clear()
        self.last = None


def _distances(places: Array, place: Array) -> Array:
    """Return how far places (..., n) are from one (n,) in the coordinate that differs most, (...)."""
    distances: Array = np.abs(places - place).max(axis=-1)
    return distances
