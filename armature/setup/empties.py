# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties that are made as targets of an armature, in its own collection."""

import bpy
from bpy.types import Collection, Context, Object, PoseBone
from mathutils import Matrix

from .sides import Side, extent, shown_extent, side_of

Colour = tuple[float, float, float]
# Of the sides of the body, which targets and handles have.
SIDES: dict[Side, Colour] = {
    'LEFT': (0.2, 0.5, 0.95),
    'MIDDLE': (0.95, 0.8, 0.2),
    'RIGHT': (0.9, 0.2, 0.25),
}
_SIZE = 0.03  # of the rig's greatest extent


def targets_collection(context: Context, ob: Object) -> Collection:
    """Return the armature's collection of targets, made and linked to the scene if need be."""
    setup = ob.superpose
    if setup.collection is None or setup.collection.library or setup.collection.override_library:
        setup.collection = bpy.data.collections.new(f"{ob.name} Targets")
        setup.collection.color_tag = 'COLOR_05'
    if setup.collection not in context.scene.collection.children_recursive:
        context.scene.collection.children.link(setup.collection)
    return setup.collection


def make_target(context: Context, ob: Object, bone: PoseBone, place: Matrix) -> Object:
    """Return a new empty at ``place`` (target_to_world) for an effector."""
    target = make_empty(context, ob, bone, f"{ob.name} {bone.name} target")
    target.empty_display_type = 'CUBE'
    target.matrix_world = place
    return target


def make_empty(context: Context, ob: Object, bone: PoseBone, name: str) -> Object:
    """Return a new empty in the colour of the bone's side that knows which armature it was made for."""
    target = bpy.data.objects.new(name, None)
    target.empty_display_size = _SIZE * shown_extent(ob)
    target.show_in_front = True
    target.color = (*SIDES[side_of(bone, extent(ob))], 1.0)
    target.superpose.rig = ob
    targets_collection(context, ob).objects.link(target)
    return target


def made_for(target: Object) -> Object | None:
    """Return the armature that Superpose made this target for; None for any other object. Stores nothing."""
    return target.superpose.rig if target.is_property_set("superpose") else None
