# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in which all stands still: what is asked of a body, and the pose that it is given."""

from collections.abc import Sequence

import numpy as np

from ...solvers import Request
from ...solvers.geometry import Array, Mask
from ...solvers.motion import Span
from ..frames.frame_snapshot import FrameSnapshot, column

# By so little, of numbers and of the figure's extent, what stands still differs as Blender evaluates it.
_SAME = 1e-6
# Fewer frames are no hold: two are alike where a motion turns back between them.
_FEWEST = 3
_ASKED = ("armature_to_world", "carriers", "influences", "weights", "offsets")
_GOALS = ("goal_targets", "goal_influences", "goal_values")


def holds_of(frames: Sequence[FrameSnapshot], request: Request, marks: Mask) -> list[Span]:
    """Return the spans of frames that are the same, of what is requested of these, in order.

    ``marks`` (frames, ...): contacts, which have to be the same, too.
    """
    targets, pose = request.targets, request.pose
    parts = [column(frames, name) for name in (*_ASKED, *_GOALS)]
    parts += [targets.positions, targets.rotations, pose.rotations, pose.translations, marks]
    numbers = np.hstack([part.reshape(len(frames), -1) for part in parts])
    return [span for span in _runs(numbers, _SAME * min(1.0, frames[0].extent)) if len(span) >= _FEWEST]


def _runs(numbers: Array, least: float) -> list[Span]:
    """Return the spans of rows of ``numbers`` (frames, n) that are all like their first."""
    runs, first = [], 0
    for row in range(1, len(numbers) + 1):
        if row == len(numbers) or not np.allclose(numbers[row], numbers[first], rtol=_SAME, atol=least):
            runs.append(Span(first, row - 1))
            first = row
    return runs
