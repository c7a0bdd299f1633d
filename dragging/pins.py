# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames between the keys of a body, in which what is pinned stands still."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..armature import Batch, FrameSnapshot, Rig
from ..solvers import Settings, Skeleton, Solution
from ..solvers.geometry import Array
from .asked import asking_nothing
from .nearest import nearest_to


def held_in_place(
    rig: Rig, settings: Settings, frames: Sequence[FrameSnapshot], places: Sequence[Mapping[int, Array]]
) -> tuple[Rig, list[FrameSnapshot], Skeleton, Solution]:
    """Return the poses nearest to those of the frames in which effectors are at ``places``, as a report of
    them is made: rig, frames as asked, skeleton and solution.

    ``places``: for each frame target to world (4, 4), by row. The other effectors are asked to stay where
    the frame has them, by what they hold; in the rig that is returned they ask for nothing. Raises RigError
    or SolverError.
    """
    asked = [_asked(frame, there) for frame, there in zip(frames, places, strict=True)]
    batch = Batch(rig, frames)
    found = nearest_to(batch.pose, batch, asked, settings)
    others = set(range(len(rig.effectors))).difference(*places)
    return asking_nothing(rig, others), asked, *found


def _asked(frame: FrameSnapshot, places: Mapping[int, Array]) -> FrameSnapshot:
    targets, influences = frame.targets.copy(), np.zeros(len(frame.influences))
    for row, place in places.items():
        targets[row], influences[row] = place, 1.0
    goal_influences = np.zeros(len(frame.goal_influences))
    return replace(frame, targets=targets, influences=influences, goal_influences=goal_influences)
