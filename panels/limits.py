# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limit of the active bone: which one is in force, and its fields."""

import bpy
from bpy.types import Context, Menu, Panel, PoseBone, PropertyGroup, UILayout, UIList

from . import SidebarPanel, active_bone, rig_of
from .limit_words import in_force, kind_of, own_limit

SIDES = ("About +X", "About -X", "About +Z", "About -Z")


class SUPERPOSE_UL_cones(UIList):
    """Cones in their order: neighbours are joined."""

    def draw_item(
        self,
        _context: Context,
        layout: UILayout,
        _limit: PropertyGroup,
        cone: PropertyGroup,
        _icon: int,
        _active_data: object,
        _active_property: str,
        index: int,
    ) -> None:
        row = layout.row(align=True)
        row.label(text=f"Cone {index + 1}", icon='CONE')
        row.prop(cone, "radius", text="", emboss=False)


class SUPERPOSE_MT_limits(Menu):
    bl_label = "Limit Specials"

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.operator("superpose.copy_limit", icon='PASTEDOWN')
        layout.operator_menu_enum("superpose.mirror_limits", "source", icon='MOD_MIRROR')
        layout.operator_menu_enum("superpose.convert_limits", "scope", icon='CONSTRAINT_BONE')
        layout.operator("superpose.limits_from_animation", text="Limits from Animation...", icon='ACTION')
        layout.separator()
        layout.operator_menu_enum("superpose.apply_limit_preset", "joint", icon='ARMATURE_DATA')
        layout.separator()
        layout.operator("superpose.export_limits", text="Save Limits...", icon='EXPORT')
        layout.operator("superpose.import_limits", text="Load Limits...", icon='IMPORT')


class SUPERPOSE_PT_limit(SidebarPanel, Panel):
    bl_label = "Limit"
    bl_parent_id = "SUPERPOSE_PT_bone"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return rig_of(context) is not None

    def draw(self, context: Context) -> None:
        layout = self.layout
        bone = active_bone(context)
        row = layout.row(align=True)
        row.prop(context.scene, "superpose_show_limits", toggle=True, icon='OVERLAY')
        row.prop(context.scene, "superpose_limits_of", text="")
        if bone is None:  # the menu is for selected bones and whole rigs too
            layout.menu("SUPERPOSE_MT_limits", text="Limits", icon='CON_ROTLIMIT')
        else:
            self.draw_limit(context, bone)

    def draw_limit(self, context: Context, bone: PoseBone) -> None:
        layout, own = self.layout, own_limit(bone)
        col = layout.column(align=True)
        lines = in_force(rig_of(context), bone)
        col.label(text=lines[0], icon='CON_ROTLIMIT')
        # A line of its own also where there is nothing to say, so that what is below stays where it is.
        col.label(text=" ".join(lines[1:]), icon='INFO' if lines[1:] else 'BLANK1')
        row = layout.row(align=True)
        count = bpy.types.SUPERPOSE_OT_add_limit.count(context, rig_of(context))
        many = f" to {count} Bones" if count > 1 else ""
        text = kind_of(own) if own else f"Add Limit{many}"
        row.operator_menu_enum("superpose.add_limit", "kind", text=text, icon='CON_ROTLIKE' if own else 'ADD')
        if own:
            row.operator("superpose.remove_limit", text="", icon='X')
        row.menu("SUPERPOSE_MT_limits", text="", icon='DOWNARROW_HLT')
        self.draw_copied(layout, bone)
        if own is None and len(lines) > 1:
            layout.operator("superpose.convert_limits", icon='CON_ROTLIKE')
        if own and own.shown.rows:
            layout.use_property_split = True
            layout.use_property_decorate = False
            for way, *names in own.shown.rows:
                getattr(self, f"draw_{way}")(layout, own, *names)
            layout.prop(own, "cushion")

    def draw_copied(self, layout: UILayout, bone: PoseBone) -> None:
        """Offer to mirror what Blender's Symmetrize has copied."""
        other = bpy.types.SUPERPOSE_OT_mirror_limits.copied_from(bone)
        if other:
            col = layout.column(align=True)
            col.label(text=f"As on '{other}', not mirrored", icon='ERROR')
            col.operator_menu_enum("superpose.mirror_limits", "source", icon='MOD_MIRROR')

    def draw_value(self, layout: UILayout, limit: PropertyGroup, name: str) -> None:
        layout.prop(limit, name)

    def draw_cones(self, layout: UILayout, limit: PropertyGroup, name: str) -> None:
        row = layout.row()
        row.template_list(
            "SUPERPOSE_UL_cones", "", limit, name, limit, "active_cone_index", rows=3, sort_lock=True
        )
        col = row.column(align=True)
        col.operator("superpose.add_cone", text="", icon='ADD')
        col.operator("superpose.remove_cone", text="", icon='REMOVE')
        if 0 <= limit.active_cone_index < len(limit.cones):
            cone = limit.cones[limit.active_cone_index]
            self.draw_vector(layout, cone, "direction")
            layout.prop(cone, "radius")
        if tuple(limit.limb) != (0.0, 1.0, 0.0):
            self.draw_vector(layout, limit, "limb")

    def draw_sides(self, layout: UILayout, limit: PropertyGroup, name: str) -> None:
        col = layout.column(align=True)
        for index, text in enumerate(SIDES):
            col.prop(limit, name, index=index, text=text)

    def draw_ranges(self, layout: UILayout, limit: PropertyGroup, low: str, high: str) -> None:
        for axis in range(3):
            self.draw_range(layout, limit, low, high, axis)

    def draw_twist(self, layout: UILayout, limit: PropertyGroup, use: str, low: str, high: str) -> None:
        layout.row(heading="Twist").prop(limit, use, text="Limit")
        if getattr(limit, use):
            self.draw_range(layout, limit, low, high)

    def draw_range(self, layout: UILayout, limit: PropertyGroup, low: str, high: str, axis: int = -1) -> None:
        """Draw both ends of a range, each with a button that takes it from the pose."""
        col = layout.column(align=True)
        for end, name, text in (('MIN', low, "Minimum"), ('MAX', high, "Maximum")):
            row = col.row(align=True)
            row.prop(limit, name, index=axis, text=text if axis < 0 else f"{'XYZ'[axis]} {text}")
            button = row.operator("superpose.set_limit_end", text="", icon='POSE_HLT')
            button.end, button.axis = end, max(axis, 0)

    def draw_vector(self, layout: UILayout, owner: PropertyGroup, name: str) -> None:
        """Draw a direction as three numbers; Blender's ball is hard to set to an exact one."""
        col, text = layout.column(align=True), owner.bl_rna.properties[name].name
        for index, axis in enumerate("XYZ"):
            col.prop(owner, name, index=index, text=axis if index else f"{text} X")


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_UL_cones, SUPERPOSE_MT_limits, SUPERPOSE_PT_limit)
)
