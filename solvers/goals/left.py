# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals leave, of whatever pose, found by whomever."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..geometry import Array, matvec
from .protocol import Goal


def goals_left(
    goals: Sequence[Goal], places: Mapping[str, int], rotations: Array, heads: Array
) -> tuple[Array, Array]:
    """Return what is left, as a ``Solution`` has it: lengths and angles in radians, (batch, goals).

    ``rotations`` (batch, bones, 3, 3) and ``heads`` (batch, bones, 3) of the bones, armature space;
    ``places``: where in these each bone is, by name.
    """
    left = np.zeros((2, len(heads), len(goals)))
    for number, goal in enumerate(goals):
        bones = [places[name] for name, _ in goal.frames()]
        offsets = np.array([offset for _, offset in goal.frames()])
        turned = rotations.take(bones, axis=1)
        points = heads.take(bones, axis=1) + matvec(turned, offsets)
        group = type(goal).grouped([goal], np.arange(len(bones))[None], np.ones(1))
        lengths, angles = group.left(points[:, None], turned[:, None])
        left[:, :, number] = lengths[:, 0], angles[:, 0]
    return left[0], left[1]
