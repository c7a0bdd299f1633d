# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find in which frames feet, and hands on the ground, stand."""

from collections.abc import Generator

import bpy
from bpy.types import Context, Object, Operator

from ...armature import RigError, frame_numbers
from ...armature.recording.contacts import feet_of, find_standing
from ...armature.recording.marks import CONTACTS
from ...reports import doubts_text
from .reading import RecordingOperator


class SUPERPOSE_OT_find_contacts(RecordingOperator, Operator):
    """Find the frames in which feet, or hands on the ground, stand, so that bakes hold them in place. \
Contacts are keys of the bones, which you can move and delete in the dope sheet; new ones replace old ones"""

    bl_idname = "superpose.find_contacts"
    bl_label = "Find Contacts"
    confirm_text = "Find"
    marks = CONTACTS

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Read the frames and key the contacts; closing it early leaves all as it was."""
        numbers = frame_numbers(context.scene, self.range, self.frame_start, self.frame_end)
        rig, recording = yield from self.recorded(context, ob, numbers)
        feet = feet_of(ob, rig)
        if not feet.any():
            raise RigError(f"No effector of '{ob.name}' that has a target is a foot, low at rest")
        self.check_moving(ob, recording)
        found = find_standing(rig, numbers, recording, feet)
        self.store(context, ob, rig, found, numbers[0])
        said = doubts_text("Contacts", rig, numbers, found.any(axis=-1))
        self.tell(ob, said or f"No effector stands in {len(numbers)} frames")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_find_contacts,))
