# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a joint may not do. Every method asks a limit the same two things: what is free, what is nearest."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .errors import SkeletonError
from .rotation import Array, euler_to_matrix, matrix_to_euler


class Limit(Protocol):
    """A limit on one bone. Local rotations (batch, 3, 3) are relative to rest, in the bone's parent frame."""

    bone: str

    def free_directions(self, local: Array) -> Array:
        """Return projectors (batch, 3, 3), in the bone's own frame, on the turns that the limit allows."""

    def nearest(self, local: Array) -> Array:
        """Return the nearest allowed rotations (batch, 3, 3)."""


@dataclass(frozen=True, eq=False)
class AxisLock:
    """Euler angles that keep their value, as Blender's rotation locks do: one free angle is a hinge.

    ``order``: "XYZ" and so on, first letter turns first. ``locked``: per axis. ``angles``
    (batch or 1, 3): the values kept, radians.

    Raises SkeletonError for an order that is none and angles that are not finite.
    """

    bone: str
    order: str
    locked: tuple[bool, bool, bool]
    angles: Array

    def __post_init__(self) -> None:
        name = f"The rotation lock of '{self.bone}'"
        if sorted(self.order) != ["X", "Y", "Z"] or len(self.locked) != 3:
            raise SkeletonError(
                f"{name} needs an order of X, Y and Z and three axes, not {self.order}, {self.locked}"
            )
        object.__setattr__(self, "angles", np.atleast_2d(np.array(self.angles, dtype=np.float64)))
        if self.angles.ndim != 2 or self.angles.shape[1] != 3 or not np.isfinite(self.angles).all():
            raise SkeletonError(f"{name} needs finite angles (batch, 3), not {self.angles.shape}")

    def rows(self, keep: Array) -> "AxisLock":
        """Return the lock of the rows ``keep``."""
        angles = self.angles if len(self.angles) == 1 else self.angles[keep]
        return AxisLock(self.bone, self.order, self.locked, angles)

    def free_directions(self, local: Array) -> Array:
        """Return the projector on the axes that the unlocked angles turn about."""
        angles = matrix_to_euler(local, self.order)
        before = np.broadcast_to(np.eye(3), local.shape)
        columns = []
        for axis in map("XYZ".index, self.order):
            if not self.locked[axis]:
                columns.append(np.swapaxes(before, -1, -2)[..., axis])
            turn = np.zeros_like(angles)
            turn[..., axis] = angles[..., axis]
            before = euler_to_matrix(turn, self.order) @ before
        if not columns:
            return np.zeros_like(local)
        basis, sizes, _ = np.linalg.svd(np.stack(columns, axis=-1), full_matrices=False)
        basis = basis * (sizes > 1e-6)[..., None, :]
        return basis @ np.swapaxes(basis, -1, -2)

    def nearest(self, local: Array) -> Array:
        """Return the rotations with the locked angles put back."""
        angles = np.where(self.locked, self.angles, matrix_to_euler(local, self.order))
        return euler_to_matrix(angles, self.order)
