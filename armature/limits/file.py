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
bone's own frame, and that side, in its rest frame; that of one that strays with others has "ties", a row for
each of its axes. Rotations are quaternions wxyz. Numbers are as short as gives every bit back.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Object, PropertyGroup

from ...solvers.limits import Limit
from ...solvers.posture import MOST_TIES
from ..entries import Entry, entry_from_json
from ..errors import RigError
from ..limit_kinds import KINDS, in_degrees, in_radians, kind_of, short
from ..setup.comfort import read_comfort
from ..setup.limits import limit_kind, read_limit, store_or_free

SCHEMA, VERSION = "superpose-limits", 1
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
    limits, comforts = _content(entry_from_json(text))
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
    kind = kind_of(limit)
    return {"kind": kind.NAME, **kind.as_json(limit), "soft_rim": in_degrees(limit.cushion)}


def _comfort_entry(stored: PropertyGroup) -> dict[str, list[float]]:
    spread = [in_degrees(angle) for angle in stored.spread]
    ways = {name: short(getattr(stored, name)) for name in _WAYS if any(getattr(stored, name))}
    ties = {"ties": short(stored.ties)} if any(stored.ties) else {}
    return {
        "rotation": short(stored.rotation),
        "spread": spread,
        "spread_axes": short(stored.spread_axes),
        **ways,
        **ties,
    }


def _comfort(entry: Entry) -> dict[str, tuple[float, ...]]:
    rotation, axes = (entry.direction(name, 4) for name in ("rotation", "spread_axes"))
    spread = in_radians(entry.numbers("spread", 3, 0, 180))
    nowhere = () if any(name in entry.values for name in _WAYS) else (0.0, 0.0, 0.0)
    ways = {name: entry.direction(name, 3, nowhere) for name in _WAYS}
    ties = _ties(entry) if "ties" in entry.values else (0.0,) * 3 * MOST_TIES
    entry.end()
    return {"rotation": rotation, "spread": spread, "spread_axes": axes, **ways, "ties": ties}


def _ties(entry: Entry) -> tuple[float, ...]:
    ties = entry.numbers("ties", 3 * MOST_TIES, -1, 1)
    if np.linalg.norm(np.reshape(ties, (3, MOST_TIES)), 2) >= 1:
        raise RigError(f"{entry.owner}: 'ties' must be shorter than 1")
    return ties


def _limit(bone: str, values: dict[str, Any]) -> Limit | None:
    entry = Entry(f"The file's limit of '{bone}'", values)
    kind = entry.choice("kind", ('FREE', *KINDS))
    limit = None if kind == 'FREE' else KINDS[kind].from_json(bone, entry)
    entry.end()
    return limit
