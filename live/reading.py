# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature looks like and what is asked of it, read as a whole or, while targets move, in part."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bpy.types import Depsgraph, Object

from ..armature import (
    Batch,
    FrameSnapshot,
    Rig,
    StoredSettings,
    aimed_frame,
    carried_frame,
    read_frame,
    read_rig,
    settings_of,
    stored_settings,
)
from ..armature.problem.wanted import Wanted, wanted_of
from ..dragging import Found, as_it_stands
from ..solvers import Request, Settings


@dataclass(frozen=True, eq=False)
class Reading:
    """``stored``: the settings that rig and solver's settings were read from; ``batch``: the frame as it was
    when these were read, in the solver's form.
    """

    rig: Rig
    settings: Settings
    stored: StoredSettings
    frame: FrameSnapshot
    wanted: Wanted
    batch: Batch

    @property
    def request(self) -> Request:
        """What is asked of the solver."""
        return self.batch.at_once([self.frame], self.settings)

    def check(self) -> None:
        """Raise RigError or SolverError where that cannot be asked."""
        self.batch.at_once([self.frame], self.settings)

    def as_it_stands(self, ob: Object) -> Found:
        """Return the pose with what it leaves of what is asked; none is sought.

        What was told to have given way is not missed now, unless it has been pinned.
        """
        bones = self.rig.effector_bones(ob)
        yields = [bone.superpose.gave_way and bone.superpose.hold != 'PINNED' for bone in bones]
        return as_it_stands(self.rig, self.frame, self.settings, yields)

    def moved_on(self, ob: Object, depsgraph: Depsgraph, is_unedited: bool = False) -> "Reading | None":
        """Return the reading with targets as they are, or None where a setting has been edited.

        ``is_unedited``: none has, as is known. That nothing else has changed is for the caller to know.
        Raises RigError.
        """
        if not (is_unedited or self.stored.are_of(ob)):
            return None
        return self._aimed(aimed_frame(self.frame, self.rig, ob, depsgraph))

    def carried_on(self, ob: Object, rows: Iterable[int]) -> "Reading | None":
        """Return the reading with targets of these rows where they have just been put, or None.

        None if that has to be evaluated first. The caller has to know that nothing but parents places
        targets.
        """
        frame = carried_frame(self.frame, self.rig, ob, rows)
        return None if frame is None else self._aimed(frame)

    def _aimed(self, frame: FrameSnapshot) -> "Reading":
        return replace(self, frame=frame, wanted=self.wanted.aimed(frame))


def read(ob: Object, depsgraph: Depsgraph) -> Reading:
    """Return what is asked of the armature object; raises RigError or SolverError."""
    rig, settings, stored = read_rig(ob), settings_of(ob), stored_settings(ob)
    frame = read_frame(rig, ob, depsgraph)
    wanted = wanted_of(rig, frame, settings)
    return Reading(rig, settings, stored, frame, wanted, Batch(rig, [frame]))
