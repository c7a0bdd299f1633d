# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting bones and objects as a click does."""

from bpy.types import Context, Object, PoseBone

from ...armature import is_selected, selected_bones, set_selected


def select_bone(context: Context, bone: PoseBone, *, extend: bool = False) -> None:
    """Make the bone the active one and the only one selected or, to ``extend``, one more or one less."""
    rig, on = bone.id_data, not (extend and is_selected(bone))
    for other in () if extend else context.selected_pose_bones or rig.pose.bones:
        set_selected(other, False)
    set_selected(bone, on)
    if on:
        context.view_layer.objects.active = rig
        rig.data.bones.active = bone.bone


def are_all_selected(context: Context, ob: Object) -> bool:
    """Return whether all bones of the armature object that are to be seen are selected."""
    seen = [bone for bone in context.visible_pose_bones or ob.pose.bones if bone.id_data == ob]
    return set(seen) <= set(selected_bones(ob))


def select_object(context: Context, ob: Object, *, extend: bool = False) -> None:
    """Make the object the active one and the only one selected or, to ``extend``, one more or one less."""
    on = not (extend and ob.select_get())
    for other in () if extend else context.selected_objects:
        other.select_set(False)
    ob.select_set(on)
    if on:
        context.view_layer.objects.active = ob
