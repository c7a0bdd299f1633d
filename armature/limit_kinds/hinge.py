# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges: joints that turn about one axis."""

from math import pi, radians
from typing import Any

import numpy as np
from bpy.types import PropertyGroup

from ...solvers import Hinge
from ...solvers.geometry import Array, quaternion_to_rotation_vector
from ..entries import Entry
from .angles import ROOM, ROUND, in_degrees, in_radians, in_sight, short, soft_rim
from .images import numbers
from .kind import LimitKind

_FLEXION = radians(140.0)


class HingeKind(LimitKind):
    """An axis, a range about it, and play: how far the axis may tilt."""

    NAME, LABEL, LIMIT = 'HINGE', "Hinge", Hinge
    ADDS = "Turn about one axis: elbows, knees, fingers"

    @classmethod
    def read(cls, bone: str, stored: PropertyGroup) -> Hinge:
        ends = stored.hinge_min, stored.hinge_max
        play = min(stored.hinge_play, 0.5 * pi)  # in single precision that is stored as a little more
        return Hinge(bone, tuple(stored.axis), *ends, stored.cushion, play)

    @classmethod
    def store(cls, stored: PropertyGroup, limit: Hinge) -> None:
        stored.axis, stored.hinge_play = limit.axis, limit.play
        stored.hinge_min, stored.hinge_max = in_sight(limit.lower, limit.upper)

    @classmethod
    def around(cls, bone: str, turn: Array, order: str) -> Hinge:
        vector = quaternion_to_rotation_vector(turn)
        size = float(np.linalg.norm(vector))
        axis = vector / size if size > 1e-4 else np.array([1.0, 0.0, 0.0])
        along = int(np.argmax(np.abs(axis)))
        if abs(axis[along]) > 1 - 1e-9:  # the bone's own axis, so keep to its sense
            axis = np.eye(3)[along]
        angle = float(vector @ axis)
        return Hinge(bone, numbers(axis), min(-ROOM, angle - ROOM), max(_FLEXION, angle + ROOM))

    @classmethod
    def axis(cls, limit: Hinge) -> tuple[float, ...]:
        return limit.axis

    @classmethod
    def mirrored(cls, limit: Hinge, other: str, image: Array) -> Hinge:
        # A reflection turns the sense of rotations round, so the axis is negated.
        axis = numbers(-image @ limit.axis)
        return Hinge(other, axis, limit.lower, limit.upper, limit.cushion, limit.play)

    @classmethod
    def as_json(cls, limit: Hinge) -> dict[str, Any]:
        play = {"play": in_degrees(limit.play)} if limit.play else {}
        ends = [in_degrees(limit.lower), in_degrees(limit.upper)]
        return {"axis": short(limit.axis), "range": ends, **play}

    @classmethod
    def from_json(cls, bone: str, entry: Entry) -> Hinge:
        axis, ends = entry.direction("axis", 3), in_radians(entry.numbers("range", 2, *ROUND))
        return Hinge(bone, axis, *ends, soft_rim(entry), radians(entry.number("play", 0, 90, 0.0)))
