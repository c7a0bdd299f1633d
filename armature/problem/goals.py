# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals besides effectors, in armature space, one row for each frame."""

from collections.abc import Sequence

import numpy as np

from ...solvers import Targets
from ...solvers.geometry import Array, matvec, quaternion_to_matrix
from ...solvers.goals import Goal
from ..frames.frame_snapshot import FrameSnapshot, column
from ..goals import Posed
from ..rig.rig import Rig
from .targets import check_transforms


def goals_of(
    rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array, targets: Targets
) -> tuple[Goal, ...]:
    """Return what is asked of the bodies in the frames besides the ``targets`` of their effectors.

    ``rotations`` (frames, bones, 3, 3) and ``heads`` (frames, bones, 3): the animated pose. Raises RigError
    or SolverError naming the goal.
    """
    if not rig.goals:
        return ()
    matrices = column(frames, "matrices")
    tails = heads + matrices[..., :3, 1] * rig.lengths[:, None]
    shared = {
        "names": rig.names,
        "rotations": rotations,
        "heads": heads,
        "tails": tails,
        "supports": _supports(rig, rotations, heads, tails, targets),
        "armature_to_world": np.stack([frame.armature_to_world for frame in frames]),
    }
    world = np.stack([frame.goal_targets for frame in frames])
    check_transforms([f"of {setting.words}" for setting in rig.goals], world)
    goals = []
    for index, setting in enumerate(rig.goals):
        influences = np.stack([frame.goal_influences[index] for frame in frames])
        target = world[:, index]
        goals.append(setting.goal(Posed(**shared, target=target, influences=influences)))
    return tuple(goals)


def _supports(rig: Rig, rotations: Array, heads: Array, tails: Array, targets: Targets) -> Array:
    """Return heads and tails (frames, 2 effectors, 3) of the effectors' bones as their targets have them."""
    turned = rotations[:, rig.places]
    wanted = quaternion_to_matrix(targets.rotations)
    ends = [0.0, matvec(np.swapaxes(turned, -1, -2), tails[:, rig.places] - heads[:, rig.places])]
    return np.concatenate([targets.positions + matvec(wanted, end - rig.offsets) for end in ends], axis=1)
