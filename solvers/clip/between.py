# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses between frames that are solved, so that a few frames tell the others where to begin.

What is carried over is not the pose but how far it is from the one that was given: a motion that is given
stays as it is where nothing is asked of it.

Reference: Catmull and Rom 1974 (10.1016/B978-0-12-079050-0.50020-5), through quaternions (Shoemake 1985,
10.1145/325165.325242) that are made unit again.
"""

import numpy as np

from ..geometry import Array, conjugate, multiply, normalised
from ..model import Pose


def between(given: Pose, found: Pose, stride: int) -> Pose:
    """Return a start for all frames ``given``, of which every ``stride``-th, the first included, is
    ``found``."""
    every = given.rows(slice(None, None, stride))
    turns = multiply(conjugate(every.rotations), found.rotations)
    against = np.einsum("fbi,fbi->fb", turns[1:], turns[:-1]) < 0
    turns[1:] *= np.where(np.cumsum(against, axis=0) % 2, -1.0, 1.0)[..., None]
    shifts = found.translations - every.translations
    return Pose(
        multiply(given.rotations, normalised(_through(turns, len(given), stride))),
        given.translations + _through(shifts, len(given), stride),
    )


def _through(values: Array, frames: int, stride: int) -> Array:
    """Return values (frames, bones, c) of the smooth curve through ``values`` of every stride-th frame."""
    times = np.arange(frames) / stride
    first = np.minimum(times.astype(np.int64), len(values) - 2)
    x = (times - first)[:, None, None]
    ends = 2 * values[:1] - values[1:2], 2 * values[-1:] - values[-2:-1]
    padded = np.concatenate([ends[0], values, ends[1]])
    before, here, there, after = (padded[first + place] for place in range(4))
    bend = 2 * before - 5 * here + 4 * there - after + x * (3 * (here - there) + after - before)
    through: Array = here + 0.5 * x * (there - before + x * bend)
    return through
