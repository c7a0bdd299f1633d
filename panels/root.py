# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the solved part of the armature begins, and whether it may move as a whole."""

import bpy
from bpy.types import Context, Panel

from . import RigPanel, draw_axes, rig_of


class SUPERPOSE_PT_root(RigPanel, Panel):
    bl_label = "Root"
    bl_parent_id = "SUPERPOSE_PT_whole"
    bl_options = {'DEFAULT_CLOSED'}

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        rig = rig_of(context)
        setup = rig.superpose
        layout.prop_search(setup, "root_bone", rig.pose, "bones", text="Bone")
        layout.prop(setup, "root_location", text="Location")
        if bpy.types.SUPERPOSE_OT_add_effectors.is_led_alone(rig):
            layout.label(text="Stays: one effector alone", icon='INFO')
        draw_axes(layout, setup, "root_axes", "Free Axes").active = setup.root_location == 'FREE'


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_root,))
