# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals besides effectors, in armature space, one row for each frame."""

from collections.abc import Sequence

import numpy as np

from ...solvers import Targets
from ...solvers.geometry import Array, matvec, quaternion_to_matrix
from ...solvers.goals import Goal
from ..errors import RigError
from ..frames.frame_snapshot import FrameSnapshot
from ..goals import GoalSetting, Posed
from ..rig.rig import Rig


def goals_of(
    rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array, targets: Targets
) -> tuple[Goal, ...]:
    """Return what is asked of the bodies in the frames besides the ``targets`` of their effectors.

    ``rotations`` (frames, bones, 3, 3) and ``heads`` (frames, bones, 3): the animated pose. Raises RigError
    or SolverError naming the goal.
    """
    if not rig.goals:
        return ()
    matrices = np.stack([frame.matrices for frame in frames])
    tails = heads + matrices[..., :3, 1] * rig.lengths[:, None]
    shared = {
        "names": rig.names,
        "rotations": rotations,
        "heads": heads,
        "tails": tails,
        "supports": _supports(rig, rotations, heads, tails, targets),
        "armature_to_world": np.stack([frame.armature_to_world for frame in frames]),
    }
    goals = []
    for index, setting in enumerate(rig.goals):
        target = np.stack([frame.goal_targets[index] for frame in frames])
        influences = np.stack([frame.goal_influences[index] for frame in frames])
        _check(setting, target)
        goals.append(setting.goal(Posed(**shared, target=target, influences=influences)))
    return tuple(goals)


def _supports(rig: Rig, rotations: Array, heads: Array, tails: Array, targets: Targets) -> Array:
    """Return heads and tails (frames, 2 effectors, 3) of the effectors' bones as their targets have them."""
    turned = rotations[:, rig.places]
    wanted = quaternion_to_matrix(targets.rotations)
    ends = [0.0, matvec(np.swapaxes(turned, -1, -2), tails[:, rig.places] - heads[:, rig.places])]
    return np.concatenate([targets.positions + matvec(wanted, end - rig.offsets) for end in ends], axis=1)


def _check(setting: GoalSetting, target: Array) -> None:
    if not np.isfinite(target).all():
        raise RigError(f"The transform of the target of {setting.words} is not finite")
    if (np.abs(np.linalg.det(target[:, :3, :3])) < 1e-30).any():
        raise RigError(f"The target of {setting.words} is scaled to zero")
