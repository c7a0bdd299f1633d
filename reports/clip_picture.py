# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a bake over its frames: what is left, contacts, speed, and the frames that need a look."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..solvers.comparison import Drawing, Line, Shape, Text, style_of
from ..solvers.geometry import Array, Mask
from ..solvers.motion import spans_of
from .clip import ClipReport
from .words import angle_text, metres_text

# As wide as the sidebar is, so that letters can be read there.
WIDTH = 280
_LEFT, _RIGHT, _TOP = 6.0, 274.0, 40.0
_STRIP, _BETWEEN, _ROW = 38.0, 23.0, 16.0
_SIZE = 14.0  # of letters
_SWATCH = 14.0
_GREY, _FAINT, _LOOK, _JUMP = "#666666", "#dddddd", "#f0b429", "#cc0000"
# So many frames that need a look have their number written.
_NUMBERED = 3


def clip_picture(report: ClipReport) -> Drawing:
    """Return strips under each other: distances, angles, speed, and a row of bars for each effector."""
    across = _Across(report.frames)
    title = f"{report.armature}, frames {report.frames[0]} to {report.frames[-1]}"
    farthest, fastest = (
        metres_text(float(lengths.max(initial=0.0)) * report.metres)
        for lengths in (report.distances, report.speeds)
    )
    strips = [
        ("Distance", report.distances.T, farthest),
        ("Angle", report.angles.T, angle_text(float(report.angles.max(initial=0.0)))),
        ("Fastest joint", report.speeds[None], f"{fastest}/s"),
    ]
    shapes: list[Shape] = [Text((_LEFT, 18.0), title, _SIZE + 1)]
    bottom = _TOP + len(strips) * (_STRIP + _BETWEEN) + _ROW * len(report.names)
    shapes += _looks(report, across, bottom)
    top = _TOP + _BETWEEN
    for words, curves, most in strips:
        shapes += _strip(words, curves, most, across, top)
        top += _STRIP + _BETWEEN
    shapes += _rows(report, across, top - _BETWEEN + _ROW)
    return Drawing(WIDTH, round(bottom + _BETWEEN), tuple(shapes), title)


@dataclass(frozen=True)
class _Across:
    """Where frames are across the picture."""

    frames: tuple[int, ...]

    def place(self, frame: float) -> float:
        """Return where a frame is."""
        first, last = self.frames[0], self.frames[-1]
        return _LEFT + (_RIGHT - _LEFT) * (frame - first) / max(last - first, 1)

    def points(self, values: Array, top: float, most: float) -> tuple[tuple[float, float], ...]:
        """Return values (frames,) as points, of all frames that fall on one pixel the highest."""
        pixels = np.round([self.place(frame) for frame in self.frames]).astype(int)
        highest = np.zeros(WIDTH)
        np.maximum.at(highest, pixels, values)
        there = np.unique(pixels)
        down = top + _STRIP * (1 - highest[there] / (most or 1.0))
        return tuple(zip(there.astype(float).tolist(), down.tolist(), strict=True))


def _strip(words: str, curves: Array, most: str, across: _Across, top: float) -> Iterator[Shape]:
    """Yield a strip of curves (curves, frames) from nothing to the most there is, and its words."""
    yield Text((_LEFT, top - 6), words, _SIZE)
    yield Text((_RIGHT, top - 6), f"up to {most}", _SIZE, "end", _GREY)
    for y in (top, top + _STRIP):
        yield Line(((_LEFT, y), (_RIGHT, y)), _FAINT)
    for number, values in enumerate(curves):
        points = across.points(values, top, float(curves.max(initial=0.0)))
        yield Line(points if len(points) > 1 else points * 2, *_stroke(number, 1.5))


def _stroke(number: int, width: float) -> tuple[str, float, tuple[float, float] | None]:
    colour, dash = style_of(number)
    return colour, width, dash


def _rows(report: ClipReport, across: _Across, top: float) -> Iterator[Shape]:
    """Yield a row for each effector and goal: where it stands, where it is missed, and its name."""
    for number, name in enumerate(report.names):
        y, colour = top + _ROW * number, style_of(number)[0]
        yield Line(((_LEFT, y), (_LEFT + _SWATCH, y)), *_stroke(number, 2.5))
        if number < report.contacts.shape[1]:
            yield from _bars(report.contacts[:, number], across, y, 7.0, colour)
        yield from _bars(report.missed[:, number], across, y + 9, 2.0, _JUMP)  # below the letters
        yield Text((_LEFT + _SWATCH + 6, y + 5), name.strip("'"), _SIZE - 1, colour="#222222")


def _bars(on: Mask, across: _Across, y: float, width: float, colour: str) -> Iterator[Line]:
    for span in spans_of(on):
        ends = (across.place(across.frames[place]) for place in (span.first, span.last))
        yield Line(tuple((x, y) for x in ends), colour, width)


def _looks(report: ClipReport, across: _Across, bottom: float) -> Iterator[Shape]:
    """Yield upright lines at the frames that need a look, and the numbers of the worst."""
    turned = {turn.frame for turn in (*report.jumps, *report.sudden_turns)}
    for place, frame in enumerate(report.worst):
        x, colour = across.place(frame), _JUMP if frame in turned else _LOOK
        yield Line(((x, _TOP), (x, bottom)), colour, 1.5, (4.0, 3.0))
        if place < _NUMBERED:
            anchor = "start" if x < WIDTH / 4 else "end" if x > 3 * WIDTH / 4 else "middle"
            yield Text((x, _TOP - 4), str(frame), _SIZE, anchor, colour)
