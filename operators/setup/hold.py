# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the selected bones do while others are moved."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator, PoseBone

from ...armature import RigError, effectors_of, is_effector, selected_bones
from ...armature.setup.effectors import make_effectors
from ...reports import names_text
from ..mixins.rig import RigOperator
from ..mixins.selection import are_all_selected
from .first_set_up import set_up_first, set_up_text
from .snap_targets import snap

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

SAID = {'PINNED': "Pinned", 'FOLLOWS': "Let follow", 'FREE': "Set free"}


class SUPERPOSE_OT_set_hold(RigOperator, Operator):
    """Set what the selected bones do while you move others; bones that are no effectors become effectors"""

    bl_idname = "superpose.set_hold"
    bl_label = "Pin"

    hold: EnumProperty(
        name="Hold",
        description="What the bones do while you move others",
        items=(
            ('TOGGLE', "Toggle", "Pin the bones; if all are pinned, let them follow"),
            ('PINNED', "Pinned", "Stay where they are before anything else"),
            ('FOLLOWS', "Follows", "Stay as far as pinned and moved bones let them"),
            ('FREE', "Free", "Go with the body"),
        ),
    )

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        first = set_up_first(ob)
        try:
            bones, hold = self.meant(context, ob)
        except RigError:
            if first:
                first.take_back(ob)
            raise
        if hold == 'PINNED':
            snap(self, context, ob, [bone for bone in bones if is_effector(bone)])
        make_effectors(ob, [bone for bone in bones if not is_effector(bone)])
        for bone in bones:
            bone.superpose.hold = hold
        made = f"; {set_up_text(ob)}" if first else ""
        self.report({'INFO'}, f"{SAID[hold]} {names_text([bone.name for bone in bones])}{made}")
        return {'FINISHED'}

    def meant(self, context: Context, ob: Object) -> tuple[list[PoseBone], str]:
        """Return the bones that are meant and what they shall do; raises RigError."""
        bones = chosen_bones(context, ob)
        hold = self.hold if self.hold != 'TOGGLE' else toggled(bones)
        if hold == 'FREE':
            bones = [bone for bone in bones if is_effector(bone)]
            if not bones:
                raise RigError("The selected bones are no effectors: they go with the body already")
        return bones, hold


def chosen_bones(context: Context, ob: Object) -> list[PoseBone]:
    """Return the bones that are meant: the selected ones, or those whose targets are selected; raises
    RigError.

    If all bones are selected, as in an armature that was just added, its effectors are meant, if it has any.
    """
    if ob.mode == 'POSE':
        chosen = (are_all_selected(context, ob) and effectors_of(ob)) or selected_bones(ob)
    else:
        chosen = [bone for bone in effectors_of(ob) if bone.superpose.target in context.selected_objects]
    if not chosen:
        what = "bones" if ob.mode == 'POSE' else "targets"
        raise RigError(f"No {what} of '{ob.name}' are selected")
    return chosen


def toggled(bones: list[PoseBone]) -> str:
    """Return what to set: follows where all are pinned, else pinned."""
    is_pinned = [is_effector(bone) and bone.superpose.hold == 'PINNED' for bone in bones]
    return 'FOLLOWS' if all(is_pinned) else 'PINNED'


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_set_hold,))
