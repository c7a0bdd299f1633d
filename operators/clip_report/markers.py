# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markers of the timeline on the frames of a bake that need a look."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

from ...armature import RigError
from ...armature.recording.markers import has_markers, put_markers, remove_markers
from ...reports import clip_report_of, look_text
from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_mark_worst_frames(RigOperator, Operator):
    """Put markers on the frames of the last bake that need a look, in place of the markers of an earlier \
bake"""

    bl_idname = "superpose.mark_worst_frames"
    bl_label = "Mark Frames"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        looks = self.looks(context, ob)
        if not looks:
            raise RigError(f"No frame of the last bake of '{ob.name}' needs a look")
        put_markers(context.scene, ob, ((frame, f"Superpose: {ob.name}, {words}") for frame, words in looks))
        return {'FINISHED'}

    @staticmethod
    def looks(context: Context, ob: Object) -> list[tuple[int, str]]:
        """Return the frames that need a look, and why, the worst first."""
        report = clip_report_of(ob)
        worst = report.worst if report else ()
        return [(frame, look_text(context.scene, report, frame)) for frame in worst]


class SUPERPOSE_OT_unmark_worst_frames(RigOperator, Operator):
    """Remove the markers that Mark Frames made; other markers stay"""

    bl_idname = "superpose.unmark_worst_frames"
    bl_label = "Remove Markers"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        if not has_markers(ob):
            raise RigError(f"There are no markers of '{ob.name}'")
        remove_markers(ob)
        return {'FINISHED'}

    @staticmethod
    def has_any(ob: Object) -> bool:
        """Return whether there is something to remove."""
        return has_markers(ob)


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_mark_worst_frames, SUPERPOSE_OT_unmark_worst_frames)
)
