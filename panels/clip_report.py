# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the last bake went from frame to frame: its picture, and the frames that need a look."""

import bpy
from bpy.types import Context, Panel

from . import RigPanel, is_set_up, rig_of

_PICTURE = 11.6  # how large it is, in rows: as wide as the sidebar usually is
_MOST = 6  # frames that are listed


class SUPERPOSE_PT_clip_report(RigPanel, Panel):
    """The result of the last bake, frame by frame, and the frames that need a look"""

    bl_label = "Clip Report"
    bl_parent_id = "SUPERPOSE_PT_bake"
    bl_options = {'DEFAULT_CLOSED'}
    bl_ui_units_x = 14

    @classmethod
    def poll(cls, context: Context) -> bool:
        rig = rig_of(context)
        return rig is not None and is_set_up(rig) and bool(rig.superpose.clip_report)

    def draw(self, context: Context) -> None:
        layout, rig = self.layout, rig_of(context)
        picture = bpy.types.SUPERPOSE_OT_save_clip_report.picture(rig)
        layout.template_icon(icon_value=picture, scale=_PICTURE)  # until it is painted its room is empty
        looks = bpy.types.SUPERPOSE_OT_mark_worst_frames.looks(context, rig)
        col = layout.column(align=True)
        for frame, words in looks[:_MOST]:
            col.operator("superpose.go_to_frame", text=f"{frame}: {words}", icon='TIME').frame = frame
        if len(looks) > _MOST:
            col.label(text=f"{len(looks) - _MOST} more", icon='BLANK1')
        row = layout.row(align=True)
        if looks:
            row.operator("superpose.mark_worst_frames", text="Mark Frames", icon='MARKER_HLT')
        if bpy.types.SUPERPOSE_OT_unmark_worst_frames.has_any(rig):
            row.operator("superpose.unmark_worst_frames", text="", icon='X')
        layout.operator("superpose.save_clip_report", text="Save...", icon='FILE_TICK')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_clip_report,))
