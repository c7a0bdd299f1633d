# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The poses that bones take, one a row."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import SkeletonError
from ..geometry import Array, Mask, Rows
from .frozen import frozen
from .shifts import Shifts, joined_shifts, shifts_of


class _Translations:
    """All bones' translations, of which a pose keeps the ``shifts``."""

    def __get__(self, pose: "Pose | None", _kind: type["Pose"] | None = None) -> Array:
        if pose is None:
            raise AttributeError("A pose has no translations by default")
        return pose.shifts.whole()

    def __set__(self, pose: "Pose", values: Array | Shifts) -> None:
        if not isinstance(values, Shifts):
            values = frozen(values, what="The translations of a pose")
            if values.ndim != 3 or values.shape[2] != 3:
                raise SkeletonError(f"Translations of a pose are (batch, bones, 3), not {values.shape}")
            values = shifts_of(values)
        object.__setattr__(pose, "shifts", values)


@dataclass(frozen=True, eq=False)
class Pose:
    """Local rotations (batch, bones, 4) and translations of the roots (batch, bones, 3, armature space).

    Of the translations the ``shifts`` are kept, which may be given in their place.
    """

    rotations: Array
    translations: _Translations = _Translations()
    shifts: Shifts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotations", frozen(self.rotations, what="The rotations of a pose"))
        moves = len(self.shifts.values), self.shifts.bones
        if self.rotations.shape != (*moves, 4):
            raise SkeletonError(
                f"A pose needs rotations (batch, bones, 4) and translations (batch, bones, 3), "
                f"not {self.rotations.shape} and {(*moves, 3)}"
            )
        if not (np.isfinite(self.rotations).all() and np.isfinite(self.shifts.values).all()):
            raise SkeletonError("A pose has values that are not finite")

    def __len__(self) -> int:
        return len(self.rotations)

    def rows(self, keep: Rows) -> "Pose":
        """Return the poses of the rows ``keep``."""
        return Pose(self.rotations[keep], self.shifts.rows(keep))


def joined_poses(parts: Sequence[Pose]) -> Pose:
    """Return the poses of consecutive rows as one."""
    rotations = np.concatenate([part.rotations for part in parts])
    rotations.setflags(write=False)  # a pose takes them as they are, then
    return Pose(rotations, joined_shifts([part.shifts for part in parts]))


def chosen_poses(first: Mask, one: Pose, other: Pose) -> Pose:
    """Return the poses of ``one`` in the rows (batch,) that are the ``first``'s, and else of the other."""
    chosen = first[:, None, None]
    return Pose(
        np.where(chosen, one.rotations, other.rotations),
        np.where(chosen, one.translations, other.translations),
    )


def replaced_poses(poses: Pose, rows: Rows, others: Pose) -> Pose:
    """Return the poses with those of the ``rows`` as the others are, one for each."""
    rotations, translations = poses.rotations.copy(), poses.translations.copy()
    rotations[rows], translations[rows] = others.rotations, others.translations
    return Pose(rotations, translations)
