# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the solved part of the armature begins, and whether it may move as a whole."""

import bpy
from bpy.types import Context, Object, Panel

from . import RigPanel, draw_axes, is_effector, rig_of


def stays_by_itself(rig: Object) -> bool:
    """Return whether the root stays, though none was told to: one effector would take all along as it is."""
    effectors = sum(is_effector(bone) and bone.superpose.enabled for bone in rig.pose.bones)
    is_chosen = rig.superpose.is_property_set("root_location")
    return effectors == 1 and not (is_chosen or len(rig.superpose.goals))


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
        if stays_by_itself(rig):
            layout.label(text="Stays: one effector alone", icon='INFO')
        draw_axes(layout, setup, "root_axes", "Free Axes").active = setup.root_location == 'FREE'


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_root,))
