# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give every effector that has no target an empty of its own."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator, PoseBone

from ...armature import RigError, effectors_of
from ...armature.fcurves.actions import curves_of
from ...armature.fcurves.paths import bone_and_property
from ...armature.rig.movers import may_be_carried
from ...armature.setup.copied import has_target_of_other
from ...armature.setup.empties import make_target
from ..mixins.rig import RigOperator
from .belongings import effector_places

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


def has_own_target(bone: PoseBone) -> bool:
    """Return whether the effector has a target of its own that the user has not deleted since."""
    target = bone.superpose.target
    return target is not None and bool(target.users_scene) and not has_target_of_other(bone)


def give_targets(context: Context, ob: Object, bones: list[PoseBone]) -> list[Object]:
    """Give each of the effectors a target of its own where it is, show them, and return them."""
    for bone, place in zip(bones, effector_places(context, ob, bones), strict=True):
        bone.superpose.target, bone.superpose.target_bone = make_target(context, ob, bone, place), ""
    context.scene.superpose_show_targets = True
    return [bone.superpose.target for bone in bones]


def has_keys(ob: Object) -> bool:
    """Return whether the assigned action moves bones of the armature."""
    return any(bone_and_property(curve.data_path)[0] for curve in curves_of(ob.animation_data))


def without_vehicle(ob: Object) -> str:
    """Return what to say of new targets where frames carry the body away from them, or nothing.

    Of a body that keys pose they go along.
    """
    if has_keys(ob) or not may_be_carried(ob):
        return ""
    return f"'{ob.parent.name}' carries the body and not its targets: parent them to it, too"


class SUPERPOSE_OT_create_targets(RigOperator, Operator):
    """Make an empty, where the effector is now, for every effector that has no target, or that has the \
other side's target because Symmetrize copied it"""

    bl_idname = "superpose.create_targets"
    bl_label = "Create Targets"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bones = effectors_of(ob)
        if not bones:
            raise RigError(f"'{ob.name}' has no effectors")
        without = [bone for bone in bones if not has_own_target(bone)]
        if not without:
            raise RigError("Every effector has a target already")
        give_targets(context, ob, without)
        self.foresee(ob)
        if left := without_vehicle(ob):
            self.report({'WARNING'}, left)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_create_targets,))
