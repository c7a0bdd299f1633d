# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig's limits as JSON, to keep and to bring to other rigs with the same bones.

::

    {"schema": "superpose-limits", "version": 1, "armature": "metarig", "limits": {
        "forearm.L": {"kind": "HINGE", "axis": [1, 0, 0], "range": [-5, 140], "soft_rim": 0},
        "upper_arm.L": {"kind": "CONES", "cones": [{"direction": [0, 1, 0], "radius": 60}], "twist": null},
        "hand.L": {"kind": "ELLIPSE", "radii": [80, 70, 20, 30], "twist": [-80, 80]},
        "head": {"kind": "EULER", "order": "XYZ", "ranges": [[-45, 45], [-60, 60], [-45, 45]]},
        "spine": {"kind": "FREE"}}}

Angles are degrees. Radii go about +X, -X, +Z, -Z; a twist of null is free; a soft rim that is not given is 0.
Numbers are as short as gives every bit back.
"""

import json
from collections.abc import Iterable
from math import degrees, isfinite, pi, radians
from typing import Any

import numpy as np
from bpy.types import Object

from ..solvers import Cones, Ellipse, EulerLimit, Hinge, LimitError
from ..solvers.limits import Limit
from .errors import RigError
from .limits import limit_kind, read_limit

SCHEMA, VERSION = "superpose-limits", 1
_FREE = (-pi, pi)


def limits_as_json(ob: Object) -> str:
    """Return the limits that the armature's bones have of their own.

    Raises RigError if there are none, LimitError naming a bone whose limit allows nothing.
    """
    limited = [bone for bone in ob.pose.bones if limit_kind(bone) != 'NONE']
    if not limited:
        raise RigError(f"No bone of '{ob.name}' has a limit of its own")
    limits = {bone.name: _entry(read_limit(bone)) for bone in limited}
    return json.dumps({"schema": SCHEMA, "version": VERSION, "armature": ob.name, "limits": limits}, indent=2)


def limits_from_json(ob: Object, text: str) -> dict[str, Limit | None]:
    """Return the limits in the text by bone, None for free ones; all of it is checked.

    Raises RigError or LimitError saying what is wrong, and naming the bone.
    """
    limits = _content(text)
    strangers = [name for name in limits if name not in ob.pose.bones]
    if strangers:
        more = f" and {len(strangers) - 1} more" if len(strangers) > 1 else ""
        raise RigError(f"The file is for another rig: '{ob.name}' has no bone '{strangers[0]}'{more}")
    return {name: _limit(name, entry) for name, entry in limits.items()}


def _content(text: str) -> dict[str, Any]:
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
    if not isinstance(content.get("limits"), dict):
        raise RigError("The file has no list of limits")
    return content["limits"]


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


def _limit(bone: str, entry: object) -> Limit | None:
    """Return the limit that an entry of the file describes; raises RigError or LimitError."""
    try:
        return _READERS[entry["kind"]](bone, dict(entry))
    except LimitError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RigError(f"The file's limit of '{bone}' cannot be read: {_complaint(error)}") from error


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
    if entry:
        raise ValueError(f"'{next(iter(entry))}' is unknown")
    return soft_rim


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
