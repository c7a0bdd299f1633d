# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a live armature was left, to tell what others do to it from what was done here."""

from collections.abc import Mapping
from dataclasses import dataclass

from bpy.types import Object

from ..armature import FrameSnapshot, channels_with, present_frame, write_channels
from ..solvers.geometry import Array
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
        if self._is_solved(ob):
            write_channels(self.reading.rig, ob, self.before)

    def began(self, ob: Object) -> Mapping[str, Array] | None:
        """Return the channels that the pose was solved from, or None where it was not for its frame alone."""
        return channels_with(self.reading.rig, ob, self.before) if self._is_solved(ob) else None

    def _is_solved(self, ob: Object) -> bool:
        """Return whether the armature has the pose that was solved for the present frame alone."""
        rig = self.reading.rig
        if self.before is None or not rig.is_of(ob):  # Edit Mode, or other data
            return False
        return self.frame.has_pose_of(present_frame(rig, ob))
