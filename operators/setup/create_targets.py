# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give every effector that has no target an empty of its own."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Collection, Context, Object, Operator, PoseBone
from mathutils import Matrix

from ...armature import RigError, effectors_of
from ...armature.setup.sides import extent, side_of
from ...overlay.targets import SIDES
from ..mixins.rig import RigOperator
from .belongings import effector_places

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

SIZE = 0.03  # of the rig's greatest extent


def targets_collection(context: Context, ob: Object) -> Collection:
    """Return the armature's collection of targets, made and linked to the scene if need be."""
    setup = ob.superpose
    if setup.collection is None or setup.collection.library:
        setup.collection = bpy.data.collections.new(f"{ob.name} Targets")
        setup.collection.color_tag = 'COLOR_05'
    if setup.collection not in context.scene.collection.children_recursive:
        context.scene.collection.children.link(setup.collection)
    return setup.collection


def has_target(bone: PoseBone) -> bool:
    """Return whether the effector has a target that the user has not deleted since."""
    target = bone.superpose.target
    return target is not None and bool(target.users_scene)


def make_target(ob: Object, bone: PoseBone, place: Matrix) -> Object:
    """Return a new empty at ``place`` (target_to_world) for an effector."""
    target = make_empty(ob, bone, f"{ob.name} {bone.name} target")
    target.empty_display_type = 'CUBE'
    target.matrix_world = place
    return target


def make_empty(ob: Object, bone: PoseBone, name: str) -> Object:
    """Return a new empty in the colour of the bone's side that knows which armature it was made for."""
    target = bpy.data.objects.new(name, None)
    size = extent(ob)
    target.empty_display_size = SIZE * size * max(ob.matrix_world.to_scale())
    target.show_in_front = True
    target.color = (*SIDES[side_of(bone, size)], 1.0)
    target.superpose.rig = ob
    return target


def give_targets(context: Context, ob: Object, bones: list[PoseBone]) -> list[Object]:
    """Give each of the effectors a target of its own where it is, show them, and return them."""
    places = effector_places(context, ob, bones)
    collection = targets_collection(context, ob)
    for bone, place in zip(bones, places, strict=True):
        bone.superpose.target, bone.superpose.target_bone = make_target(ob, bone, place), ""
        collection.objects.link(bone.superpose.target)
    context.scene.superpose_show_targets = True
    return [bone.superpose.target for bone in bones]


class SUPERPOSE_OT_create_targets(RigOperator, Operator):
    """Make an empty for every effector that has no target, where the effector is now"""

    bl_idname = "superpose.create_targets"
    bl_label = "Create Targets"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bones = effectors_of(ob)
        if not bones:
            raise RigError(f"'{ob.name}' has no effectors")
        without = [bone for bone in bones if not has_target(bone)]
        if not without:
            raise RigError("Every effector has a target already")
        give_targets(context, ob, without)
        self.foresee(ob)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_create_targets,))
