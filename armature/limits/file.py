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
Rotations are quaternions wxyz. Numbers are as short as gives every bit back.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import degrees, isfinite, pi, radians
from typing import Any, TypeVar

import numpy as np
from bpy.types import Object, PropertyGroup

from ...solvers import Cones, Ellipse, EulerLimit, Hinge, LimitError
from ...solvers.limits.kinds import Limit
from ..errors import RigError
from ..setup.comfort import read_comfort
from ..setup.limits import limit_kind, read_limit, store_or_free

SCHEMA, VERSION = "superpose-limits", 1
_FREE = (-pi, pi)
_Read = TypeVar("_Read")


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
    limits, comforts = _content(text)
    strangers = [name for name in (*limits, *comforts) if name not in ob.pose.bones]
    if strangers:
        more = f" and {len(strangers) - 1} more" if len(strangers) > 1 else ""
        raise RigError(f"The file is for another rig: '{ob.name}' has no bone '{strangers[0]}'{more}")
    return JointsFile(
        {name: _read("limit", name, entry, _limit) for name, entry in limits.items()},
        {name: _read("comfort pose", name, entry, _comfort) for name, entry in comforts.items()},
    )


def _content(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        content = json.loads(text, object_pairs_hook=_without_doubles)
    except ValueError as error:
        raise RigError(f"The file is no JSON: {error}") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise RigError("The file holds no limits of Superpose")
    if content.get("version") != VERSION:
        raise RigError(
            f"The file has version {content.get('version')}; this Superpose reads version {VERSION}"
        )
    limits, comforts = content.get("limits"), content.get("comfort", {})
    if not (isinstance(limits, dict) and isinstance(comforts, dict)):
        raise RigError("The file has no list of limits")
    return limits, comforts


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"'{name}' is there twice")
    return dict(pairs)


def _entry(limit: Limit | None) -> dict[str, Any]:
    """Return what the file says of one limit."""
    if limit is None:
        return {"kind": 'FREE'}
    soft_rim = {"soft_rim": _degrees(limit.cushion)}
    if isinstance(limit, Hinge):
        return {"kind": 'HINGE', "axis": _short(limit.axis), "range": _range(limit), **soft_rim}
    if isinstance(limit, EulerLimit):
        pairs = zip(limit.lower[0].tolist(), limit.upper[0].tolist(), strict=True)
        ranges = [[_degrees(low), _degrees(high)] for low, high in pairs]
        return {"kind": 'EULER', "order": limit.order, "ranges": ranges, **soft_rim}
    twist = {"twist": None if limit.upper - limit.lower >= 2 * pi else _range(limit)}
    if isinstance(limit, Ellipse):
        return {"kind": 'ELLIPSE', "radii": [_degrees(radius) for radius in limit.radii], **twist, **soft_rim}
    cones = [{"direction": _short(centre), "radius": _degrees(radius)} for centre, radius in limit.cones]
    return {"kind": 'CONES', "cones": cones, **twist, **soft_rim}


def _range(limit: Hinge | Cones | Ellipse) -> list[float]:
    return [_degrees(limit.lower), _degrees(limit.upper)]


def _degrees(angle: float) -> float:
    """Return the shortest number of degrees that is the same angle in single precision."""
    candidates = (round(degrees(angle), digits) for digits in range(12))
    same = (number for number in candidates if np.float32(radians(number)) == np.float32(angle))
    return next(same, degrees(angle))


def _short(vector: Iterable[float]) -> list[float]:
    """Return the shortest numbers that are the same in single precision."""
    return [float(np.format_float_scientific(np.float32(number))) for number in vector]


def _comfort_entry(stored: PropertyGroup) -> dict[str, list[float]]:
    spread = [_degrees(angle) for angle in stored.spread]
    return {
        "rotation": _short(stored.rotation),
        "spread": spread,
        "spread_axes": _short(stored.spread_axes),
    }


def _read(what: str, bone: str, entry: object, reader: Callable[[str, object], _Read]) -> _Read:
    """Return what an entry of the file describes; raises RigError or LimitError."""
    try:
        return reader(bone, entry)
    except LimitError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RigError(f"The file's {what} of '{bone}' cannot be read: {_complaint(error)}") from error


def _comfort(_bone: str, entry: object) -> dict[str, tuple[float, ...]]:
    entry = dict(entry)
    rotation, axes = (_numbers(entry.pop(name), 4) for name in ("rotation", "spread_axes"))
    spread = _angles(entry.pop("spread"), 3)
    _nothing_else(entry)
    if not (any(rotation) and any(axes) and min(spread) >= 0):
        raise ValueError("a rotation of length zero, or a negative spread")
    return {"rotation": rotation, "spread": spread, "spread_axes": axes}


def _limit(bone: str, entry: object) -> Limit | None:
    return _READERS[entry["kind"]](bone, dict(entry))


def _complaint(error: Exception) -> str:
    return f"{error} is missing or unknown" if isinstance(error, KeyError) else str(error)


def _read_free(_bone: str, entry: dict[str, Any]) -> None:
    _end(entry)


def _read_hinge(bone: str, entry: dict[str, Any]) -> Hinge:
    axis, ends = _numbers(entry.pop("axis"), 3), _angles(entry.pop("range"), 2)
    return Hinge(bone, axis, *ends, _end(entry))


def _read_cones(bone: str, entry: dict[str, Any]) -> Cones:
    cones = tuple(_cone(dict(cone)) for cone in entry.pop("cones"))
    return Cones(bone, cones, *_twist(entry), _end(entry))


def _cone(cone: dict[str, Any]) -> tuple[tuple[float, ...], float]:
    direction, (radius,) = _numbers(cone.pop("direction"), 3), _angles([cone.pop("radius")], 1)
    _end(cone)
    return direction, radius


def _read_ellipse(bone: str, entry: dict[str, Any]) -> Ellipse:
    return Ellipse(bone, _angles(entry.pop("radii"), 4), *_twist(entry), _end(entry))


def _read_euler(bone: str, entry: dict[str, Any]) -> EulerLimit:
    order, ranges = str(entry.pop("order")), [_angles(pair, 2) for pair in entry.pop("ranges")]
    lower, upper = np.transpose(ranges)
    return EulerLimit(bone, order, lower, upper, _end(entry))


def _twist(entry: dict[str, Any]) -> tuple[float, ...]:
    twist = entry.pop("twist")
    return _FREE if twist is None else _angles(twist, 2)


def _end(entry: dict[str, Any]) -> float:
    """Return the soft rim of an entry from which all else has been taken; raises ValueError for strangers."""
    (soft_rim,) = _angles([entry.pop("soft_rim", 0)], 1)
    entry.pop("kind", None)
    _nothing_else(entry)
    return soft_rim


def _nothing_else(entry: dict[str, Any]) -> None:
    if entry:
        raise ValueError(f"'{next(iter(entry))}' is unknown")


def _angles(values: object, count: int) -> tuple[float, ...]:
    return tuple(map(radians, _numbers(values, count)))


def _numbers(values: object, count: int) -> tuple[float, ...]:
    """Return so many numbers; raises ValueError."""
    plain = isinstance(values, list) and len(values) == count
    if not plain or any(isinstance(v, bool) or not isinstance(v, int | float) for v in values):
        raise ValueError(f"{values} where {count} numbers belong")
    if not all(map(isfinite, values)):
        raise ValueError(f"{values} is not finite")
    return tuple(map(float, values))


_READERS = {
    'FREE': _read_free,
    'HINGE': _read_hinge,
    'CONES': _read_cones,
    'ELLIPSE': _read_ellipse,
    'EULER': _read_euler,
}
