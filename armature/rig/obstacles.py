# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones are not placed by their channels alone: constraints and drivers stand in the way."""

from collections.abc import Iterator

import bpy
from bpy.types import Constraint, Object, PoseBone

from ..fcurves.actions import drivers_of, paths_with_curves
from ..fcurves.paths import bone_and_property, is_turn
from ..joints.limit_rotation import limit_rotations
from .rig import Rig
from .roots import only_slides

# These are no obstacles: how large a bone is, is read in every frame, wherever that comes from.
_OF_SIZE = {'COPY_SCALE', 'LIMIT_SCALE', 'MAINTAIN_VOLUME'}


def obstacles(ob: Object) -> dict[str, str]:
    """Return, for each bone that more than its own channels place, what does (for a message).

    A Limit Rotation that is a limit of the bone's own angles is none: the solver keeps to it. Nor is what
    only changes the bone's size, or how far it slides on its parent.
    """
    found, limited = {}, limit_rotations(ob)
    for bone, constraint in _active_constraints(ob):
        is_kept = constraint.type == 'LIMIT_ROTATION' and bone.name in limited
        if is_kept or constraint.type in _OF_SIZE or only_slides(ob, bone, constraint):
            continue
        for name in placed_by(bone, constraint):
            where = "" if name == bone.name else f" of '{bone.name}'"
            found.setdefault(name, f"constraint '{constraint.name}'{where}")
    for curve in drivers_of(ob.animation_data):
        name, prop = bone_and_property(curve.data_path)
        if name and (is_turn(prop) or prop in {"location", "scale"}):
            found.setdefault(name, f"a driver on its {prop}")
    return found


def are_carriers_free(rig: Rig, ob: Object) -> bool:
    """Return whether nothing but their channels places the bones that carry the roots."""
    blocked = obstacles(ob)
    return not any(bone.name in blocked for bone in rig.bones_above(ob))


def sizer_of(bone: PoseBone) -> str:
    """Return which constraint changes the bone's size, by name and type (for a message), or nothing."""
    sizers = (each for each in bone.constraints if each.type in _OF_SIZE and not each.mute)
    types = bpy.types.Constraint.bl_rna.properties["type"].enum_items
    return next((f"constraint '{each.name}' ({types[each.type].name})" for each in sizers), "")


def is_active(constraint: Constraint) -> bool:
    """Return whether the constraint does anything now."""
    return not constraint.mute and constraint.influence > 0


def _active_constraints(ob: Object) -> Iterator[tuple[PoseBone, Constraint]]:
    animated = paths_with_curves(ob.animation_data)
    for bone in ob.pose.bones:
        for constraint in bone.constraints:
            # One that is off now may be switched on in another frame.
            may_change = bool(animated) and constraint.path_from_id("influence") in animated
            if is_active(constraint) or (may_change and not constraint.mute):
                yield bone, constraint


def placed_by(bone: PoseBone, constraint: Constraint) -> Iterator[str]:
    """Yield the bones that a constraint on this one places: it, or the chain above of a solver constraint."""
    if constraint.type not in {'IK', 'SPLINE_IK'}:
        yield bone.name
        return
    without_tail = constraint.type == 'IK' and not constraint.use_tail
    link = bone.parent if without_tail else bone
    remaining = constraint.chain_count or -1
    while link is not None and remaining != 0:
        yield link.name
        link, remaining = link.parent, remaining - 1
