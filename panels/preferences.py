# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in Blender's preferences: where to find it, and its manual."""

import bpy
from bpy.types import AddonPreferences, Context


class SuperposePreferences(AddonPreferences):
    bl_idname = __package__.rpartition(".")[0]

    def draw(self, _context: Context) -> None:
        col = self.layout.column()
        col.label(text="Pose Mode: Pose Body in the toolbar (T)", icon='POSE_HLT')
        col.label(text="3D Viewport: the tab Superpose in the sidebar (N)", icon='MENU_PANEL')
        col.label(text="Pie Menu: Shift Q", icon='EVENT_Q')
        col.label(text="Keys of each action: search the keymap for superpose", icon='KEYINGSET')
        col.operator("superpose.help", text="Open Manual", icon='HELP')


register, unregister = bpy.utils.register_classes_factory((SuperposePreferences,))
