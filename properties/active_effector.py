# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The active effector: while a target is the active object its own, else the one last chosen in the list."""

import bpy
from bpy.types import Object, PropertyGroup


def active_index(setup: PropertyGroup) -> int:
    """Return the place of the active effector among the armature's bones."""
    followed = _place_of_active_target(setup.id_data)
    return setup.chosen_bone_index if followed is None else followed


def choose(setup: PropertyGroup, index: int) -> None:
    """Make the effector at this place the active one; where a target is the active object, its target too."""
    rig = setup.id_data
    setup.chosen_bone_index = index
    if _place_of_active_target(rig) is not None:
        _make_active(_shown_for(rig, index))


def _place_of_active_target(rig: Object) -> int | None:
    active = getattr(bpy.context, "object", None)  # there is none while Blender draws no window
    if active is None or active == rig or rig.pose is None:
        return None
    set_up = ((i, b.superpose) for i, b in enumerate(rig.pose.bones) if b.is_property_set("superpose"))
    return next((i for i, effector in set_up if effector.is_effector and effector.target == active), None)


def _shown_for(rig: Object, index: int) -> Object:
    """Return the target that Superpose made for the effector, or else the armature: both show its panel."""
    target = rig.pose.bones[index].superpose.target
    made = target and target.is_property_set("superpose") and target.superpose.rig == rig
    return target if made and target.visible_get() else rig


def _make_active(ob: Object) -> None:
    for other in bpy.context.selected_objects:
        other.select_set(False)
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
