# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a live armature was left, to tell what others do to it from what was done here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Object, Scene

from ..armature import (
    Batch,
    FrameSnapshot,
    are_carriers_free,
    are_targets_animated,
    channels_with,
    keyed_pins,
    places_in_pose,
    present_frame,
    shows_keys,
    write_channels,
)
from ..dragging import HandEdit, edited_bones
from ..solvers.geometry import Array
from .reading import Reading


@dataclass(frozen=True, eq=False)
class Left:
    """The ``reading`` that an armature was left with, its pose in ``frame``, and ``before``: the pose of the
    present frame before it was solved, where it was; ``dragged``: the names of the bones that Pose Body had
    dragged to that pose.
    """

    reading: Reading
    frame: FrameSnapshot
    before: FrameSnapshot | None = None
    dragged: frozenset[str] = frozenset()

    def edited_to(self, now: Reading, edit: HandEdit | None) -> HandEdit:
        """Return the edit by hand that goes on, or that begins here."""
        rig = now.rig.as_listed
        if edit and edit.goes_on(rig, self.frame, now.frame):
            return edit
        begin = replace(self.frame, targets=self.reading.frame.targets)
        posed = self.reading.batch.skeleton, Batch(rig, [begin]).pose
        return HandEdit(begin, places_in_pose(rig, begin, *posed), edited_bones(rig, begin, now.frame))

    def is_carried_by_hand(self, ob: Object, now: Reading) -> bool:
        """Return whether bones that carry roots have been moved since, by the user and with nothing else."""
        return now.wanted.is_carried_since(self.reading.wanted) and are_carriers_free(now.rig, ob)

    def is_keyed_anew(self, scene: Scene, ob: Object, now: Reading) -> bool:
        """Return whether keys have it in a pose that it was not left in, as after they were moved in time.

        Where no pinned bone was turned or moved itself nobody asks the keys, which takes a while.
        """
        pinned = np.array([hold == 'PINNED' for hold in now.rig.holds], dtype=bool)
        if not edited_bones(now.rig, self.frame, now.frame)[now.rig.places[pinned]].any():
            return False
        has_keys = shows_keys(now.rig, ob)
        return has_keys and keyed_pins(now.rig, ob).is_keyed_as(now.frame, scene.frame_current_final)

    def stays_in(self, scene: Scene, ob: Object) -> bool:
        """Return whether the pose may stay in the scene's frame, which asks for just what it was found for.

        It may not if frames go by targets and it was posed in another frame: that frame would be solved when
        it is visited later.
        """
        is_of_other = self.before is None and ob.superpose.followed_frame != scene.frame_current_final
        return not (is_of_other and are_targets_animated(self.reading.rig, ob))

    def take_back(self, ob: Object) -> None:
        """Take back what was solved for the present frame alone, so that the next does not depend on it."""
        if self._is_solved(ob):
            write_channels(self.reading.rig, ob, self.before)

    def put_back(self, ob: Object) -> None:
        """Write the pose once more if it has been taken back since."""
        rig = self.reading.rig
        if self.before and rig.is_of(ob) and self.before.has_pose_of(present_frame(rig, ob)):
            write_channels(rig, ob, self.frame)

    def write_again(self, ob: Object) -> bool:
        """Write the pose once more if keys have taken its place since; return whether they had."""
        rig = self.reading.rig
        has_lost = rig.is_keyed and rig.is_of(ob) and not self.frame.has_pose_of(present_frame(rig, ob))
        if has_lost:
            write_channels(rig, ob, self.frame)
        return has_lost

    def began(self, ob: Object) -> Mapping[str, Array] | None:
        """Return the channels that the pose was solved from, or None where it was not for its frame alone."""
        return channels_with(self.reading.rig, ob, self.before) if self._is_solved(ob) else None

    def _is_solved(self, ob: Object) -> bool:
        """Return whether the armature has the pose that was solved for the present frame alone."""
        rig = self.reading.rig
        if self.before is None or not rig.is_of(ob):  # Edit Mode, or other data
            return False
        return self.frame.has_pose_of(present_frame(rig, ob))
