# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find in which frames targets are not to be believed, and mask them."""

from collections.abc import Generator

import bpy
from bpy.types import Context, Object, Operator

from ...armature import RigError, frame_numbers, pose_kept, present_frame_kept, read_frames, read_rig
from ...armature.recording.marks import MASK, bones_of, check_marks, is_marked, mark_spans
from ...armature.recording.targets import Recording, frame_rate
from ...reports import doubts_text
from ...solvers.motion import Span, spans_of
from ..mixins.frame_range import SceneRangeOperator


class SUPERPOSE_OT_find_lost(SceneRangeOperator, Operator):
    """Mask targets where they drop out, flip or spike, so that bakes bridge these frames. Masks are keys of
    the bones, to be moved and deleted in the dope sheet; those that are there give way"""

    bl_idname = "superpose.find_lost"
    bl_label = "Find Lost Targets"
    confirm_text = "Find"

    def draw(self, context: Context) -> None:
        self.draw_range(context)

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Read the frames and key the masks; closing it early leaves all as it was."""
        scene = context.scene
        numbers = frame_numbers(scene, self.range, self.frame_start, self.frame_end)
        context.evaluated_depsgraph_get()
        rig = read_rig(ob)
        bones = bones_of(ob, rig)
        for bone in bones:
            check_marks(ob, bone.path_from_id(MASK))
        if rig.targetless.all():
            raise RigError(f"No effector of '{ob.name}' has a target")
        self.phase, self.total = "Reading frame", len(numbers)
        with pose_kept(ob), present_frame_kept(scene):
            frames = yield from read_frames(context, rig, ob, numbers)
        doubts = Recording(rig, frames, frame_rate(scene)).doubts()
        first = numbers[0]
        for column, bone in enumerate(bones):
            spans = [Span(span.first + first, span.last + first) for span in spans_of(doubts[:, column])]
            if spans or is_marked(bone, MASK):
                mark_spans(scene, bone, MASK, spans, first)
        said = doubts_text("Masked", rig, numbers, doubts)
        self.report({'INFO'}, said or f"Nothing of the targets is doubtful in {len(numbers)} frames")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_find_lost,))
