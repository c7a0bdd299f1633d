# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of goals beside effectors: add, remove, and measure attachments anew."""

import re
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator, PoseBone, PropertyGroup

from ...armature import RigError, bone_meant, bones_meant, is_effector
from ...armature.fcurves.actions import holder
from ...armature.goals import KINDS, Chosen, new_name
from ...armature.problem.places import check_shown
from ...armature.setup.empties import make_empty
from ...armature.setup.sides import extent
from ...reports import forget_refusal
from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

_AHEAD = 0.5  # of the rig's greatest extent: where a new target lies
_PATH = re.compile(r"superpose\.goals\[(\d+)\](.*)", re.DOTALL)


def active_goal(ob: Object) -> PropertyGroup:
    """Return the goal that the list shows as active; raises RigError."""
    goals, index = ob.superpose.goals, ob.superpose.active_goal_index
    if not 0 <= index < len(goals):
        raise RigError(f"No goal of '{ob.name}' is chosen in the list")
    return goals[index]


def chosen_in(context: Context, ob: Object) -> Chosen:
    """Return what is chosen in the armature, and the object that is selected besides it and its meshes."""
    bone = bone_meant(context, ob)
    own = bone.superpose.target if bone and is_effector(bone) else None
    selected = (other for other in context.selected_objects if other.find_armature() != ob)
    others = [other for other in selected if other not in (ob, own)]
    return Chosen(ob, bone, tuple(bones_meant(context, ob)), others[0] if len(others) == 1 else None)


def is_pulled(bone: PoseBone) -> bool:
    """Return whether the bone is an effector that goes to a target."""
    return is_effector(bone) and bone.superpose.enabled and bone.superpose.target is not None


def give_target(context: Context, ob: Object, goal: PropertyGroup) -> None:
    """Give a goal that needs a target and has none a new empty, which it meets as the armature is posed."""
    direction = KINDS[goal.kind].direction(ob, goal)
    if direction is None or goal.target:
        return
    bone = ob.pose.bones[goal.bone]
    target = make_empty(context, ob, bone, f"{ob.name} {bone.name} {goal.kind.lower()}")
    target.empty_display_type = 'SPHERE'
    target.location = ob.matrix_world @ (bone.head + _AHEAD * extent(ob) * direction)
    goal.target = target


class SUPERPOSE_OT_add_goal(RigOperator, Operator):
    """Add a goal for the active bone besides meeting a target; nothing moves until the next solve"""

    bl_idname = "superpose.add_goal"
    bl_label = "Add Goal"

    kind: EnumProperty(
        name="Goal",
        description="Kind of the new goal",
        items=[(kind, kind.capitalize(), "") for kind in KINDS],
    )

    @classmethod
    def description(cls, _context: Context, properties: "SUPERPOSE_OT_add_goal") -> str:
        return KINDS[properties.kind].ADDS

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        chosen = chosen_in(context, ob)
        check_shown(ob, ob.pose.bones.keys())
        given = KINDS[self.kind].begun(chosen)
        goal = ob.superpose.goals.add()
        goal.kind = self.kind
        for name, value in given.items():
            setattr(goal, name, value)
        goal.name = new_name(self.kind, goal.bone)
        give_target(context, ob, goal)
        KINDS[self.kind].completed(ob, goal)
        ob.superpose.active_goal_index = len(ob.superpose.goals) - 1
        forget_refusal(ob)
        if self.kind == 'ATTACH' and is_pulled(ob.pose.bones[goal.bone]):
            self.report({'WARNING'}, f"'{goal.bone}' has a target of its own, which pulls on it too")
        self.foresee(ob)
        return {'FINISHED'}


class SUPERPOSE_OT_remove_goal(RigOperator, Operator):
    """Take the active goal off the list, with its keys; its target stays"""

    bl_idname = "superpose.remove_goal"
    bl_label = "Remove Goal"

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        active_goal(ob)
        index = ob.superpose.active_goal_index
        try:
            ob.superpose.goals.remove(index)
        except TypeError as error:  # Blender's word for an item that the library has
            raise RigError("This goal comes from a library: switch it off instead") from error
        ob.superpose.active_goal_index = max(0, min(index, len(ob.superpose.goals) - 1))
        delete_curves(ob, index)
        return {'FINISHED'}


def delete_curves(ob: Object, index: int) -> None:
    """Delete the keys and drivers of the goal that was removed; those of later ones go on with theirs.

    In the assigned action and in those of NLA strips.
    """
    animation = ob.animation_data
    if animation is None:
        return
    strips = [strip for track in animation.nla_tracks for strip in track.strips if strip.action]
    acting = [(thing.action, getattr(thing, "action_slot", None)) for thing in (animation, *strips)]
    owners = {(action, slot): holder(action, slot) for action, slot in acting if action}
    for curves in (animation.drivers, *(owner.fcurves for owner in owners.values() if owner)):
        for curve in list(curves):
            match = _PATH.fullmatch(curve.data_path)
            if match and int(match[1]) > index:
                curve.data_path = f"superpose.goals[{int(match[1]) - 1}]{match[2]}"
            elif match and int(match[1]) == index:
                curves.remove(curve)


class SUPERPOSE_OT_measure_goal(RigOperator, Operator):
    """Keep the bones of the active goal beside each other as they are now"""

    bl_idname = "superpose.measure_goal"
    bl_label = "Set to Pose"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        goal = active_goal(ob)
        missing = [name for name in (goal.bone, goal.other_bone) if name not in ob.pose.bones]
        if goal.kind != 'ATTACH' or missing:
            raise RigError("Choose an Attachment in the list")
        context.evaluated_depsgraph_get()
        check_shown(ob, (goal.bone, goal.other_bone))
        KINDS[goal.kind].completed(ob, goal)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_add_goal, SUPERPOSE_OT_remove_goal, SUPERPOSE_OT_measure_goal)
)
