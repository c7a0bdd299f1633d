# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cones: a bone, or its limb, points into one of them or between neighbours."""

from collections.abc import Sequence
from itertools import count
from math import pi, radians
from typing import Any

from bpy.types import PropertyGroup

from ...solvers import Cones
from ...solvers.geometry import Array
from ...solvers.limits import ALONG
from ..entries import Entry
from .angles import WIDTH, direction, in_degrees, short, soft_rim
from .images import about_the_bone, numbers
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


class ConesKind(LimitKind):
    """A chain of cones, and a range of the twist."""

    NAME, LABEL, LIMIT = 'CONES', "Cones", Cones
    ADDS = "Point into a cone, or into a chain of cones: shoulders, hips"

    @classmethod
    def read(cls, bone: str, stored: PropertyGroup) -> Cones:
        cones = tuple((tuple(cone.direction), half_turn(cone.radius)) for cone in stored.cones)
        return Cones(bone, cones, *read_twist(stored), stored.cushion, tuple(stored.limb))

    @classmethod
    def store(cls, stored: PropertyGroup, limit: Cones) -> None:
        stored.limb = limit.limb
        for middle, radius in limit.cones:
            add_cone(stored, middle).radius = radius
        store_twist(stored, limit.lower, limit.upper)

    @classmethod
    def around(cls, bone: str, turn: Array, order: str) -> Cones:
        lean = lean_of(turn)
        # Straight back a twist has no meaning, so a cone does not grow to there.
        cone = (ALONG, wide(lean)) if lean < 0.5 * pi else (direction(turn), WIDTH)
        return Cones(bone, (cone,), *twist_around(turn))

    @classmethod
    def axis(cls, limit: Cones) -> tuple[float, ...]:
        return limit.limb

    @classmethod
    def mirrored(cls, limit: Cones, other: str, image: Array) -> Cones:
        along = limit.limb == ALONG
        image = about_the_bone(image) if along else image
        cones = tuple((numbers(image @ middle), radius) for middle, radius in limit.cones)
        limb = ALONG if along else numbers(image @ limit.limb)
        return Cones(other, cones, -limit.upper, -limit.lower, limit.cushion, limb)

    @classmethod
    def as_json(cls, limit: Cones) -> dict[str, Any]:
        cones = [{"direction": short(middle), "radius": in_degrees(radius)} for middle, radius in limit.cones]
        limb = {"limb": short(limit.limb)} if limit.limb != ALONG else {}
        return {"cones": cones, **limb, **twist_as_json(limit.lower, limit.upper)}

    @classmethod
    def from_json(cls, bone: str, entry: Entry) -> Cones:
        owner = "Cone {} of the file's limit of '{}'"
        cones = [Entry(owner.format(place, bone), cone) for place, cone in enumerate(entry.many("cones"), 1)]
        limb = entry.direction("limb", 3, ALONG)
        return Cones(bone, tuple(map(_cone, cones)), *twist_from_json(entry), soft_rim(entry), limb)


def add_cone(stored: PropertyGroup, middle: Sequence[float]) -> PropertyGroup:
    """Return a new cone, the last of a bone's limit; library overrides need a name of its own for it."""
    names = {cone.name for cone in stored.cones}
    fresh = (f"Cone {number}" for number in count(1))
    cone = stored.cones.add()
    cone.name = next(name for name in fresh if name not in names)
    cone.direction = middle
    return cone


def _cone(entry: Entry) -> tuple[tuple[float, ...], float]:
    middle, radius = entry.direction("direction", 3), entry.number("radius", 0, 180)
    entry.end()
    return middle, radians(radius)
