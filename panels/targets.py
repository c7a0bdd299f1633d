# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making targets, bringing them back to the pose, and having them follow a motion."""

import bpy
from bpy.types import Context, Panel

from . import RigPanel


class SUPERPOSE_PT_targets(RigPanel, Panel):
    bl_label = "Targets"

    def draw(self, context: Context) -> None:
        row = self.layout.row(align=True)
        row.operator("superpose.create_targets", text="Create", icon='EMPTY_AXIS')
        row.operator("superpose.snap_targets", text="Snap to Pose", icon='SNAP_ON')
        row.operator("superpose.flip", text="", icon='MOD_MIRROR')
        row.prop(context.scene, "superpose_show_targets", text="", icon='OVERLAY')
        self.layout.operator("superpose.follow_motion", text="Follow Motion...", icon='ARMATURE_DATA')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_targets,))
