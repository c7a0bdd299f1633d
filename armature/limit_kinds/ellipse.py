# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ellipses: a bone leans by an angle of its own to each of four sides."""

from typing import Any

import numpy as np
from bpy.types import PropertyGroup

from ...solvers import Ellipse
from ...solvers.geometry import Array
from ..entries import Entry
from .angles import in_degrees, in_radians, soft_rim
from .images import about_the_bone, signs
from .kind import LimitKind
from .swinging import (
    half_turn,
    lean_of,
    read_twist,
    store_twist,
    twist_around,
    twist_as_json,
    twist_from_json,
    wide,
)


class EllipseKind(LimitKind):
    """Four radii, and a range of the twist."""

    NAME, LABEL, LIMIT = 'ELLIPSE', "Ellipse", Ellipse
    ADDS = "Lean by its own angle to each of four sides: wrists, ankles, the spine"

    @classmethod
    def read(cls, bone: str, stored: PropertyGroup) -> Ellipse:
        return Ellipse(bone, tuple(map(half_turn, stored.radii)), *read_twist(stored), stored.cushion)

    @classmethod
    def store(cls, stored: PropertyGroup, limit: Ellipse) -> None:
        stored.radii = limit.radii
        store_twist(stored, limit.lower, limit.upper)

    @classmethod
    def around(cls, bone: str, turn: Array, order: str) -> Ellipse:
        return Ellipse(bone, (wide(lean_of(turn)),) * 4, *twist_around(turn))

    @classmethod
    def as_json(cls, limit: Ellipse) -> dict[str, Any]:
        radii = [in_degrees(radius) for radius in limit.radii]
        return {"radii": radii, **twist_as_json(limit.lower, limit.upper)}

    @classmethod
    def from_json(cls, bone: str, entry: Entry) -> Ellipse:
        radii = in_radians(entry.numbers("radii", 4, 0, 180))
        return Ellipse(bone, radii, *twist_from_json(entry), soft_rim(entry))

    @classmethod
    def mirrored(cls, limit: Ellipse, other: str, image: Array) -> Ellipse:
        axes = signs(-about_the_bone(image), limit.bone, other)
        radii = [0.0] * 4
        for old, axis in enumerate((0, 2)):
            new, sign = _image_of(axes, axis)
            pair = limit.radii[2 * old : 2 * old + 2]
            radii[new : new + 2] = pair if sign > 0 else pair[::-1]
        return Ellipse(other, tuple(radii), -limit.upper, -limit.lower, limit.cushion)


def _image_of(axes: Array, axis: int) -> tuple[int, float]:
    """Return where the radii of an axis go, 0 for X and 2 for Z, and whether they keep their sense."""
    new = int(np.argmax(np.abs(axes[:, axis])))
    return new, axes[new, axis]
