# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pose leaves of the goals besides effectors, whether it was solved or not."""

from ...solvers.geometry import Array
from ...solvers.goals import goals_left
from ..frames.frame_snapshot import FrameSnapshot
from ..rig.rig import Rig
from .goals import goals_of
from .stacking import measured, world_lengths
from .targets import places_wanted


def goals_left_as_posed(rig: Rig, frame: FrameSnapshot) -> tuple[Array, Array]:
    """Return what the frame's pose leaves of the rig's goals (goals,): scene units and radians.

    Raises RigError or SolverError naming a goal that cannot be asked for.
    """
    posed = measured(rig, [frame])
    goals = goals_of(rig, [frame], *posed, places_wanted(rig, [frame], *posed))
    lengths, angles = goals_left(goals, rig.rows_by_name, *posed)
    return world_lengths([frame], lengths)[0], angles[0]
