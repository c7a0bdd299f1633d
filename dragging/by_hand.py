# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that the user turns or moves by Blender's own means.

What is pinned below them stays, and all else that hangs on them goes along. If one of them carries a root,
the root is edited with it.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..armature import Batch, FrameSnapshot, Rig
from ..solvers import Pose, Settings, twists_beside, unsought
from ..solvers.geometry import Array, Mask
from .asked import asking_nothing, on_soles
from .found import Found
from .nearest import nearest_to

_CHANNELS = ("rotations", "locations", "scales")


@dataclass(frozen=True, eq=False)
class HandEdit:
    """``begin``: the channels before, and where targets were; ``places`` (effectors, 4, 4): where targets had
    to be for their bones to meet them; ``bones`` (bones,): those that are edited.
    """

    begin: FrameSnapshot
    places: Array
    bones: Mask

    def goes_on(self, rig: Rig, left: FrameSnapshot, now: FrameSnapshot) -> bool:
        """Return whether the same bones, and no others, are edited further."""
        return not (edited_bones(rig, left, now) & ~self.bones).any()

    def is_back(self, rig: Rig, now: FrameSnapshot) -> bool:
        """Return whether the edited bones are as they were before."""
        return not (edited_bones(rig, self.begin, now) & self.bones).any()

    def below(self, rig: Rig) -> Mask:
        """Return which effectors (effectors,) an edited bone carries."""
        carried = self.bones.copy()
        for bone, parent in enumerate(rig.parents):
            carried[bone] |= parent >= 0 and carried[parent]
        return carried[rig.places]

    def going_along(self, rig: Rig) -> frozenset[int]:
        """Return the rows of the effectors whose targets go with the pose: also pins that are edited."""
        is_pinned = np.array([hold == 'PINNED' for hold in rig.holds], dtype=bool)
        stays = is_pinned & ~self.bones[rig.places]
        return frozenset(np.flatnonzero(self.below(rig) & ~stays).tolist())

    def held(self, rig: Rig, settings: Settings, now: FrameSnapshot) -> Found | None:
        """Return the pose that holds the pins below the bones as these are edited; None where there are none.

        All else strays as little from where it was as that allows. Raises RigError or SolverError.
        """
        along = self.going_along(rig)
        if along.issuperset(np.flatnonzero(self.below(rig)).tolist()):
            return None
        asking, frame = self._asking(rig, along), self._with_edit(now)
        batch, pose = Batch(asking, [now]), Batch(asking, [frame]).pose
        asked = replace(now, **self._pins_at(rig, now))
        return Found(asking, asked, *nearest_to(pose, batch, [asked], settings))

    def stand(self, rig: Rig, settings: Settings, now: FrameSnapshot) -> Found:
        """Return the pose that bones were edited to, with what it leaves of what is asked; none is sought.

        Pins are asked for, and targets below the bones, which should have gone along.
        """
        along = self.going_along(rig)
        is_asked = (hold == 'PINNED' or row in along for row, hold in enumerate(rig.holds))
        parts = tuple('ASKED' if one else 'FOLLOWS' for one in is_asked)
        asking = replace(on_soles(rig, self._edited(rig)), parts=parts)
        batch = Batch(asking, [now])
        return Found(asking, now, batch.skeleton, unsought(batch.request_in([now], settings)))

    def with_twists(self, batch: Batch) -> Pose:
        """Return the pose of a batch of one in which bones beside limbs twist with these, as edited."""
        return twists_beside(batch.skeleton, batch.pose, np.flatnonzero(self.bones))

    def _edited(self, rig: Rig) -> frozenset[int]:
        """Return the rows of the effectors that are edited themselves."""
        return frozenset(np.flatnonzero(self.bones[rig.places]).tolist())

    def _asking(self, rig: Rig, along: frozenset[int]) -> Rig:
        """Return the rig with the edited bones stiff and in place; those that go along ask for nothing."""
        return asking_nothing(on_soles(rig, self._edited(rig)), along).with_still(self.bones)

    def _with_edit(self, now: FrameSnapshot) -> FrameSnapshot:
        """Return the frame with all other bones as they were before."""
        chosen = self.bones[:, None]
        parts = {name: np.where(chosen, getattr(now, name), getattr(self.begin, name)) for name in _CHANNELS}
        return replace(now, **parts)

    def _pins_at(self, rig: Rig, now: FrameSnapshot) -> dict[str, Array]:
        """Return targets and influences of ``now`` with those effectors that have none where they were."""
        return {
            "targets": np.where(rig.targetless[:, None, None], self.places, now.targets),
            "influences": np.where(rig.targetless, 1.0, now.influences),
        }


def edited_bones(rig: Rig, before: FrameSnapshot, now: FrameSnapshot) -> Mask:
    """Return which bones (bones,) have other channels than before, or hang on what is elsewhere."""
    differ = [(getattr(before, name) != getattr(now, name)).any(axis=1) for name in _CHANNELS]
    edited = np.any(differ, axis=0)
    edited[rig.parents < 0] |= (before.carriers != now.carriers).any(axis=(1, 2))
    return edited
