# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles in the viewport on the active bone's own limit: while the overlay is on, in Pose Mode.

The Pose tool's drags are for the body, and its handles look much the same: while it is in use there are none.
"""

from math import atan2

import bpy
import numpy as np
from bpy.types import Context, Event, Gizmo, GizmoGroup, PoseBone
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Matrix, Vector

from ..armature.setup.limits import limit_kind
from .dials import Ray
from .draw import SWING, TWIST, draw_line, draw_mark
from .handles import Handle, handles_of, has_handles
from .shapes import arrow_shape, dot_shape
from .shown import is_visible, place
from .switch import is_on
from .viewport import is_in_use

_COLOURS = {"middle": (1.0, 0.8, 0.1), "other": (0.6, 0.5, 0.15), "swing": SWING, "twist": TWIST}
_SIZE, _REACH = 0.08, 1.7  # radius in gizmo sizes, and how much farther the mouse catches it
_HIGHLIGHT = (1.0, 1.0, 1.0)


class SUPERPOSE_GT_handle(Gizmo):
    """A dot that stays under the mouse; what it drags is a value of the active bone's limit.

    At the end of a range it is the head of an arrow that points out.
    """

    bl_idname = "SUPERPOSE_GT_handle"
    __slots__ = ("active_before", "before", "bone", "catch", "frame", "handle", "line", "shape", "value")

    def setup(self) -> None:
        """Make what the mouse catches, once for each shape."""
        self.catch = {
            s: self.new_custom_shape('TRIS', s.fill.reshape(-1, 3)) for s in (dot_shape(), arrow_shape())
        }
        self.scale_basis = _SIZE
        self.use_draw_modal = True

    def show(self, context: Context, bone: PoseBone, handle: Handle) -> None:
        """Put the dot, facing the view, where the handle's value is."""
        self.bone, self.handle = bone.name, handle
        self.frame, _ = place(bone.id_data, bone)
        value = handle.read(bone.superpose.limit)
        outwards, self.line = handle.outwards(value), handle.line(value)
        self.shape = dot_shape() if outwards is None else arrow_shape()
        to_view = context.region_data.view_matrix.to_3x3().normalized()
        x, y, _ = to_view @ self.frame.to_3x3() @ Vector((1, 0, 0) if outwards is None else outwards)
        turn = to_view.transposed() @ Matrix.Rotation(atan2(y, x), 3, 'Z')
        self.matrix_basis = Matrix.Translation(self.frame @ Vector(handle.point(value))) @ turn.to_4x4()

    def draw(self, context: Context) -> None:
        """Draw the dot, and the line that leads to it."""
        colour = _COLOURS[self.handle.about]
        if len(self.line):
            draw_line(self.line, self.frame, colour)
        draw_mark(self.shape, self.matrix_world, _HIGHLIGHT if self.is_highlight else colour)

    def draw_select(self, context: Context, select_id: int) -> None:
        """Draw what the mouse catches: larger than what is seen."""
        self.draw_custom_shape(
            self.catch[self.shape], matrix=self.matrix_world @ Matrix.Scale(_REACH, 4), select_id=select_id
        )

    def invoke(self, context: Context, event: Event) -> set[str]:
        """Begin to drag."""
        limit = self._limit(context)
        self.before = self.value = self.handle.read(limit)
        self.active_before = limit.active_cone_index
        return {'RUNNING_MODAL'}

    def modal(self, context: Context, event: Event, tweak: set[str]) -> set[str]:
        """Follow the mouse."""
        ray = _ray(context, event, self._bone(context))
        self.value = self.handle.dragged(self.value, ray, event.ctrl)
        self.handle.write(self._limit(context), self.value)
        context.area.header_text_set(self.handle.words(self.value))
        context.area.tag_redraw()
        return {'RUNNING_MODAL'}

    def exit(self, context: Context, cancel: bool) -> None:
        """Put the value back, or make the drag one step of undo."""
        context.area.header_text_set(None)
        if cancel:
            limit = self._limit(context)
            self.handle.write(limit, self.before)
            limit.active_cone_index = self.active_before
        elif np.any(self.value != self.before):
            bpy.ops.ed.undo_push(message="Drag Limit")

    def _bone(self, context: Context) -> PoseBone:
        return context.object.pose.bones[self.bone]

    def _limit(self, context: Context) -> bpy.types.PropertyGroup:
        return self._bone(context).superpose.limit


class SUPERPOSE_GGT_limit(GizmoGroup):
    """The handles of the active bone's own limit."""

    bl_idname = "SUPERPOSE_GGT_limit"
    bl_label = "Joint Limit"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'WINDOW'
    bl_options = {'3D', 'PERSISTENT', 'SHOW_MODAL_ALL'}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether there is anything to drag; without the overlay this asks for nothing else."""
        if not is_on() or not context.scene.superpose_show_limits or context.mode != 'POSE':
            return False
        if is_in_use(context):
            return False
        bone = context.active_pose_bone
        return _is_draggable(bone) and is_visible(bone) and bone.id_data.is_editable

    def setup(self, context: Context) -> None:
        """Wait for the first redraw: only then there is a view to face."""

    def draw_prepare(self, context: Context) -> None:
        """Put as many dots as there are handles, in their order."""
        bone = context.active_pose_bone
        if not _is_draggable(bone):
            return
        handles = handles_of(bone.superpose.limit, place(bone.id_data, bone)[1])
        while len(self.gizmos) < len(handles):
            self.gizmos.new(SUPERPOSE_GT_handle.bl_idname)
        for index, gizmo in enumerate(self.gizmos):
            gizmo.hide = index >= len(handles)
            if not gizmo.hide:
                gizmo.show(context, bone, handles[index])


def _is_draggable(bone: PoseBone | None) -> bool:
    return bone is not None and has_handles(limit_kind(bone))


def _ray(context: Context, event: Event, bone: PoseBone) -> Ray:
    """Return the line of sight under the mouse, in the frame of the bone's limit."""
    mouse = event.mouse_region_x, event.mouse_region_y
    to_frame = place(bone.id_data, bone)[0].inverted()
    origin = region_2d_to_origin_3d(context.region, context.region_data, mouse)
    direction = region_2d_to_vector_3d(context.region, context.region_data, mouse)
    return Ray(np.array(to_frame @ origin), np.array((to_frame.to_3x3() @ direction).normalized()))


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_GT_handle, SUPERPOSE_GGT_limit))
