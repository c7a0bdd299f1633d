# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors: add, remove, move."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Object, Operator, PoseBone

from ...armature import RigError, bones_held_by, effectors_of, is_effector, selected_bones
from ...armature.rig.roots import is_led_alone
from ...armature.setup.clearing import clear_effector
from ...armature.setup.effectors import make_effectors
from ...reports import forget_refusal
from ..mixins.rig import RigOperator
from ..mixins.selection import are_all_selected

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


def active_effector(ob: Object) -> PoseBone:
    """Return the bone that the list shows as active; raises RigError."""
    bones, index = ob.pose.bones, ob.superpose.active_bone_index
    if not (0 <= index < len(bones) and is_effector(bones[index])):
        raise RigError(f"No effector of '{ob.name}' is chosen in the list")
    return bones[index]


def choose(ob: Object, bone: PoseBone) -> None:
    """Make the effector the one that is chosen in the list."""
    ob.superpose.chosen_bone_index = ob.pose.bones.find(bone.name)


def ends(bones: list[PoseBone]) -> list[PoseBone]:
    """Return those of the bones that have none of them below, or none above."""
    names = {bone.name for bone in bones}
    above = {bone.name: {link.name for link in bone.parent_recursive} for bone in bones}
    with_some_below = set().union(*above.values())
    return [bone for bone in bones if bone.name not in with_some_below or not names & above[bone.name]]


class SUPERPOSE_OT_add_effectors(RigOperator, Operator):
    """Make the selected bones effectors: bones that should meet a target. If no bone is selected, or all \
are, hips, head, hands and feet become effectors"""

    bl_idname = "superpose.add_effectors"
    bl_label = "Add Effectors"

    whole_body: BoolProperty(
        name="Whole Body",
        description="Take hips, head, hands and feet, whatever is selected. It is on at first if no bones "
        "or all are selected and the armature is recognised as a body",
    )
    only_ends: BoolProperty(
        name="Only Ends",
        description="Take only the tips and the topmost of the selected bones. It is on at first if all "
        "are selected",
    )

    @staticmethod
    def is_led_alone(ob: Object) -> bool:
        """Return whether the root stays as there is one effector alone; for the panel."""
        return is_led_alone(ob)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        chosen = self.whole(ob) if self.wants_whole(context, ob) else self.selected(ob)
        added = [bone for bone in chosen if not is_effector(bone)]
        if not added:
            raise RigError("All selected bones are effectors already")
        make_effectors(ob, added)
        choose(ob, added[-1])
        forget_refusal(ob)
        self.foresee(ob)
        return {'FINISHED'}

    def wants_whole(self, context: Context, ob: Object) -> bool:
        """Return whether the whole body is meant; where the user has not said so, by what is selected."""
        if any(self.properties.is_property_set(name) for name in ("whole_body", "only_ends")):
            return self.whole_body
        chosen, all_selected = selected_bones(ob), are_all_selected(context, ob)
        try:
            self.whole_body = bool((all_selected or not chosen) and bones_held_by(ob))
        except RigError as error:
            if not chosen:
                raise RigError(f"No bones of '{ob.name}' are selected. {error}") from error
        self.only_ends = all_selected and not self.whole_body
        return self.whole_body

    def whole(self, ob: Object) -> list[PoseBone]:
        bones = bones_held_by(ob)
        names = ", ".join(bone.name for bone in bones)
        self.report({'INFO'}, f"Recognised as a body, held by {names}")
        return bones

    def selected(self, ob: Object) -> list[PoseBone]:
        chosen = selected_bones(ob)
        if not chosen:
            raise RigError(f"No bones of '{ob.name}' are selected")
        if not self.only_ends:
            return chosen
        tips = ends(chosen)
        self.report({'INFO'}, f"Only the {len(tips)} bones at the ends were taken, of {len(chosen)}")
        return tips


class SUPERPOSE_OT_remove_effector(RigOperator, Operator):
    """Take the active effector off the list; its target stays"""

    bl_idname = "superpose.remove_effector"
    bl_label = "Remove Effector"

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bone = active_effector(ob)
        place = effectors_of(ob).index(bone)
        clear_effector(bone)
        left = effectors_of(ob)
        if left:
            choose(ob, left[min(place, len(left) - 1)])
        return {'FINISHED'}


class SUPERPOSE_OT_move_effector(RigOperator, Operator):
    """Move the active effector in the list; the order makes no difference to the solve"""

    bl_idname = "superpose.move_effector"
    bl_label = "Move Effector"

    direction: EnumProperty(
        name="Direction",
        description="Where to move the effector in the list",
        items=(('UP', "Up", "Towards the top"), ('DOWN', "Down", "Towards the bottom")),
    )

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bone = active_effector(ob)
        bones = effectors_of(ob)
        place = bones.index(bone)
        other = place + (-1 if self.direction == 'UP' else 1)
        if not 0 <= other < len(bones):
            return {'CANCELLED'}
        bones[place], bones[other] = bones[other], bones[place]
        for order, effector in enumerate(bones):
            effector.superpose.order = order
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_add_effectors, SUPERPOSE_OT_remove_effector, SUPERPOSE_OT_move_effector)
)
