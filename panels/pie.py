# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done most, round the mouse."""

import bpy
from bpy.types import Context, Menu

from . import rig_of


def are_pinned(context: Context) -> bool:
    """Return whether the selected bones are all pinned, so that a press lets them follow."""
    holds = {(bone.superpose.is_effector, bone.superpose.hold) for bone in context.selected_pose_bones or ()}
    return holds == {(True, 'PINNED')}


class SUPERPOSE_MT_pie(Menu):
    bl_label = "Superpose"

    def draw(self, context: Context) -> None:
        # The places are taken in this order: left, right, below, above, then the corners.
        pie, rig = self.layout.menu_pie(), rig_of(context)
        pie.operator("superpose.solve", icon='CON_KINEMATIC')
        is_live = rig is not None and rig.superpose_live
        pie.operator("superpose.toggle_live", icon='PLAY', depress=is_live)
        pie.operator("superpose.reset", icon='LOOP_BACK')
        pie.operator("superpose.snap_targets", icon='SNAP_ON')
        if are_pinned(context):
            pie.operator("superpose.set_hold", text="Let Follow", icon='UNPINNED')
        else:
            pie.operator("superpose.set_hold", icon='PINNED')
        pie.operator("superpose.bake", text="Bake to Keyframes...", icon='KEYFRAME')
        col = pie.box().column()
        col.operator("superpose.set_up_body", text="Set Up Body...", icon='OUTLINER_OB_ARMATURE')
        col.operator("superpose.add_effectors", icon='ADD')
        col = pie.box().column()
        col.prop(context.scene, "superpose_show_targets")
        col.prop(context.scene, "superpose_show_limits")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_MT_pie,))
