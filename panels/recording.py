# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of recorded targets that do not count, and those in which it stands, of the active effector."""

import bpy
from bpy.types import Context, Panel, PoseBone, UILayout

from . import RigPanel, rig_of
from .effectors import active_effector

_KINDS = (
    ("superpose_mask", "Masked"),
    ("superpose_contact", "Contact"),
    ("superpose_tip_contact", "Tip"),
)
_MOST = 6  # spans of a kind that are shown


class SUPERPOSE_PT_recording(RigPanel, Panel):
    bl_label = "Recorded Targets"
    bl_parent_id = "SUPERPOSE_PT_bake"
    bl_options = {'DEFAULT_CLOSED'}

    def draw(self, context: Context) -> None:
        layout = self.layout
        bone = active_effector(rig_of(context))
        if bone is None:
            layout.label(text="No active effector", icon='INFO')
        else:
            layout.label(text=f"'{bone.name}', in this frame:", icon='BONE_DATA')
            for kind, word in _KINDS:
                self.draw_spans(layout.column(align=True), context, bone, kind, word)

    def draw_spans(self, col: UILayout, context: Context, bone: PoseBone, kind: str, word: str) -> None:
        """Draw the present frame's mark and the spans, each to be gone to, changed and taken back."""
        row = col.row(align=True)
        row.prop(bone, kind)
        add = row.operator("superpose.mark_frames", text="", icon='ADD')
        add.kind, add.bone = kind, bone.name
        spans = bpy.types.SUPERPOSE_OT_mark_frames.spans(context, bone, kind)
        for first, last in spans[:_MOST]:
            row = col.row(align=True)
            frames = f"{first} to {last}" if last > first else str(first)
            row.operator("superpose.go_to_frame", text=f"{word} {frames}", icon='TIME').frame = first
            change = row.operator("superpose.change_span", text="", icon='GREASEPENCIL')
            change.kind, change.bone, change.first, change.last = kind, bone.name, first, last
            clear = row.operator("superpose.mark_frames", text="", icon='X')
            clear.kind, clear.bone, clear.use_mark = kind, bone.name, False
            clear.frame_start, clear.frame_end = first, last
        if len(spans) > _MOST:
            col.label(text=f"{len(spans) - _MOST} more", icon='BLANK1')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_recording,))
