# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles of effectors while the Pose tool is in use, whether *Show Targets* is on or not.

Blender draws them as long as the tool is the active one, and asks for nothing else of ours then.
"""

import bpy
from bpy.types import Context, Gizmo, GizmoGroup

from .draw import state_kept
from .effectors import marks_of, shown_handles
from .front import draw_marks

POSE_TOOL = "superpose.pose"


class SUPERPOSE_GT_held(Gizmo):
    """All handles of the viewport; clicks on them are for the tool."""

    bl_idname = "SUPERPOSE_GT_held"

    def draw(self, context: Context) -> None:
        """Draw the handles, unless those of *Show Targets* are there."""
        if not context.scene.superpose_show_targets:
            with state_kept():
                draw_marks(tuple(marks_of(context, shown_handles(context))), context)

    def test_select(self, context: Context, location: tuple[float, float]) -> int:
        """Leave the mouse to the tool."""
        return -1


class SUPERPOSE_GGT_held(GizmoGroup):
    """What the Pose tool shows."""

    bl_idname = "SUPERPOSE_GGT_held"
    bl_label = "What Holds"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'WINDOW'
    bl_options = {'3D', 'PERSISTENT', 'SHOW_MODAL_ALL'}

    def setup(self, context: Context) -> None:
        """Make the one gizmo that draws them all."""
        self.gizmos.new(SUPERPOSE_GT_held.bl_idname).use_draw_modal = True


def is_in_use(context: Context) -> bool:
    """Return whether the Pose tool is the active one in the context's workspace and mode."""
    if context.mode != 'POSE' or context.workspace is None:
        return False
    tool = context.workspace.tools.from_space_view3d_mode('POSE', create=False)
    return tool is not None and tool.idname == POSE_TOOL


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_GT_held, SUPERPOSE_GGT_held))
