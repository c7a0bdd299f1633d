# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""From targets that move to keyframes."""

import bpy
from bpy.types import Context, Panel

from . import RigPanel


class SUPERPOSE_PT_bake(RigPanel, Panel):
    bl_label = "Bake"

    def draw(self, _context: Context) -> None:
        self.layout.operator("superpose.bake", text="Bake to Keyframes...", icon='KEYFRAME')
        col = self.layout.column(align=True)
        col.operator("superpose.find_lost", text="Find Lost Targets...", icon='VIEWZOOM')
        col.operator("superpose.find_contacts", text="Find Contacts...", icon='CON_FLOOR')
        self.layout.operator("superpose.bake_pins", text="Bake Pins...", icon='PINNED')
        self.layout.operator("superpose.reduce_keys", text="Reduce Keys...", icon='KEYFRAME_HLT')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_bake,))
