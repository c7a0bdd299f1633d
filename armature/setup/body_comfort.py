# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The comfort of a body's joints on the bones of an armature, whatever their names, axes and rest pose."""

from collections.abc import Mapping
from dataclasses import replace

from bpy.types import Object

from ...bodies import SURE, Body
from ...presets.body_comfort import comforts_of
from ...solvers import Comfort
from ..errors import RigError
from .body import rest_of
from .comfort import store_comfort
from .tips import Point, ends_of_legs, tips_of_legs


def body_comforts(ob: Object, body: Body, tips: Mapping[str, Point] | None = None) -> dict[str, Comfort]:
    """Return the comfort of the bones whose roles the body is sure of, by bone.

    ``tips``: those of its legs, if they are known. Raises RigError saying what a human lacks to tell its
    directions by.
    """
    ends = ends_of_legs(ob, tips_of_legs(ob, body) if tips is None else tips)
    try:
        found = comforts_of(body, replace(rest_of(ob), ends=ends))
    except ValueError as lack:
        raise RigError(f"'{ob.name}' gets no comfort: it has {lack}") from lack
    return {comfort.bone: comfort for comfort in found if body.roles[comfort.bone].sure >= SURE}


def give_comfort(ob: Object, body: Body) -> tuple[str, ...]:
    """Store the comfort of the joints with the bones, in place of what they have; return their names.

    Raises RigError as ``body_comforts`` does, before anything is stored.
    """
    comforts = body_comforts(ob, body)
    for name, comfort in comforts.items():
        store_comfort(ob.pose.bones[name], comfort)
    return tuple(comforts)
