# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig's limits and comfort poses as JSON, to keep and to bring to other rigs with the same bones.

::

    {"schema": "superpose-limits", "version": 1, "armature": "metarig", "limits": {
        "forearm.L": {"kind": "HINGE", "axis": [1, 0, 0], "range": [-5, 140], "soft_rim": 0},
        "upper_arm.L": {"kind": "CONES", "cones": [{"direction": [0, 1, 0], "radius": 60}], "twist": null},
        "hand.L": {"kind": "ELLIPSE", "radii": [80, 70, 20, 30], "twist": [-80, 80]},
        "head": {"kind": "EULER", "order": "XYZ", "ranges": [[-45, 45], [-60, 60], [-45, 45]]},
        "spine": {"kind": "FREE"}},
     "comfort": {"hand.L": {"rotation": [1, 0, 0, 0], "spread": [20, 20, 20], "spread_axes": [1, 0, 0, 0]}}}

Angles are degrees. Radii go about +X, -X, +Z, -Z; a twist of null is free; a soft rim that is not given is 0.
The comfort of a bone whose limb bends to one side also has "limb" and "towards": where that goes on, in the
bone's own frame, and that side, in its rest frame. Rotations are quaternions wxyz. Numbers are as short as
gives every bit back.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from math import degrees, pi, radians
from typing import Any

import numpy as np
from bpy.types import Object, PropertyGroup

from ...solvers import Cones, Ellipse, EulerLimit, Hinge
from ...solvers.limits import ALONG, Limit
from ..entries import Entry, entry_from_json, shortest
from ..errors import RigError
from ..setup.comfort import read_comfort
from ..setup.limits import limit_kind, read_limit, store_or_free

SCHEMA, VERSION = "superpose-limits", 1
ORDERS = tuple(map("".join, permutations("XYZ")))
ROUND = -360, 360  # ranges may go round the back
_FREE = (-pi, pi)
_WAYS = ("limb", "towards")  # of a limb that bends to one side, both or none


@dataclass(frozen=True)
class JointsFile:
    """What a file says: ``limits`` by bone, None for free ones, and ``comforts`` by bone and property."""

    limits: dict[str, Limit | None]
    comforts: dict[str, dict[str, tuple[float, ...]]]

    def store(self, ob: Object) -> None:
        """Give the armature's bones what the file says of them; the others keep what they have."""
        for name, limit in self.limits.items():
            store_or_free(ob.pose.bones[name], limit)
        for name, comfort in self.comforts.items():
            stored = ob.pose.bones[name].superpose.comfort
            stored.is_set = True
            for part, values in comfort.items():
                setattr(stored, part, values)


def joints_as_json(ob: Object) -> str:
    """Return the limits and comfort poses that the armature's bones have of their own.

    Raises RigError if there are none, LimitError or ComfortError naming a bone that has an impossible one.
    """
    limited = [bone for bone in ob.pose.bones if limit_kind(bone) != 'NONE']
    eased = [bone for bone in ob.pose.bones if read_comfort(bone)]
    if not limited and not eased:
        raise RigError(f"No bone of '{ob.name}' has a limit or a comfort pose of its own")
    limits = {bone.name: _entry(read_limit(bone)) for bone in limited}
    comforts = {bone.name: _comfort_entry(bone.superpose.comfort) for bone in eased}
    head = {"schema": SCHEMA, "version": VERSION, "armature": ob.name}
    return json.dumps({**head, "limits": limits, "comfort": comforts}, indent=2)


def joints_from_json(ob: Object, text: str) -> JointsFile:
    """Return what the text says; all of it is checked.

    Raises RigError or LimitError saying what is wrong, and naming the bone.
    """
    limits, comforts = _content(entry_from_json("The file", text))
    known = {bone.name for bone in ob.pose.bones}
    strangers = [name for name in (*limits, *comforts) if name not in known]
    if strangers:
        more = f" and {len(strangers) - 1} more" if len(strangers) > 1 else ""
        raise RigError(f"The file is for another rig: '{ob.name}' has no bone '{strangers[0]}'{more}")
    return JointsFile(
        {name: _limit(name, values) for name, values in limits.items()},
        {
            name: _comfort(Entry(f"The file's comfort pose of '{name}'", values))
            for name, values in comforts.items()
        },
    )


def _content(file: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the file says of limits and of comfort, by bone."""
    file.head(SCHEMA, VERSION, "limits")
    file.take("armature", None)
    content = file.entries("limits"), file.entries("comfort", {})
    file.end()
    return content


def _entry(limit: Limit | None) -> dict[str, Any]:
    """Return what the file says of one limit."""
    if limit is None:
        return {"kind": 'FREE'}
    soft_rim = {"soft_rim": _degrees(limit.cushion)}
    if isinstance(limit, Hinge):
        play = {"play": _degrees(limit.play)} if limit.play else {}
        return {"kind": 'HINGE', "axis": _short(limit.axis), "range": _range(limit), **play, **soft_rim}
    if isinstance(limit, EulerLimit):
        pairs = zip(limit.lower[0].tolist(), limit.upper[0].tolist(), strict=True)
        ranges = [[_degrees(low), _degrees(high)] for low, high in pairs]
        return {"kind": 'EULER', "order": limit.order, "ranges": ranges, **soft_rim}
    twist = {"twist": None if limit.upper - limit.lower >= 2 * pi else _range(limit)}
    if isinstance(limit, Ellipse):
        return {"kind": 'ELLIPSE', "radii": [_degrees(radius) for radius in limit.radii], **twist, **soft_rim}
    cones = [{"direction": _short(centre), "radius": _degrees(radius)} for centre, radius in limit.cones]
    limb = {"limb": _short(limit.limb)} if limit.limb != ALONG else {}
    return {"kind": 'CONES', "cones": cones, **limb, **twist, **soft_rim}


def _range(limit: Hinge | Cones | Ellipse) -> list[float]:
    return [_degrees(limit.lower), _degrees(limit.upper)]


def _degrees(angle: float) -> float:
    """Return the shortest number of degrees that is the same angle in single precision."""
    candidates = (round(degrees(angle), digits) for digits in range(12))
    same = (number for number in candidates if np.float32(radians(number)) == np.float32(angle))
    return next(same, degrees(angle))


def _short(vector: Iterable[float]) -> list[float]:
    return [shortest(number) for number in vector]


def _comfort_entry(stored: PropertyGroup) -> dict[str, list[float]]:
    spread = [_degrees(angle) for angle in stored.spread]
    ways = {name: _short(getattr(stored, name)) for name in _WAYS if any(getattr(stored, name))}
    return {
        "rotation": _short(stored.rotation),
        "spread": spread,
        "spread_axes": _short(stored.spread_axes),
        **ways,
    }


def _comfort(entry: Entry) -> dict[str, tuple[float, ...]]:
    rotation, axes = (entry.direction(name, 4) for name in ("rotation", "spread_axes"))
    spread = _radians(entry.numbers("spread", 3, 0, 180))
    nowhere = () if any(name in entry.values for name in _WAYS) else (0.0, 0.0, 0.0)
    ways = {name: entry.direction(name, 3, nowhere) for name in _WAYS}
    entry.end()
    return {"rotation": rotation, "spread": spread, "spread_axes": axes, **ways}


def _limit(bone: str, values: dict[str, Any]) -> Limit | None:
    entry = Entry(f"The file's limit of '{bone}'", values)
    limit = _READERS[entry.choice("kind", tuple(_READERS))](bone, entry)
    entry.end()
    return limit


def _read_free(_bone: str, _entry: Entry) -> None:
    return None


def _read_hinge(bone: str, entry: Entry) -> Hinge:
    axis, ends = entry.direction("axis", 3), _radians(entry.numbers("range", 2, *ROUND))
    return Hinge(bone, axis, *ends, _rim(entry), radians(entry.number("play", 0, 90, 0.0)))


def _read_cones(bone: str, entry: Entry) -> Cones:
    owner = "Cone {} of the file's limit of '{}'"
    cones = [Entry(owner.format(place, bone), cone) for place, cone in enumerate(entry.many("cones"), 1)]
    limb = entry.direction("limb", 3, ALONG)
    return Cones(bone, tuple(map(_cone, cones)), *_twist(entry), _rim(entry), limb)


def _cone(entry: Entry) -> tuple[tuple[float, ...], float]:
    direction, radius = entry.direction("direction", 3), entry.number("radius", 0, 180)
    entry.end()
    return direction, radians(radius)


def _read_ellipse(bone: str, entry: Entry) -> Ellipse:
    return Ellipse(bone, _radians(entry.numbers("radii", 4, 0, 180)), *_twist(entry), _rim(entry))


def _read_euler(bone: str, entry: Entry) -> EulerLimit:
    order = entry.choice("order", ORDERS)
    lower, upper = np.radians(np.transpose(entry.ranges("ranges", 3, *ROUND)))
    return EulerLimit(bone, order, lower, upper, _rim(entry))


def _twist(entry: Entry) -> tuple[float, ...]:
    if entry.values.get("twist", 0) is None:
        entry.take("twist")
        return _FREE
    return _radians(entry.numbers("twist", 2, *ROUND))


def _rim(entry: Entry) -> float:
    return radians(entry.number("soft_rim", 0, 180, default=0.0))


def _radians(angles: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(map(radians, angles))


_READERS = {
    'FREE': _read_free,
    'HINGE': _read_hinge,
    'CONES': _read_cones,
    'ELLIPSE': _read_ellipse,
    'EULER': _read_euler,
}
