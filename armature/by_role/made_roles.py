# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""For which roles of the body Set Up Body has made effectors, and which of them play these no more."""

from collections.abc import Mapping
from dataclasses import asdict, replace

import numpy as np
from bpy.types import Object, PoseBone

from ...bodies import Body
from ..rig.parts import are_animated
from ..setup.effectors import OFFSET, Setting, effector_setting, effectors_of
from ..setup.empties import made_for
from ..setup.made import is_made
from .preset import RoleEffector


def as_made(ob: Object, body: Body) -> dict[str, str]:
    """Return the bones of roles by which another bone is recognised, as a set-up before was told."""
    if not ob.is_property_set("superpose") or ob.superpose.made_as != body.kind:
        return {}
    made = {role: bone.name for role, bone in _made_roles(ob).items()}
    return {role: bone for role, bone in made.items() if body.bone(role) not in ("", bone)}


def moved_roles(ob: Object, roles: Mapping[str, str]) -> dict[str, PoseBone]:
    """Return the effectors that were made for roles to which ``roles`` gives another bone, or none."""
    return {role: bone for role, bone in _made_roles(ob).items() if roles.get(role, bone.name) != bone.name}


def is_as_made(bone: PoseBone, asked: RoleEffector) -> bool:
    """Return whether the effector asks for what the set-up said, of a target of ours that nothing moves."""
    stored = bone.superpose
    if any(getattr(bone, OFFSET)):  # it ends in a tip, which only has a place
        asked = replace(asked, rotation_weight=0.0)
    has = {name: effector_setting(bone, name) for name in asdict(asked)}
    return (
        all(_are_alike(has[name], said) for name, said in asdict(asked).items())
        and bone.superpose_influence == 1
        and (stored.target is None or made_for(stored.target) == bone.id_data)
        and not any(are_animated(bone.id_data, [bone], ()))
    )


def _made_roles(ob: Object) -> dict[str, PoseBone]:
    """Return the effectors that were made by the roles they were made for; of copies the first."""
    found: dict[str, PoseBone] = {}
    for bone in effectors_of(ob):
        if is_made(bone, 'EFFECTOR') and bone.superpose.made_as:
            found.setdefault(bone.superpose.made_as, bone)
    return found


def _are_alike(has: Setting, said: Setting) -> bool:
    """Return whether a setting is as a preset says it; axes count alike in any order."""
    if isinstance(said, str):
        return has == said
    return np.allclose(np.sort(has, axis=None), np.sort(said, axis=None))
