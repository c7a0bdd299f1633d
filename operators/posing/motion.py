# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far and which way something is moved and turned, in the scene."""

from dataclasses import dataclass, field

import numpy as np

from ...solvers.geometry import Array


@dataclass(frozen=True, eq=False)
class Motion:
    """``translation`` (3,) in scene units, ``rotation`` (3, 3), both along the scene's axes."""

    translation: Array = field(default_factory=lambda: np.zeros(3))
    rotation: Array = field(default_factory=lambda: np.eye(3))

    @property
    def turns(self) -> bool:
        """Return whether it turns what it moves."""
        return not np.array_equal(self.rotation, np.eye(3))

    @staticmethod
    def between(before: Array, after: Array) -> "Motion":
        """Return what takes one place, world (4, 4), to another."""
        return Motion(after[:3, 3] - before[:3, 3], after[:3, :3] @ before[:3, :3].T)

    def is_as(self, other: "Motion") -> bool:
        """Return whether it is the same, to the bit."""
        return np.array_equal(self.translation, other.translation) and np.array_equal(
            self.rotation, other.rotation
        )

    def of(self, place: Array) -> Array:
        """Return where a place, world (4, 4), comes to be: turned about its own point."""
        moved = place.copy()
        moved[:3, 3] += self.translation
        moved[:3, :3] = self.rotation @ place[:3, :3]
        return moved
