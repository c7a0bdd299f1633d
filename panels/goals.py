# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of goals beside effectors, and what can be set for the active one."""

import bpy
from bpy.types import Context, Menu, Object, Panel, PropertyGroup, UILayout, UIList

from . import SidebarPanel, draw_weight, is_result_true, is_set_up, rig_of
from .lines import sidebar_width
from .why import draw_result

_AROUND = 4.5  # of the panel's width what is around a name and its result: box, sign, and buttons behind


class SUPERPOSE_UL_goals(UIList):
    """The goals of an armature."""

    def draw_item(
        self,
        context: Context,
        layout: UILayout,
        _data: object,
        goal: PropertyGroup,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        row = layout.row(align=True)
        row.prop(goal, "enabled", text="")
        row = row.row(align=True)
        row.active = goal.enabled
        rig = goal.id_data
        if goal.miss and rig.superpose.is_solved and is_result_true(rig):
            icon, room = 'ERROR' if goal.is_missed else 'CHECKMARK', sidebar_width(context) - _AROUND
            row = draw_result(row, goal.miss if goal.is_missed else "", icon, room)
        row.prop(goal, "name", text="", emboss=False, icon=goal.shown.icon)


def label_of(goal: PropertyGroup, name: str) -> str:
    """Return what stands beside a bone: what it is called or, where it is left empty, what that means."""
    meant = "" if getattr(goal, name) else goal.shown.without.get(name)
    return meant or goal.bl_rna.properties[name].name


class SUPERPOSE_MT_add_goal(Menu):
    bl_label = "Add Goal"

    def draw(self, _context: Context) -> None:
        goal = bpy.types.PropertyGroup.bl_rna_get_subclass_py("SUPERPOSE_PG_goal")
        for kind in goal.bl_rna.properties["kind"].enum_items:
            add = self.layout.operator("superpose.add_goal", text=kind.name, icon=kind.icon)
            add.kind = kind.identifier


class SUPERPOSE_PT_goals(SidebarPanel, Panel):
    bl_label = "Goals"
    bl_parent_id = "SUPERPOSE_PT_main"
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return rig_of(context) is not None

    def draw(self, context: Context) -> None:
        layout, rig = self.layout, rig_of(context)
        if not is_set_up(rig):  # else looking would store something
            layout.menu("SUPERPOSE_MT_add_goal", icon='ADD')
            return
        setup = rig.superpose
        row = layout.row()
        row.template_list("SUPERPOSE_UL_goals", "", setup, "goals", setup, "active_goal_index", rows=3)
        col = row.column(align=True)
        col.menu("SUPERPOSE_MT_add_goal", text="", icon='ADD')
        col.operator("superpose.remove_goal", text="", icon='REMOVE')
        if 0 <= setup.active_goal_index < len(setup.goals):
            self.draw_goal(layout.column(), rig, setup.goals[setup.active_goal_index])

    def draw_goal(self, col: UILayout, rig: Object, goal: PropertyGroup) -> None:
        col.use_property_split = True
        col.use_property_decorate = False
        for name in goal.shown.bones:
            col.prop_search(goal, name, rig.pose, "bones", text=label_of(goal, name))
        if goal.shown.has_target:
            # Without a label beside them, names are read to their ends.
            col.prop(goal, "target", text="", placeholder=goal.shown.without["target"])
            if goal.target and goal.target.type == 'ARMATURE':
                col.prop_search(goal, "target_bone", goal.target.pose, "bones", text="")
        else:
            col.operator("superpose.measure_goal", icon='SNAP_ON')
        sub = col.column()
        sub.use_property_decorate = True
        for name in (*goal.shown.settings, "influence"):
            sub.prop(goal, name)
        for name in goal.shown.weights:
            draw_weight(sub, goal, name)
        col.row().prop(goal, "rank", expand=True)


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_UL_goals, SUPERPOSE_MT_add_goal, SUPERPOSE_PT_goals)
)
