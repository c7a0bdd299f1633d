# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in which all stands still: what is asked of a body, and the pose that it is given."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...solvers import Request
from ...solvers.geometry import Array, Mask
from ...solvers.motion import Span, spans_of
from ..frames.frame_snapshot import FrameSnapshot, column

# By so little, of numbers and of the figure's extent, what stands still differs as Blender evaluates it.
_SAME = 1e-6
# Fewer frames are no hold: two are alike where a motion turns back between them.
_FEWEST = 3
_ROWS = 1024  # that are compared at a time
_ASKED = ("armature_to_world", "carriers", "influences", "weights", "offsets")
_GOALS = ("goal_targets", "goal_influences", "goal_values")


def holds_of(frames: Sequence[FrameSnapshot], request: Request, marks: Mask) -> list[Span]:
    """Return the spans of frames that are the same, of what is requested of these, in order.

    ``marks`` (frames, ...): contacts, which have to be the same, too.
    """
    parts = [column(frames, name) for name in (*_ASKED, *_GOALS)]
    parts += [request.targets.positions, request.targets.rotations]
    parts += [request.pose.rotations, request.pose.shifts.values, marks]
    least = _SAME * min(1.0, frames[0].extent)
    as_before = np.ones(len(frames) - 1, dtype=bool)
    for part in parts:
        as_before &= _as_before(part, least)
    near = (Span(span.first, span.last + 1) for span in spans_of(as_before))
    runs = (run for span in near for run in _runs(parts, span, least))
    return [run for run in runs if len(run) >= _FEWEST]


def _as_before(part: Array, least: float) -> Mask:
    """Return which rows (frames - 1,) of a part (frames, ...), but the first, are as the one before.

    Some rows at a time, for clips of any length.
    """
    found = np.empty(len(part) - 1, dtype=bool)
    for first in range(0, len(found), _ROWS):
        rows = slice(first, first + _ROWS)
        found[rows] = _are_alike(part[1:][rows], part[:-1][rows], least)
    return found


def _runs(parts: Sequence[Array], span: Span, least: float) -> Iterator[Span]:
    """Yield the runs of the ``span`` whose rows are all like their first: what creeps is not still."""
    first = span.first
    for row in range(span.first + 1, span.last + 1):
        if not all(_are_alike(part[row, None], part[first, None], least)[0] for part in parts):
            yield Span(first, row - 1)
            first = row
    yield Span(first, span.last)


def _are_alike(ones: Array, others: Array, least: float) -> Mask:
    """Return which rows (rows,) are the same of two parts (rows, ...)."""
    alike = np.isclose(ones, others, rtol=_SAME, atol=least).reshape(len(ones), -1)
    return np.all(alike, axis=1)
