# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals besides effectors, in armature space, one row for each frame."""

from collections.abc import Sequence

import numpy as np

from ...solvers import Goal, Targets
from ...solvers.geometry import Array, Indices, matvec, quaternion_to_matrix
from ...solvers.goals import points_of
from ..errors import RigError
from ..frames.blocks import kept_once
from ..frames.frame_snapshot import FrameSnapshot, column
from ..goals import Posed, sentence
from ..rig.rig import Rig
from .spaces import check_transforms

# A goal by its place in the list, with what it was made from besides the animated pose.
Made = dict[int, tuple[bytes, Goal]]


def goals_of(
    rig: Rig,
    frames: Sequence[FrameSnapshot],
    rotations: Array,
    heads: Array,
    targets: Targets,
    made: Made | None = None,
) -> tuple[Goal, ...]:
    """Return what is asked of the bodies in the frames besides the ``targets`` of their effectors.

    ``rotations`` (frames, bones, 3, 3) and ``heads`` (frames, bones, 3): the animated pose. ``made``: goals
    that were made of the same frames and pose. They serve again as long as nothing else that they look at has
    changed; new ones are noted there. Raises RigError or SolverError naming the goal.
    """
    if not rig.goals:
        return ()
    matrices = column(frames, "matrices")
    tails = heads + matrices[..., :3, 1] * rig.lengths[:, None]
    shared = {
        "names": rig.names,
        "pieces": _pieces(rig),
        "rotations": rotations,
        "heads": heads,
        "tails": tails,
        "armature_to_world": column(frames, "armature_to_world"),
    }
    world = column(frames, "goal_targets")
    check_transforms([f"of {setting.words}" for setting in rig.goals], world)
    influences = column(frames, "goal_influences")
    values = column(frames, "goal_values")
    _check_finite(rig, np.concatenate([influences[..., None], values], axis=-1))
    parts = world, influences, kept_once(values)
    own = zip(*(np.moveaxis(part, 1, 0) for part in parts), strict=True)
    made, supports = {} if made is None else made, np.zeros((len(frames), 0, 3))
    if any(setting.STANDS for setting in rig.goals):
        supports = _supports(rig, rotations, heads, tails, targets)
    for place, (setting, (target, influence, value)) in enumerate(zip(rig.goals, own, strict=True)):
        stands = supports if setting.STANDS else supports[:, :0]
        asked = shared["armature_to_world"], stands, target, influence, value
        seen = b"".join(part.tobytes() for part in asked)
        if place not in made or made[place][0] != seen:
            posed = Posed(**shared, supports=stands, target=target, influences=influence, values=value)
            made[place] = seen, setting.goal(posed)
    return tuple(made[place][1] for place in range(len(rig.goals)))


def _pieces(rig: Rig) -> Indices:
    """Return the bone (bones,) that each turns with as one piece, the uppermost, or itself."""
    stays, pieces = rig.inherits_rotation & (rig.stiffness == 1), np.arange(len(rig.names))
    for bone in np.flatnonzero(stays & (rig.parents >= 0)):  # parents come first
        pieces[bone] = pieces[rig.parents[bone]]
    return pieces


def _check_finite(rig: Rig, numbers: Array) -> None:
    """Raise RigError for a goal of which any of the numbers (frames, goals, n) is not finite."""
    finite = np.isfinite(numbers).all(axis=(0, 2))
    if not finite.all():
        words = rig.goals[int(np.argmin(finite))].words
        raise RigError(f"{sentence(words)} has a value that is not finite: look at its keys and drivers")


def _supports(rig: Rig, rotations: Array, heads: Array, tails: Array, targets: Targets) -> Array:
    """Return heads and tails (frames, points, 3) of the effectors' bones as their targets have them.

    Those that go with the body have targets where it was before: nothing stands there.
    """
    rows = [row for row in range(len(rig.effectors)) if row not in rig.along]
    bones, own = rig.places[rows], points_of(rig.effectors, targets.offsets)[:, rows]
    turned, wanted = rotations[:, bones], quaternion_to_matrix(targets.rotations[:, rows])
    ends = [0.0, matvec(np.swapaxes(turned, -1, -2), tails[:, bones] - heads[:, bones])]
    return np.concatenate([targets.positions[:, rows] + matvec(wanted, end - own) for end in ends], axis=1)
