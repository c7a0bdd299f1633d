# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature's set-up said by roles."""

from dataclasses import fields

import numpy as np
from bpy.types import Object, PoseBone

from ...bodies import Body, Role
from ..entries import shortest
from ..errors import RigError
from ..setup.comfort import read_comfort
from ..setup.effectors import effector_setting, effectors_of
from ..setup.limits import limit_kind
from ..setup.made import is_made
from ..setup.twists import has_twist
from .goals import role_goals
from .limb_axes import limb_axes
from .preset import Preset, RoleEffector


def preset_of(ob: Object, body: Body) -> tuple[Preset, list[str], list[str]]:
    """Return the set-up of the armature object, which is the body, and bones and goals it cannot speak of.

    Those are effectors that play no role, and joints with limits, comfort or shares of twist that the user
    has set; goals of bones without a role, or of an object. Raises RigError if nothing is left.
    """
    bones = effectors_of(ob)
    named = {bone.name: body.name_of(bone.name) for bone in bones}
    goals, unsaid_goals = role_goals(ob, body)
    if not (any(named.values()) or goals):
        raise RigError(f"No effector or goal of '{ob.name}' plays a role in a body")
    effectors = {named[bone.name]: _effector(ob, body, bone) for bone in bones if named[bone.name]}
    limited = [bone for bone in ob.pose.bones if limit_kind(bone) != 'NONE']
    twisting = [bone for bone in ob.pose.bones if has_twist(bone)]
    eased = [bone for bone in ob.pose.bones if read_comfort(bone) is not None]
    speeds = _shares(ob, body, "turn_speed")
    preset = Preset(
        body.kind,
        effectors,
        _shares(ob, body, "stiffness"),
        {part: tuple(map(shortest, np.degrees(own))) for part, own in speeds.items()},
        ob.superpose.root_location,
        any(is_made(bone, 'LIMIT') for bone in limited),
        any(is_made(bone, 'COMFORT') for bone in eased),
        any(is_made(bone, 'TWIST') for bone in twisting),
        goals,
    )
    users = [bone for bone in limited if not is_made(bone, 'LIMIT')]
    users += [bone for bone in eased if not is_made(bone, 'COMFORT')]
    users += [bone for bone in twisting if not is_made(bone, 'TWIST')]
    unsaid = [name for name, role in named.items() if not role] + [bone.name for bone in users]
    return preset, list(dict.fromkeys(unsaid)), unsaid_goals


def _effector(ob: Object, body: Body, bone: PoseBone) -> RoleEffector:
    axes = limb_axes(ob, body, bone.name)
    values = {field.name: effector_setting(bone, field.name) for field in fields(RoleEffector)}
    numbers = {name: shortest(value) for name, value in values.items() if isinstance(value, float)}
    others = {name: value for name, value in values.items() if name not in numbers}
    flags = {name: tuple(value) for name, value in others.items() if not isinstance(value, str | bool)}
    turned = tuple(flags["rotation_axes"][axis] for axis in axes)
    return RoleEffector(**others | numbers | flags | {"rotation_axes": turned})


def _shares(ob: Object, body: Body, name: str) -> dict[str, tuple[float, ...]]:
    """Return a setting of the bones of every part, by role, of which any bone has some."""
    shares = {}
    for part, side in dict.fromkeys((role.part, role.side) for role in body.roles.values()):
        bones = [ob.pose.bones[name] for name in body.bones(part, side)]
        set_up = [bone.superpose if bone.is_property_set("superpose") else None for bone in bones]
        values = [getattr(settings, name) if settings else 0.0 for settings in set_up]
        if any(values):
            shares[str(Role(part, side))] = tuple(map(shortest, values))
    return shares
