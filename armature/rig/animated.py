# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a frame brings the body its own pose, and whether it moves targets."""

from bpy.types import Object

from ..fcurves.actions import curves_of, plays_strips
from ..fcurves.paths import bone_and_property, is_transform
from ..setup.effectors import effectors_of
from .effectors import has_target
from .obstacles import are_carriers_free
from .parts import are_animated
from .rig import Rig


def shows_keys(rig: Rig, ob: Object) -> bool:
    """Return whether frames show the body as it is keyed: keys pose it, and nothing moves its targets."""
    return _is_body_animated(rig, ob) and not are_targets_animated(rig, ob)


def _is_body_animated(rig: Rig, ob: Object) -> bool:
    """Return whether keys, or strips, pose any bone that the solve moves, or that carries one freely."""
    data = ob.animation_data
    if data is None:
        return False
    parts = (bone_and_property(curve.data_path) for curve in curves_of(data) if not curve.mute)
    keyed = {bone for bone, prop in parts if is_transform(prop)}
    above = {bone.name for bone in rig.bones_above(ob)}
    is_carried = not keyed.isdisjoint(above) and are_carriers_free(rig, ob)
    return plays_strips(data) or is_carried or not keyed.isdisjoint(rig.moving_names)


def stands_still(ob: Object) -> bool:
    """Return whether a bake of all frames would have a body that keys animate stand still: at targets that
    nothing moves."""
    bones = [bone for bone in effectors_of(ob) if bone.superpose.enabled]
    parts = (bone_and_property(curve.data_path) for curve in curves_of(ob.animation_data) if not curve.mute)
    return (
        any(is_transform(prop) for bone, prop in parts if bone)
        and any(map(has_target, bones))
        and not any(are_animated(ob, bones, ob.superpose.goals))
    )


def are_targets_animated(rig: Rig, ob: Object) -> bool:
    """Return whether frames may move a target, or change how much it or a goal counts."""
    goals = [ob.superpose.goals[goal.index] for goal in rig.goals]
    return any(are_animated(ob, rig.effector_bones(ob), goals))
