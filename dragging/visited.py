# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where what is moved has been in a drag, and which pose a move to there begins from."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ..solvers import Pose
from ..solvers.geometry import Array

# As a share of the armature's extent, and in entries of rotation matrices: what is no farther apart is one
# place.
_NEAR = 0.01
# Places that are remembered; of more the oldest are forgotten.
_MOST = 512


@dataclass(eq=False)
class Visited:
    """The ``places`` of what is moved (coordinates,) in the order in which they were come to, and for each the
    pose that moves to it begin from: None where that is the one at the drag's beginning.

    One step of a move in haste leads part of the way from its start to the best pose. So a pose depends on
    the place alone where the start does: back at a place all is as it was there.
    """

    places: deque[Array] = field(default_factory=lambda: deque(maxlen=_MOST), init=False)
    starts: deque[Pose | None] = field(default_factory=lambda: deque(maxlen=_MOST), init=False)

    def start(self, place: Array, pose: Pose | None) -> Pose | None:
        """Return the pose that a move to the ``place`` begins from: the ``pose`` where that is a new one."""
        if self.places:
            alike = np.abs(np.array(self.places) - place).max(axis=1) <= _NEAR
            if alike.any():
                return self.starts[int(alike.argmax())]
        self.places.append(place)
        self.starts.append(pose)
        return pose

    def forget(self) -> None:
        """Have the next move begin where the last one ended."""
        self.places.clear()
        self.starts.clear()
