# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A set-up said by roles, as JSON.

::

    {"schema": "superpose-set-up", "version": 1, "kind": "human", "root": "FREE",
     "limits": true, "comfort": true, "twists": true,
     "effectors": {"hips": {}, "hand.L": {"rotation_weight": 0.5}, "spine 2 of 3": {"position_weight": 0}},
     "stiffness": {"clavicle.L": [0.9]}, "speeds": {"tail": [180]},
     "goals": [{"kind": "AIM", "bone": "head", "axis": "front"}]}

Effectors are at holds (hips, chest, head, hand.L, foot.L; forefoot.L, hindfoot.L, wing.L, leg1.L, base, tip)
or at roles. What is not given of one is as on a new effector. Position axes are the scene's; rotation axes
are the one along the limb, the one towards the body's front, and the third. Stiffness is said of a part's
bones from the trunk outwards, and so are speeds, in degrees a second; more bones than numbers share them.
Goals name their bones by hold or role, and the axis of an aim by where it goes: along its limb, to the front,
aside, or the other way (-along).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ...bodies import is_name
from ...presets.shipped import shipped_set_ups
from ..entries import LARGEST, Entry, entry_from_json
from ..errors import RigError
from ..setup.effectors import HOLDS
from .goals import RoleGoal, goal_entry, goal_from_entry

SCHEMA, VERSION = "superpose-set-up", 1
ROOTS = ("FREE", "ANCHORED")
_ALL = (True, True, True)


@dataclass(frozen=True)
class RoleEffector:
    """What an effector asks for; the fields have the names of the properties that keep them."""

    position_weight: float = 1.0
    rotation_weight: float = 1.0
    position_axes: tuple[bool, ...] = _ALL
    rotation_axes: tuple[bool, ...] = _ALL
    falloff: float = 1.0
    hold: str = "FOLLOWS"
    use_sole: bool = True


@dataclass(frozen=True)
class Preset:
    """A set-up for a ``kind`` of body.

    - ``effectors``: by hold or role
    - ``stiffness``, and ``speeds`` in degrees a second: of the bones of a part, by role
    - ``root``: whether the body may be moved as a whole
    - ``limits``, ``comfort``: whether joints get those of such a body
    - ``twists``: whether twist bones that are told by their names take their shares
    - ``goals``: what is asked besides
    """

    kind: str
    effectors: Mapping[str, RoleEffector]
    stiffness: Mapping[str, tuple[float, ...]]
    speeds: Mapping[str, tuple[float, ...]]
    root: str = "FREE"
    limits: bool = True
    comfort: bool = True
    twists: bool = True
    goals: tuple[RoleGoal, ...] = ()


def shipped_presets() -> dict[str, Preset]:
    """Return the presets that come with the extension, by the kind of body."""
    files = shipped_set_ups()
    return {kind: preset_from_json(path.read_text(encoding="utf-8")) for kind, path in files.items()}


def preset_as_json(preset: Preset) -> str:
    """Return the text of a file that holds the preset."""
    content = {"schema": SCHEMA, "version": VERSION, **asdict(preset)}
    content["effectors"] = {name: _entry(effector) for name, effector in preset.effectors.items()}
    content["goals"] = [goal_entry(goal) for goal in preset.goals]
    return json.dumps(content, indent=2)


def preset_from_json(text: str) -> Preset:
    """Return the preset that a file's text holds; raises RigError saying what is wrong, and where."""
    file = entry_from_json(text)
    file.head(SCHEMA, VERSION, "set-up")
    kind, root = file.choice("kind", tuple(shipped_set_ups())), file.choice("root", ROOTS)
    limits, comfort = file.flag("limits"), file.flag("comfort")
    twists = file.flag("twists", True)
    effectors, stiffness = file.entries("effectors"), file.entries("stiffness", {})
    speeds = file.entries("speeds", {})
    goals = file.many("goals", [])
    file.end()
    for name in (*effectors, *stiffness, *speeds):
        if not is_name(name):
            raise RigError(f"The file names '{name}', which is no role of a body")
    return Preset(
        kind,
        {name: _effector(name, values) for name, values in effectors.items()},
        {name: _shares("stiffness", name, values, 1.0) for name, values in stiffness.items()},
        {name: _shares("speed", name, values, LARGEST) for name, values in speeds.items()},
        root,
        limits,
        comfort,
        twists,
        tuple(goal_from_entry(number, said) for number, said in enumerate(goals, 1)),
    )


# The fields that files call by the panel's words.
_WRITTEN = {"falloff": "pass_through"}


def _entry(effector: RoleEffector) -> dict[str, Any]:
    """Return what the file says of an effector: what is not as usual."""
    usual = asdict(RoleEffector())
    return {_WRITTEN.get(key, key): value for key, value in asdict(effector).items() if value != usual[key]}


def _effector(role: str, said: dict[str, Any]) -> RoleEffector:
    entry, values = Entry(f"The file's effector '{role}'", said), {}
    for field in fields(RoleEffector):
        name, usual = _WRITTEN.get(field.name, field.name), field.default
        if isinstance(usual, tuple):
            values[field.name] = entry.flags(name, len(usual), usual)
        elif isinstance(usual, bool):
            values[field.name] = entry.flag(name, usual)
        elif isinstance(usual, str):
            values[field.name] = entry.choice(name, HOLDS, usual)
        else:
            most = 1.0 if field.name == "falloff" else LARGEST
            values[field.name] = entry.number(name, 0.0, most, usual)
    entry.end()
    return RoleEffector(**values)


def _shares(what: str, name: str, values: object, most: float) -> tuple[float, ...]:
    """Return what the file says of the bones of a part, from the trunk outwards."""
    entry = Entry(f"The file's {what} of '{name}'", {"values": values})
    bones = entry.many("values")
    if not bones:
        raise RigError(f"The file's {what} of '{name}' has no numbers")
    return tuple(Entry(entry.owner, {"value": value}).number("value", 0.0, most) for value in bones)
