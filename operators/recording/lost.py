# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find in which frames targets are not to be believed, and mask them."""

from collections.abc import Generator

import bpy
from bpy.types import Context, Object, Operator

from ...armature import frame_numbers
from ...armature.recording.marks import MASK
from ...reports import doubts_text
from .reading import RecordingOperator


class SUPERPOSE_OT_find_lost(RecordingOperator, Operator):
    """Mask targets where they drop out, flip or spike, so that bakes bridge these frames. Masks are keys of \
the bones, which you can move and delete in the dope sheet; new ones replace old ones"""

    bl_idname = "superpose.find_lost"
    bl_label = "Find Lost Targets"
    confirm_text = "Find"
    marks = (MASK,)

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Read the frames and key the masks; closing it early leaves all as it was."""
        numbers = frame_numbers(context.scene, self.range, self.frame_start, self.frame_end)
        rig, recording = yield from self.recorded(context, ob, numbers)
        self.check_moving(ob, recording)
        doubts = recording.righted().doubts().any(axis=-1)
        self.store(context, ob, rig, doubts[..., None], numbers[0])
        exchanged = doubts_text("Exchanged, put right by Clean Targets", rig, numbers, recording.exchanged)
        said = ". ".join(filter(None, (doubts_text("Masked", rig, numbers, doubts), exchanged)))
        self.tell(ob, said or f"No target is doubtful in {len(numbers)} frames")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_find_lost,))
