# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a live armature was left, to tell what others do to it from what was done here."""

from dataclasses import dataclass

from bpy.types import Object

from ..armature import FrameSnapshot, present_frame, write_channels
from .reading import Reading


@dataclass(frozen=True, eq=False)
class Left:
    """The ``reading`` that an armature was left with, its pose in ``frame``, and ``before``: the pose of the
    present frame before it was solved, where it was.
    """

    reading: Reading
    frame: FrameSnapshot
    before: FrameSnapshot | None = None

    def take_back(self, ob: Object) -> None:
        """Take back what was solved for the present frame alone, so that the next does not depend on it."""
        rig = self.reading.rig
        if self.before is None or not rig.is_of(ob):  # Edit Mode, or other data
            return
        if self.frame.has_pose_of(present_frame(rig, ob)):
            write_channels(rig, ob, self.before)
