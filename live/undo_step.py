# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of undo for what is posed and keyed after Blender's own operator has ended, and made its step.

Blender lets operators of one undo group share a step: where the last step has the name of the group, the new
one takes its place. So what is done after *Move* is in one step with it. With a step, Blender keeps what has
been tagged since the last one, and after undo evaluates nothing else anew.
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


class SUPERPOSE_OT_join_move(_Join, Operator):
    """Take up in the last step of undo, Move, what was done since"""

    bl_idname = "superpose.join_move"
    bl_label = "Move"


class SUPERPOSE_OT_join_rotate(_Join, Operator):
    """Take up in the last step of undo, Rotate, what was done since"""

    bl_idname = "superpose.join_rotate"
    bl_label = "Rotate"


class SUPERPOSE_OT_join_trackball(_Join, Operator):
    """Take up in the last step of undo, Trackball, what was done since"""

    bl_idname = "superpose.join_trackball"
    bl_label = "Trackball"


_KINDS = (SUPERPOSE_OT_join_move, SUPERPOSE_OT_join_rotate, SUPERPOSE_OT_join_trackball)
_ended: list[int] = []  # the address of the operator whose end was noticed last
_JOINING = {kind.bl_label: kind.bl_idname.partition(".")[2] for kind in _KINDS}


def has_move_ended(context: Context) -> bool:
    """Return whether a move of Blender's own has ended since this was asked last, and was not taken back."""
    done = context.window_manager.operators
    if not (done and done[-1].bl_idname.startswith("TRANSFORM_OT_")):
        return False
    before, _ended[:] = _ended.copy(), [done[-1].as_pointer()]
    return before != _ended


def push_posed(context: Context, followed: Iterable[Object], is_keyed: bool) -> None:
    """Have the pose and its keys in the step of undo of Blender's own move that ended last; after any other
    operator keys get a step of their own.

    ``followed``: the armatures that the move may have posed, and whose targets may have gone along.
    """
    done = context.window_manager.operators
    is_move = bool(done) and done[-1].bl_idname.startswith("TRANSFORM_OT_")
    name = _JOINING.get(done[-1].name) if is_move else None
    if name:
        _tag_moved(context, followed)
        getattr(bpy.ops.superpose, name)('EXEC_DEFAULT', True)  # True: in a step of undo
    elif is_keyed:
        bpy.ops.ed.undo_push(message="Key Body")


def _tag_moved(context: Context, followed: Iterable[Object]) -> None:
    """Tag again all that the move may have changed, as the step that has its tags goes."""
    moved = set(context.view_layer.objects.selected)
    for ob in followed:
        moved.update((ob, *(bone.superpose.target for bone in ob.pose.bones if bone.superpose.target)))
    for ob in moved:
        ob.update_tag()


register, unregister = bpy.utils.register_classes_factory(_KINDS)
