# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of goals beside effectors: add, remove, and measure attachments anew."""

import re
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator, PoseBone, PropertyGroup
from mathutils import Vector

from ...armature import RigError, is_effector, is_selected, measure_attachment
from ...armature.fcurves.actions import holder
from ...armature.goals import KINDS
from ...armature.setup.body import recognised_body
from ..mixins.rig import RigOperator
from .goal_targets import AXES, axis_of, give_goal_target

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

_PATH = re.compile(r"superpose\.goals\[(\d+)\](.*)", re.DOTALL)


def active_goal(ob: Object) -> PropertyGroup:
    """Return the goal that the list shows as active; raises RigError."""
    goals, index = ob.superpose.goals, ob.superpose.active_goal_index
    if not 0 <= index < len(goals):
        raise RigError(f"No goal of '{ob.name}' is chosen in the list")
    return goals[index]


def active_pose_bone(ob: Object) -> PoseBone:
    """Return the active bone; raises RigError."""
    active = ob.data.bones.active
    bone = ob.pose.bones.get(active.name) if active else None
    if bone is None:
        raise RigError(f"'{ob.name}' has no active bone: make the bone active that the goal is for")
    return bone


def selected_besides(ob: Object, bone: PoseBone) -> PoseBone:
    """Return the one other bone that is selected; raises RigError."""
    others = [other for other in ob.pose.bones if is_selected(other) and other != bone]
    if len(others) != 1:
        raise RigError(f"Select one bone that '{bone.name}' is to stay beside, besides itself")
    return others[0]


def chosen_object(context: Context, ob: Object) -> Object | None:
    """Return the object that is selected besides the armature, if there is one."""
    others = [other for other in context.selected_objects if other != ob]
    return others[0] if len(others) == 1 else None


def limb_of(middle: PoseBone) -> tuple[PoseBone, PoseBone]:
    """Return the bones with which the limb of a middle one begins and ends; raises RigError."""
    above = [bone for bone in middle.parent_recursive if not is_same_place(bone, middle)]
    below = [bone for bone in middle.children if not is_same_place(bone, middle)]
    if not (above and below):
        raise RigError(f"'{middle.name}' is not the middle of a limb: make a forearm or a shin active")
    return above[0], min(below, key=lambda bone: (bone.bone.head_local - middle.bone.tail_local).length)


def is_pulled(bone: PoseBone) -> bool:
    """Return whether the bone is an effector that goes to a target."""
    return is_effector(bone) and bone.superpose.enabled and bone.superpose.target is not None


def is_same_place(bone: PoseBone, other: PoseBone) -> bool:
    return (bone.bone.head_local - other.bone.head_local).length < 1e-6


def face_of(ob: Object, bone: PoseBone) -> Vector:
    """Return the direction, armature space, to which a recognised head looks; of others where they point."""
    body = recognised_body(ob)
    if body.forward is None or bone.name not in body.bones("head"):
        return bone.y_axis
    return bone.matrix.to_3x3() @ bone.bone.matrix_local.to_3x3().inverted() @ Vector(body.forward)


def nearest_axis(bone: PoseBone, wanted: Vector) -> str:
    """Return which of the bone's own axes is nearest to a direction in armature space."""
    return max(AXES, key=lambda axis: axis_of(bone, axis).dot(wanted))


class SUPERPOSE_OT_add_goal(RigOperator, Operator):
    """Ask something else of the active bone than to meet a target; nothing moves by that alone"""

    bl_idname = "superpose.add_goal"
    bl_label = "Add Goal"

    kind: EnumProperty(
        name="Goal",
        description="What is asked",
        items=[(kind, kind.capitalize(), "") for kind in KINDS],
    )

    @classmethod
    def description(cls, _context: Context, properties: "SUPERPOSE_OT_add_goal") -> str:
        return {
            'ATTACH': "Keep the active bone beside the other selected one, as they are now",
            'AIM': "Point the active bone, by its axis that is nearest to it, at the selected object, or at "
            "a new empty where the bone points or, of a head, looks",
            'POLE': "Bend the limb with the active bone in its middle towards the selected object, "
            "or a new empty",
            'PLANE': "Keep all solved bones above the selected object's XY plane, or above the ground",
            'BALANCE': "Keep the centre of mass above the selected object, or between what stands",
        }[properties.kind]

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        given = getattr(self, f"_{self.kind.lower()}")(context, ob)
        goal = ob.superpose.goals.add()
        goal.kind = self.kind
        for name, value in given.items():
            setattr(goal, name, value)
        goal.name = f"{self.kind.capitalize()} {goal.bone}".strip()
        give_goal_target(context, ob, goal)
        if self.kind == 'ATTACH':
            measure_attachment(ob, goal)
        ob.superpose.active_goal_index = len(ob.superpose.goals) - 1
        if self.kind == 'ATTACH' and is_pulled(ob.pose.bones[goal.bone]):
            self.report({'WARNING'}, f"'{goal.bone}' has a target of its own, which pulls on it too")
        self.foresee(ob)
        return {'FINISHED'}

    def _attach(self, _context: Context, ob: Object) -> dict:
        bone = active_pose_bone(ob)
        return {"bone": bone.name, "other_bone": selected_besides(ob, bone).name}

    def _aim(self, context: Context, ob: Object) -> dict:
        bone = active_pose_bone(ob)
        chosen = chosen_object(context, ob)
        wanted = face_of(ob, bone)
        if chosen is not None:
            wanted = ob.matrix_world.inverted() @ chosen.matrix_world.translation - bone.head
        axis = nearest_axis(bone, wanted)
        return {"bone": bone.name, "axis": axis, "target": chosen}

    def _pole(self, context: Context, ob: Object) -> dict:
        middle = active_pose_bone(ob)
        upper, end = limb_of(middle)
        bones = {"bone": middle.name, "upper_bone": upper.name, "end_bone": end.name}
        return {**bones, "target": chosen_object(context, ob)}

    def _plane(self, context: Context, ob: Object) -> dict:
        return {"target": chosen_object(context, ob), "rank": 'MUST'}

    def _balance(self, context: Context, ob: Object) -> dict:
        return {"target": chosen_object(context, ob)}


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
            raise RigError("Choose a goal that attaches a bone to another one")
        context.evaluated_depsgraph_get()
        measure_attachment(ob, goal)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_add_goal, SUPERPOSE_OT_remove_goal, SUPERPOSE_OT_measure_goal)
)
