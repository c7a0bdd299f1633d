# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals besides effectors, in armature space, one row for each frame."""

from collections.abc import Sequence

import numpy as np

from ...solvers import Targets
from ...solvers.geometry import Array, matvec, quaternion_to_matrix
from ...solvers.goals import Goal, points_of
from ..errors import RigError
from ..frames.blocks import kept_once
from ..frames.frame_snapshot import FrameSnapshot, column
from ..goals import Posed, sentence
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
    influences = np.stack([frame.goal_influences for frame in frames])
    values = np.stack([frame.goal_values for frame in frames])
    _check_finite(rig, np.concatenate([influences[..., None], values], axis=-1))
    parts = world, influences, kept_once(values)
    own = zip(*(np.moveaxis(part, 1, 0) for part in parts), strict=True)
    return tuple(
        setting.goal(Posed(**shared, target=target, influences=influence, values=value))
        for setting, (target, influence, value) in zip(rig.goals, own, strict=True)
    )


def _check_finite(rig: Rig, numbers: Array) -> None:
    """Raise RigError for a goal of which any of the numbers (frames, goals, n) is not finite."""
    finite = np.isfinite(numbers).all(axis=(0, 2))
    if not finite.all():
        words = rig.goals[int(np.argmin(finite))].words
        raise RigError(f"{sentence(words)} has a value that is not finite: look at its keys and drivers")


def _supports(rig: Rig, rotations: Array, heads: Array, tails: Array, targets: Targets) -> Array:
    """Return heads and tails (frames, 2 effectors, 3) of the effectors' bones as their targets have them."""
    turned = rotations[:, rig.places]
    wanted, own = quaternion_to_matrix(targets.rotations), points_of(rig.effectors, targets.offsets)
    ends = [0.0, matvec(np.swapaxes(turned, -1, -2), tails[:, rig.places] - heads[:, rig.places])]
    return np.concatenate([targets.positions + matvec(wanted, end - own) for end in ends], axis=1)
