# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers that fail, as where a file may not run scripts: Blender takes 0 for them, and goes on."""

from bpy.types import FCurve, Object

from ..errors import RigError
from ..fcurves.actions import drivers_of
from ..fcurves.paths import KEYED_OF_EFFECTORS, bone_and_property, is_transform, is_turn, paths_of_goal
from ..rig.dependencies import all_behind
from ..rig.rig import Rig

_ADVICE = "mend it, or let the file run scripts (blender -y)"


def check_drivers(thing: Object, bone: str, name: str) -> None:
    """Raise RigError where a driver fails that places the object, its bone or what it depends on.

    ``name``: what it is called in the message.
    """
    for source, its_bone in all_behind(thing, bone):
        for curve in _failing(source):
            own, prop = bone_and_property(curve.data_path)
            if own == its_bone and (is_transform(prop) or is_turn(prop) or prop.startswith("constraints[")):
                whose = "" if source == thing else f" of '{source.name}'"
                raise RigError(f"{name} is not in its place: the driver of {prop}{whose} fails: {_ADVICE}")


def check_settings(rig: Rig, ob: Object) -> None:
    """Raise RigError where a driver fails that says how much an effector or another goal counts."""
    paths = {bone.path_from_id(name) for bone in rig.effector_bones(ob) for name in KEYED_OF_EFFECTORS}
    for setting in rig.goals:
        paths |= paths_of_goal(ob.superpose.goals[setting.index])
    for curve in _failing(ob):
        if curve.data_path in paths:
            raise RigError(f"The driver of {curve.data_path} fails: {_ADVICE}")


def _failing(thing: Object) -> list[FCurve]:
    return [curve for curve in drivers_of(thing.animation_data) if not curve.driver.is_valid]
