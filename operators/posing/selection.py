# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is dragged is selected and active, as Blender's own tools have it."""

from dataclasses import dataclass

from bpy.types import Context, Object

from ...armature import is_selected, selected_bones, set_selected
from ..mixins.selection import are_all_selected


@dataclass(frozen=True)
class Selection:
    """The bones that were selected and active by armature, and the active object, by their names."""

    active: str
    bones: dict[str, tuple[set[str], str]]

    @staticmethod
    def of(context: Context) -> "Selection":
        bones = {
            ob.name: ({bone.name for bone in selected_bones(ob)}, active_bone(ob))
            for ob in in_pose_mode(context)
        }
        return Selection(context.object.name, bones)

    def give_back(self, context: Context) -> None:
        """Select again what was selected, as far as it is there."""
        for ob in in_pose_mode(context):
            if ob.name in self.bones:
                names, active = self.bones[ob.name]
                for bone in ob.pose.bones:
                    set_selected(bone, bone.name in names)
                ob.data.bones.active = ob.data.bones.get(active)
        before = context.view_layer.objects.get(self.active)
        if before and before != context.object:
            context.view_layer.objects.active = before


def choose(context: Context, ob: Object, name: str) -> None:
    """Make the bone the active one and, unless it is one of several chosen ones, the only one selected.

    Where all are selected, as those of an armature that was just added are, nobody has chosen any.
    """
    if not is_selected(ob.pose.bones[name]) or are_all_selected(context, ob):
        for other in in_pose_mode(context):
            for bone in other.pose.bones:
                set_selected(bone, False)
        set_selected(ob.pose.bones[name], True)
    ob.data.bones.active = ob.data.bones[name]
    if context.object != ob:
        context.view_layer.objects.active = ob


def active_bone(ob: Object) -> str:
    """Return the name of the active bone, or nothing."""
    active = ob.data.bones.active
    return active.name if active else ""


def in_pose_mode(context: Context) -> list[Object]:
    return [ob for ob in context.scene.objects if ob.type == 'ARMATURE' and ob.mode == 'POSE']
