# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of recorded targets that do not count, of the active effector."""

import bpy
from bpy.types import Context, Panel

from . import RigPanel, rig_of
from .effectors import active_effector

_MOST = 6  # spans that are shown


class SUPERPOSE_PT_recording(RigPanel, Panel):
    bl_label = "Recorded Targets"
    bl_parent_id = "SUPERPOSE_PT_bake"
    bl_options = {'DEFAULT_CLOSED'}

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.operator("superpose.find_lost", text="Find Lost Targets...", icon='VIEWZOOM')
        bone = active_effector(rig_of(context))
        if bone is None:
            return
        row = layout.row(align=True)
        row.prop(bone, "superpose_mask")
        row.operator("superpose.mark_frames", text="", icon='ADD').bone = bone.name
        spans = bpy.types.SUPERPOSE_OT_mark_frames.spans(context, bone, "superpose_mask")
        col = layout.column(align=True)
        for first, last in spans[:_MOST]:
            row = col.row(align=True)
            row.operator("superpose.go_to_frame", text=f"Masked {first} to {last}", icon='TIME').frame = first
            clear = row.operator("superpose.mark_frames", text="", icon='X')
            clear.kind, clear.bone, clear.use_mark = "superpose_mask", bone.name, False
            clear.frame_start, clear.frame_end = first, last
        if len(spans) > _MOST:
            col.label(text=f"{len(spans) - _MOST} more", icon='BLANK1')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_recording,))
