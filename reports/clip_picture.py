# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a bake over its frames: what is left, contacts, speed, and the frames that need a look."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..armature import VISIBLE_TURN
from ..solvers.comparison import Drawing, Line, Shape, Text, style_of
from ..solvers.geometry import Array, Mask
from ..solvers.motion import spans_of
from .clip import ClipReport
from .words import angle_text, metres_text

# Square, as icons are, and twice as wide as one in the sidebar, so that letters are sharp there.
SIDE = 464
_EDGE, _TOP = 8.0, 54.0
_STRIP, _BETWEEN = 42.0, 30.0
# Each effector's row has its name, on a line that is so far down, and under that a lane for bars.
_ROW, _LINE, _LANE, _BAR = 31.0, 14.0, 23.0, 6.0
_SIZE, _NAME = 22.0, 21.0  # of letters
_LETTER = 0.58  # of their size, how wide letters are at most on average
_SWATCH = 24.0
_GREY, _FAINT, _LOOK, _JUMP = "#666666", "#dddddd", "#f0b429", "#cc0000"
# So many frames that need a look have their number written, where there is room: digits are so wide, of their
# size, and so far from the next number.
_NUMBERED, _DIGIT, _APART = 3, 0.6, 6.0
_SHORTEST = 8.0  # of bars, however many frames there are
# A strip is no higher for a few frames, as a share of all, that are so many times beyond the others: for a
# leap. Where the others are as good as still, as a share of it, that is what there is to see.
_FEW, _LEAP, _STILL = 0.03, 1.5, 0.02


def clip_picture(report: ClipReport) -> Drawing:
    """Return strips under each other: distances, angles, speed, and a row of bars for each effector."""
    first = _TOP + 3 * (_STRIP + _BETWEEN) + _EDGE
    side = max(SIDE, round(first + _ROW * len(report.names) + _EDGE))
    across = _Across(report.frames, side)
    title = f"{report.armature}, frames {report.frames[0]} to {report.frames[-1]}"

    def in_words(length: float) -> str:
        return metres_text(length * report.metres)

    strips = [
        _Strip("Distance", report.distances.T, float(report.visible.max(initial=0.0)), in_words),
        _Strip("Angle", report.angles.T, VISIBLE_TURN, angle_text),
        _Strip("Fastest joint", report.speeds[None], 0.0, lambda speed: f"{in_words(speed)}/s", cut=True),
    ]
    shapes: list[Shape] = [_fitting((_EDGE, 24.0), title, _SIZE + 1, across.right)]
    tops = [_TOP + _BETWEEN + number * (_STRIP + _BETWEEN) for number in range(len(strips))]
    lanes = [first + _ROW * number + _LANE for number in range(len(report.names))]
    bands = [(_TOP - 2, _TOP + 5), *((top, top + _STRIP) for top in tops)]
    bands += [(lane - _BAR / 2, lane + _BAR / 2) for lane in lanes]
    shapes += _looks(report, across, bands)
    for strip, top in zip(strips, tops, strict=True):
        shapes += strip.shapes(across, top)
    shapes += _rows(report, across, lanes)
    return Drawing(side, side, tuple(shapes), title)


def _fitting(place: tuple[float, float], words: str, size: float, right: float) -> Text:
    """Return words of letters of a size, or as much smaller as has them end before ``right``."""
    return Text(place, words, min(size, (right - place[0]) / (_LETTER * len(words))))


@dataclass(frozen=True)
class _Across:
    """Where ``frames`` are across a picture of so many pixels, its ``side``."""

    frames: tuple[int, ...]
    side: int

    @property
    def right(self) -> float:
        """Where the last frame is."""
        return self.side - _EDGE

    def place(self, frame: float) -> float:
        """Return where a frame is."""
        first, last = self.frames[0], self.frames[-1]
        return _EDGE + (self.right - _EDGE) * (frame - first) / max(last - first, 1)

    def points(self, values: Array, top: float, most: float) -> tuple[tuple[float, float], ...]:
        """Return values (frames,) as points, of all frames that fall on one pixel the highest."""
        pixels = np.round([self.place(frame) for frame in self.frames]).astype(int)
        highest = np.zeros(self.side)
        np.maximum.at(highest, pixels, values)
        there = np.unique(pixels)
        down = top + _STRIP * (1 - np.minimum(highest[there] / (most or 1.0), 1.0))
        return tuple(zip(there.astype(float).tolist(), down.tolist(), strict=True))


@dataclass(frozen=True)
class _Strip:
    """What a strip shows: ``curves`` (curves, frames), from which value on that is ``seen``, and how values
    are put ``in_words``. Leaps are ``cut`` if that is asked for."""

    title: str
    curves: Array
    seen: float
    in_words: Callable[[float], str]
    cut: bool = False

    def shapes(self, across: _Across, top: float) -> Iterator[Shape]:
        """Yield the curves from nothing to the most there is, or to what is seen: less of it stays low."""
        most = float(self.curves.max(initial=0.0))
        highest = without_leaps(self.curves.max(axis=0)) if self.cut else max(most, self.seen)
        words = f"up to {self.in_words(min(most, highest))}"
        if highest > most:
            words += f" of {self.in_words(highest)}"
        elif highest < most:
            words += f" ({self.in_words(most)})"
        room = (across.right - _EDGE) / _LETTER - _SIZE * (len(self.title) + 1)
        yield Text((_EDGE, top - 8), self.title, _SIZE)
        yield Text((across.right, top - 8), words, min(_SIZE, room / len(words)), "end", _GREY)
        for y in (top, top + _STRIP):
            yield Line(((_EDGE, y), (across.right, y)), _FAINT, 2.0)
        for number, values in enumerate(self.curves):
            points = across.points(values, top, highest)
            yield Line(points if len(points) > 1 else points * 2, *_stroke(number, 3.0))


def without_leaps(values: Array) -> float:
    """Return the largest of the values (frames,), but for a few that are far beyond all others."""
    falling = np.sort(values)[::-1]
    count = min(max(1, int(_FEW * len(values))), len(values) - 1)
    few, others = falling[:count], falling[1 : count + 1]
    (leaps,) = np.nonzero((few > _LEAP * others) & (others > _STILL * falling[0]))
    return float(falling[leaps[-1] + 1 if len(leaps) else 0])


def _stroke(number: int, width: float) -> tuple[str, float, tuple[float, float] | None]:
    colour, dash = style_of(number)
    return colour, width, dash


def _rows(report: ClipReport, across: _Across, lanes: Sequence[float]) -> Iterator[Shape]:
    """Yield a row for each effector and goal: its name and, in its lane, where it stands, gave way or is
    missed.
    """
    for number, (name, lane) in enumerate(zip(report.names, lanes, strict=True)):
        line, colour = lane - _LANE + _LINE, style_of(number)[0]
        yield Line(((_EDGE, line - 5), (_EDGE + _SWATCH, line - 5)), *_stroke(number, 5.0))
        if number < report.contacts.shape[1]:
            yield from _bars(report.contacts[:, number], across, lane, _BAR, colour)
        yield from _bars(report.gave_way[:, number], across, lane, _BAR / 2, _GREY)
        yield from _bars(report.missed[:, number], across, lane, _BAR, _JUMP)
        begin = _EDGE + _SWATCH + 8
        yield _fitting((begin, line), name.strip("'"), _NAME, across.right)


def _bars(on: Mask, across: _Across, y: float, width: float, colour: str) -> Iterator[Line]:
    """Yield a bar for each run of frames, from half a frame before it to half a frame after."""
    for span in spans_of(on):
        first, last = (across.frames[place] for place in (span.first, span.last))
        start, end = across.place(first - 0.5), across.place(last + 0.5)
        longer = max(_SHORTEST - (end - start), 0.0) / 2
        ends = max(start - longer, _EDGE), min(end + longer, across.right)
        yield Line(tuple((x, y) for x in ends), colour, width)


def _looks(report: ClipReport, across: _Across, bands: Sequence[tuple[float, float]]) -> Iterator[Shape]:
    """Yield upright lines at the frames that need a look, and the numbers of the worst.

    They run through ``bands``, from a height to another: where no words are.
    """
    turned = {turn.frame for turn in (*report.jumps, *report.sudden_turns)}
    taken: list[tuple[float, float]] = []
    for place, frame in enumerate(report.worst):
        x, colour = across.place(frame), _JUMP if frame in turned else _LOOK
        for top, bottom in bands:
            yield Line(((x, top), (x, bottom)), colour, 3.0, (8.0, 6.0))
        anchor = _anchor(x, str(frame), across, taken) if place < _NUMBERED else ""
        if anchor:
            yield Text((x, _TOP - 6), str(frame), _SIZE, anchor, colour)


def _anchor(x: float, words: str, across: _Across, taken: list[tuple[float, float]]) -> str:
    """Return how a number is put beside its line: in the middle, or at its start or end.

    It stays clear of the numbers before it, which have ``taken`` their room, and takes its own. Nothing is
    returned where there is no room.
    """
    wide = _DIGIT * _SIZE * len(words)
    for anchor, before in (("middle", 0.5), ("start", 0.0), ("end", 1.0)):
        start, end = x - before * wide, x + (1 - before) * wide
        is_inside = start >= _EDGE and end <= across.right
        if is_inside and all(end + _APART <= first or start >= last + _APART for first, last in taken):
            taken.append((start, end))
            return anchor
    return ""
