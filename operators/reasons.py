# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done about an effector that misses its target: one button for each kind of reason."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Object, Operator, PoseBone

from ..armature import RigError, is_effector
from .mixins.rig import RigOperator
from .mixins.selection import select_bone

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class OnBone(RigOperator):
    """Mixin of operators on a bone of the armature that is given by its name."""

    bone: StringProperty(name="Bone", description="Name of the bone")

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bone = ob.pose.bones.get(self.bone)
        if bone is None:
            raise RigError(f"Armature '{ob.name}' has no bone '{self.bone}'")
        self.act(context, bone)
        return {'FINISHED'}

    def act(self, context: Context, bone: PoseBone) -> None:
        raise NotImplementedError


class SUPERPOSE_OT_release_pin(OnBone, Operator):
    """Let the pinned effector follow, so that it gives way to others"""

    bl_idname = "superpose.release_pin"
    bl_label = "Release Pin"

    def act(self, context: Context, bone: PoseBone) -> None:
        if not is_effector(bone):
            raise RigError(f"'{bone.name}' is no effector")
        bone.superpose.hold = 'FOLLOWS'
        if not bone.id_data.superpose_live:
            self.report({'INFO'}, f"'{bone.name}' gives way from here on: drag or solve again")


class SUPERPOSE_OT_show_limit(OnBone, Operator):
    """Make the bone active and draw its limit in the viewport, where it can be changed"""

    bl_idname = "superpose.show_limit"
    bl_label = "Show Limit"

    def act(self, context: Context, bone: PoseBone) -> None:
        show_bone(context, bone)
        context.scene.superpose_show_limits = True
        if context.scene.superpose_limits_of == 'SELECTED':
            context.scene.superpose_limits_of = 'ACTIVE'


class SUPERPOSE_OT_show_bone(OnBone, Operator):
    """Make the bone active, so that the panel shows its settings"""

    bl_idname = "superpose.show_bone"
    bl_label = "Show Bone"

    def act(self, context: Context, bone: PoseBone) -> None:
        show_bone(context, bone)


class SUPERPOSE_OT_show_effector(OnBone, Operator):
    """Make the effector active in the list and select its bone"""

    bl_idname = "superpose.show_effector"
    bl_label = "Show Effector"

    def act(self, context: Context, bone: PoseBone) -> None:
        rig = bone.id_data
        show_bone(context, bone)
        rig.superpose.active_bone_index = rig.pose.bones.find(bone.name)


class SUPERPOSE_OT_show_goal(RigOperator, Operator):
    """Make the goal active in the list of goals"""

    bl_idname = "superpose.show_goal"
    bl_label = "Show Goal"

    goal: StringProperty(name="Goal", description="Name of the goal")

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        index = ob.superpose.goals.find(self.goal)
        if index < 0:
            raise RigError(f"'{ob.name}' has no goal '{self.goal}'")
        ob.superpose.active_goal_index = index
        return {'FINISHED'}


def show_bone(context: Context, bone: PoseBone) -> None:
    """Select the bone in Pose Mode; elsewhere, where bones are not selected, it becomes the active one."""
    if bone.id_data.mode == 'POSE':
        select_bone(context, bone)
    else:
        bone.id_data.data.bones.active = bone.bone


register, unregister = bpy.utils.register_classes_factory(
    (
        SUPERPOSE_OT_release_pin,
        SUPERPOSE_OT_show_limit,
        SUPERPOSE_OT_show_bone,
        SUPERPOSE_OT_show_effector,
        SUPERPOSE_OT_show_goal,
    )
)
