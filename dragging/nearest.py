# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose that does what is asked and is, among these, the nearest to one that is given."""

from collections.abc import Sequence
from dataclasses import replace

from ..armature import Batch, FrameSnapshot
from ..solvers import Pose, Settings, Skeleton, Solution, solve_in_parts
from ..solvers.pauses import finished


def nearest_to(
    pose: Pose, batch: Batch, asked: Sequence[FrameSnapshot], settings: Settings
) -> tuple[Skeleton, Solution]:
    """Return the skeleton, drawn to the ``pose``, and what is found for each of the frames as ``asked``.

    Comfort that bones have of their own has no say. Raises RigError or SolverError.
    """
    skeleton = batch.skeleton.drawn_to(pose, 0.0)
    request = batch.request_in(asked, replace(settings, restarts=0))
    return skeleton, finished(solve_in_parts(replace(request, skeleton=skeleton, pose=pose)))
