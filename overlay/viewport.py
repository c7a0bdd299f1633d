# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the viewport of a context looks at, and how."""

import numpy as np
from bpy.types import Context, Object

from .projection import Projection

POSE_TOOL = "superpose.pose"


def projection_of(context: Context) -> Projection:
    """Return how the context's viewport shows the scene."""
    region = context.region
    size = np.array([region.width, region.height], float)
    return Projection(np.array(context.region_data.perspective_matrix), size)


def puppets(context: Context) -> list[Object]:
    """Return the set-up armatures whose handles the viewport shows: all, but in Pose Mode those in it."""
    view = context.space_data
    if context.mode not in {'OBJECT', 'POSE'} or not view.overlay.show_overlays:
        return []
    armatures = (ob for ob in context.view_layer.objects if ob.type == 'ARMATURE')
    return [
        ob
        for ob in armatures
        if ob.is_property_set("superpose")
        if (context.mode == 'OBJECT' or ob.mode == 'POSE')
        if ob.data.pose_position == 'POSE' and ob.visible_get(viewport=view)
    ]


def is_in_use(context: Context) -> bool:
    """Return whether the Pose tool is the active one in the context's workspace and mode."""
    if context.mode != 'POSE' or context.workspace is None:
        return False
    tool = context.workspace.tools.from_space_view3d_mode('POSE', create=False)
    return tool is not None and tool.idname == POSE_TOOL
