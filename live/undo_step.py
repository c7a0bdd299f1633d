# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of undo for what is posed and keyed after Blender's own operator has ended, and has made its step.

Blender lets operators of one undo group share a step: if the last step has the name of the group, the new
step takes its place. So what is done after *Move* or *Paste Pose* gets into one step with it. A step keeps
what has been tagged since the step before, and after undo Blender evaluates nothing else again.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class _Join:
    """Mixin of an operator that has what was done since in the last step of undo, which has its label."""

    bl_options = {'INTERNAL', 'UNDO_GROUPED'}

    def execute(self, _: Context) -> "set[OperatorReturnItems]":
        return {'FINISHED'}


# Blender's own operators that pose bones or move targets at once, and what their steps of undo are called. In
# Blender 4.2 poses are pasted by ours.
_STEPS = {
    "TRANSFORM_OT_translate": "Move",
    "TRANSFORM_OT_rotate": "Rotate",
    "TRANSFORM_OT_trackball": "Trackball",
    "POSE_OT_paste": "Paste Pose",
    "SUPERPOSE_OT_paste_pose": "Paste Pose",
    "POSE_OT_transforms_clear": "Clear Pose Transforms",
    "POSE_OT_loc_clear": "Clear Pose Location",
    "POSE_OT_rot_clear": "Clear Pose Rotation",
    "POSE_OT_scale_clear": "Clear Pose Scale",
    "POSE_OT_user_transforms_clear": "Clear User Transforms",
    "POSE_OT_breakdown": "Pose Breakdowner",
    "POSE_OT_push": "Push Pose from Breakdown",
    "POSE_OT_relax": "Relax Pose to Breakdown",
    "POSE_OT_blend_to_neighbor": "Blend to Neighbor",
    "POSE_OT_blend_with_rest": "Blend Pose with Rest Pose",
    "POSELIB_OT_apply_pose_asset": "Apply Pose Asset",
    "POSELIB_OT_blend_pose_asset": "Blend Pose Asset",
    "OBJECT_OT_location_clear": "Clear Location",
    "OBJECT_OT_rotation_clear": "Clear Rotation",
    "OBJECT_OT_scale_clear": "Clear Scale",
    "VIEW3D_OT_snap_selected_to_cursor": "Snap Selection to Cursor",
    "VIEW3D_OT_snap_selected_to_grid": "Snap Selection to Grid",
    "VIEW3D_OT_snap_selected_to_active": "Snap Selection to Active",
}


def _joining(kind: str, label: str) -> type[Operator]:
    """Return an operator whose steps of undo take the place of those of Blender's own of that kind."""
    name = f"join_{kind.partition('_OT_')[2]}_of_{kind.partition('_OT_')[0].lower()}"
    said = {"bl_idname": f"superpose.{name}", "bl_label": label}
    about = {"__doc__": f"Take up in the last step of undo, {label}, what was done since"}
    return type(f"SUPERPOSE_OT_{name}", (_Join, Operator), {**said, **about, "__module__": __name__})


_JOINING = {kind: _joining(kind, label) for kind, label in _STEPS.items()}
_last: list[int] = []  # the address of the operator that was the last to end when this was asked


def has_move_ended(context: Context) -> bool:
    """Return whether an edit of Blender's own has ended since this was asked last, and was not taken back.

    Where none has, too, what was last is noted: operators of another file may have the same address.
    """
    done = list(context.window_manager.operators)[-1:]
    before, _last[:] = _last.copy(), [operator.as_pointer() for operator in done]
    return before != _last and any(map(_is_edit, done))


def _is_edit(operator: Operator) -> bool:
    return operator.bl_idname in _STEPS or operator.bl_idname.startswith("TRANSFORM_OT_")


def push_posed(context: Context, followed: Iterable[Object], is_keyed: bool) -> None:
    """Put the pose and its keys into the step of undo of Blender's own edit that ended last.

    After any other operator keys get a step of their own. ``followed``: the armatures that the edit may have
    posed, and whose targets may have gone along.
    """
    done = context.window_manager.operators
    joining = _JOINING.get(done[-1].bl_idname) if done else None
    if joining:
        _tag_moved(context, followed)
        name = joining.bl_idname.partition(".")[2]
        getattr(bpy.ops.superpose, name)('EXEC_DEFAULT', True)  # True: in a step of undo
    elif is_keyed:
        bpy.ops.ed.undo_push(message="Key Body")


def _tag_moved(context: Context, followed: Iterable[Object]) -> None:
    """Tag again all that the edit may have changed, as the step that has its tags goes."""
    moved = set(context.view_layer.objects.selected)
    for ob in followed:
        moved.update((ob, *(bone.superpose.target for bone in ob.pose.bones if bone.superpose.target)))
    for ob in moved:
        ob.update_tag()


register, unregister = bpy.utils.register_classes_factory(tuple(_JOINING.values()))
