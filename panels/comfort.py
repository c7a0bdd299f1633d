# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the active bone would rather be."""

import bpy
from bpy.types import Context, Panel

from . import BonePanel, active_bone, is_set_up


class SUPERPOSE_PT_comfort(BonePanel, Panel):
    bl_label = "Comfort"
    bl_options = {'DEFAULT_CLOSED'}

    def draw(self, context: Context) -> None:
        layout = self.layout
        bone = active_bone(context)
        row = layout.row(align=True)
        row.operator("superpose.set_comfort", text="Set from Pose", icon='POSE_HLT')
        row.operator("superpose.clear_comfort", text="", icon='X')
        if not (is_set_up(bone) and bone.superpose.is_property_set("comfort")):
            layout.label(text="No comfort pose is set", icon='INFO')
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        comfort = bone.superpose.comfort
        layout.prop(comfort, "is_set", text="Pull to Comfort")
        sub = layout.column()
        sub.active = comfort.is_set
        sub.prop(comfort, "spread")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_comfort,))
