# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Pose tool in the toolbar of Pose Mode."""

from pathlib import Path

import bpy
from bpy.types import Context, UILayout, WorkSpaceTool

# Where the tool was in use when the add-on is switched off, Blender's own first one takes its place.
_FIRST = "builtin.select_box"
HOLDS = (
    ('PINNED', "Pinned", 'PINNED'),
    ('FOLLOWS', "Follows", 'LINKED'),
    ('FREE', "Free", 'UNLINKED'),
)
CLICK = {"type": 'LEFTMOUSE', "value": 'CLICK'}


class PoseTool(WorkSpaceTool):
    """Drag any bone, and the body follows. Where a body has no set-up yet the first drag makes one.

    While dragging: G moves and R turns, X Y Z along an axis, numbers, Shift for precision, Ctrl for steps.
    """

    bl_space_type = 'VIEW_3D'
    bl_context_mode = 'POSE'
    bl_idname = "superpose.pose"
    bl_label = "Pose Body"
    bl_description = (
        "Drag any bone, and the body follows. While you drag, G moves and R turns the bone; X, Y and Z keep "
        "to an axis; type numbers; Shift moves finely, and Ctrl in steps"
    )
    bl_icon = str(Path(__file__).with_name("pose_body"))
    bl_widget = "SUPERPOSE_GGT_held"
    # Blender asks the last of them first: clicks on handles come before those on bones.
    bl_keymap = (
        ("view3d.select", {**CLICK, "shift": True}, {"properties": [("toggle", True)]}),
        ("view3d.select", CLICK, {"properties": [("deselect_all", True)]}),
        ("superpose.select_handle", {**CLICK, "shift": True}, {"properties": [("extend", True)]}),
        ("superpose.select_handle", CLICK, None),
        ("superpose.pose", {"type": 'G', "value": 'PRESS'}, None),
        ("superpose.pose", {"type": 'LEFTMOUSE', "value": 'CLICK_DRAG'}, None),
    )

    @staticmethod
    def draw_settings(context: Context, layout: UILayout, _tool: WorkSpaceTool) -> None:
        """Draw in the header Blender's own mirror switch, and what is done to a pose as a whole."""
        ob = context.object
        if ob and ob.pose:
            draw_holds(layout.row(align=True), context)
            layout.prop(ob.pose, "use_mirror_x", text="X-Mirror", toggle=True)
            layout.operator("superpose.flip", text="Flip", icon='MOD_MIRROR')
            layout.operator("superpose.reset", text="Reset Selected", icon='LOOP_BACK').bones = 'SELECTED'


def draw_holds(row: UILayout, context: Context) -> None:
    """Draw what the selected bones may hold, with what the active one does pressed."""
    bone = context.active_pose_bone
    settings = bone.superpose if bone and bone.is_property_set("superpose") else None
    present = settings.hold if settings and settings.is_effector else ""
    for hold, text, icon in HOLDS:
        row.operator("superpose.set_hold", text=text, icon=icon, depress=hold == present).hold = hold


def register() -> None:
    bpy.utils.register_tool(PoseTool, after={"builtin.transform"}, separator=True)


def unregister() -> None:
    put_back()
    bpy.utils.unregister_tool(PoseTool)


def put_back() -> None:
    """Choose Blender's first tool where this one is in use."""
    windows = () if bpy.app.background else bpy.context.window_manager.windows
    for window, area in [(shown, area) for shown in windows for area in shown.screen.areas]:
        tool = window.workspace.tools.from_space_view3d_mode('POSE', create=False)
        if area.type == 'VIEW_3D' and tool and tool.idname == PoseTool.bl_idname:
            with bpy.context.temp_override(window=window, area=area):
                if bpy.context.mode == 'POSE':
                    bpy.ops.wm.tool_set_by_id(name=_FIRST)
