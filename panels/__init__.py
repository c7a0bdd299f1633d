# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Superpose" in the 3D viewport's sidebar. Panels show and call operators; they compute nothing."""

from collections.abc import Sequence

import bpy
from bpy.types import Context, Object, Operator, PoseBone, PropertyGroup, UILayout

_DRAG = "SUPERPOSE_OT_pose"


def rig_of(context: Context) -> Object | None:
    """Return the active armature, or the one that the active object is a target of or a mesh of."""
    rig = bpy.types.SUPERPOSE_OT_solve.rig_meant(context)
    return rig if rig and rig.type == 'ARMATURE' else None


def active_bone(context: Context) -> PoseBone | None:
    """Return the active bone of the armature that the panels show, or that of the active target."""
    return bpy.types.SUPERPOSE_OT_add_limit.active_bone(context, rig_of(context))


def is_set_up(owner: Object | PoseBone) -> bool:
    """Return whether there is anything of ours to show; merely reading our settings would store them."""
    return owner.is_property_set("superpose")


def is_effector(bone: PoseBone) -> bool:
    return is_set_up(bone) and bone.superpose.is_effector


def has_effectors(rig: Object) -> bool:
    return any(map(is_effector, rig.pose.bones))


def namespace_of(rig: Object) -> str:
    """Return what is before a colon in all effectors' names, with it; a narrow row shows little else."""
    found = {bone.name.rpartition(":")[0] for bone in rig.pose.bones if is_effector(bone)}
    return f"{found.pop()}:" if len(found) == 1 and "" not in found else ""


def without_namespace(text: str, rig: Object) -> str:
    """Return a text whose names of bones, in quotes, are as the list of effectors has them."""
    return text.replace(f"'{namespace_of(rig)}", "'")


def asks_for_something(rig: Object) -> bool:
    """Return whether there is anything to solve: effectors or other goals."""
    return has_effectors(rig) or (is_set_up(rig) and len(rig.superpose.goals) > 0)


def is_begun(context: Context, rig: Object) -> bool:
    """Return whether there is anything to solve; what the first drag of a body makes counts once it ends,
    so that the panel holds still meanwhile."""
    running = running_operators(context)
    is_making = any(op.bl_idname == _DRAG and op.properties.makes_set_up for op in running)
    return asks_for_something(rig) and not is_making


def is_at_work(context: Context) -> bool:
    """Return whether a bake, or another operator of ours that works long, is under way."""
    names = [operator.bl_idname for operator in running_operators(context)]
    return any(name.startswith("SUPERPOSE_OT_") and name != _DRAG for name in names)


def running_operators(context: Context) -> Sequence[Operator]:
    """Return what goes on in the context's window until it is confirmed, finished or cancelled."""
    return context.window.modal_operators if context.window else ()


def refusal_of(rig: Object) -> str:
    """Return why the last solve was refused, or nothing: what an earlier one left is then out of date."""
    return bpy.types.SUPERPOSE_OT_solve.refusal_of(rig)


def is_outdated(rig: Object) -> bool:
    """Return whether the pose is another than that which the last solve spoke of."""
    return bpy.types.SUPERPOSE_OT_solve.is_outdated(rig)


def is_result_true(rig: Object) -> bool:
    """Return whether what the last solve left, if there was one, is true of the pose."""
    return not refusal_of(rig) and not is_outdated(rig)


def body_of(context: Context, rig: Object) -> Object | None:
    """Return the body of a rig with controls, where the armature is one of the two."""
    return bpy.types.SUPERPOSE_OT_make_body.body_of(context, rig)


def draw_axes(layout: UILayout, owner: PropertyGroup, name: str, heading: str = "Axes") -> UILayout:
    """Draw three axes as switches side by side, and return their row."""
    row = layout.row(align=True, heading=heading)
    for index, axis in enumerate("XYZ"):
        row.prop(owner, name, index=index, text=axis, toggle=True)
    return row


def draw_weight(layout: UILayout, owner: PropertyGroup | PoseBone, name: str) -> None:
    """Draw a weight and its key dot; the name is in the field, beside it is no room for two words."""
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(owner, name, text=name.removeprefix("superpose_").replace("_", " ").title())
    row.prop_decorator(owner, name)


class SidebarPanel:
    """Where every panel of the add-on lives."""

    bl_space_type = 'VIEW_3D'
    bl_region_type = 'UI'
    bl_category = "Superpose"


class RigPanel(SidebarPanel):
    """A sub-panel that has something to show once an armature has effectors or goals."""

    bl_parent_id = "SUPERPOSE_PT_main"

    @classmethod
    def poll(cls, context: Context) -> bool:
        rig = rig_of(context)
        return rig is not None and is_begun(context, rig)


class BonePanel(SidebarPanel):
    """A sub-panel of the active bone: whoever builds a rig sets up limits before there is an effector."""

    bl_parent_id = "SUPERPOSE_PT_bone"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return rig_of(context) is not None and active_bone(context) is not None


register, unregister = bpy.utils.register_submodule_factory(
    __name__,
    (
        "main",
        "report",
        "effectors",
        "targets",
        "goals",
        "bake",
        "clip_report",
        "recording",
        "bone",
        "limits",
        "comfort",
        "whole",
        "root",
        "solver",
        "compare",
        "pie",
        "shortcuts",
        "preferences",
    ),
)
