# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plot of how solvers converge: what is left against iterations and against time, on logarithmic axes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from ..geometry import Array
from .drawing import Dot, Drawing, Line, Text, style_of
from .trace import Trace

WIDTH, HEIGHT = 1500, 760
_TOP, _BOTTOM = 90, 660
_PANELS = ((110, 610), (720, 1220))
_LEGEND = 1260
_GREY, _FAINT = "#666666", "#dddddd"
# What is less than this share of the most that is left is drawn as that: rounding.
_LEAST = 1e-9
_NOTHING = "Every effector is at its target from the start: there is nothing to follow."


@dataclass(frozen=True)
class Axis:
    """Values from ``low`` to ``high`` decades at places from ``start`` to ``end``."""

    low: int
    high: int
    start: float
    end: float

    def place(self, values: Array) -> Array:
        """Return where values are; what is outside comes to lie on the rim."""
        decades = np.log10(np.maximum(values, 1e-300))
        share = np.clip((decades - self.low) / (self.high - self.low), 0.0, 1.0)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield the places of whole decades and their words, not more than fit."""
        every = ceil((self.high - self.low) / 8)
        for decade in range(self.low, self.high + 1, every):
            yield float(self.place(np.array(10.0**decade))), decade_words(decade)

    def between(self) -> list[float]:
        """Return the places of 2 to 9 times whole decades, as far as those can be told apart."""
        if self.high - self.low > 4:
            return []
        values = [m * 10.0**d for d in range(self.low, self.high) for m in range(2, 10)]
        places: list[float] = self.place(np.array(values)).tolist()
        return places


def decade_words(decade: int) -> str:
    """Return a power of ten as people write it."""
    return f"{10.0**decade:g}" if -3 <= decade <= 4 else f"1e{decade}"


def convergence_plot(traces: Sequence[Trace], title: str, unit: str) -> Drawing:
    """Return the plot of the contestants' curves, or ``title`` alone if there are none.

    ``unit``: what their lengths are in.
    """
    heading = Text((_PANELS[0][0], 44), title, 22)
    if not traces:
        return Drawing(WIDTH, HEIGHT, (heading, Text((_PANELS[0][0], _TOP), _NOTHING, 18)), title)
    left = np.concatenate([trace.rmsd for trace in traces])
    vertical = _axis(np.maximum(left, max(_LEAST * left.max(), 1e-300)), _BOTTOM, _TOP)
    shapes: list[Line | Dot | Text] = [heading]
    by_iterations = [trace.front(trace.iterations) for trace in traces]
    by_time = [trace.front(1e3 * trace.seconds) for trace in traces]
    sides = (("Iterations", by_iterations), ("Time (milliseconds)", by_time))
    for (start, end), (label, curves) in zip(_PANELS, sides, strict=True):
        horizontal = _axis(np.concatenate([cost for cost, _ in curves]), start, end)
        shapes += _frame(horizontal, vertical, label)
        for number, (cost, rmsd) in enumerate(curves):
            shapes += _curve(horizontal.place(cost), vertical.place(rmsd), *style_of(number))
    middle = (_TOP + _BOTTOM) / 2
    words = f"RMSD left ({unit})" if unit else "RMSD left"
    shapes.append(Text((34, middle), words, 18, "middle", upright=True))
    shapes += _legend([trace.label for trace in traces])
    return Drawing(WIDTH, HEIGHT, tuple(shapes), title)


def _axis(values: Array, start: float, end: float) -> Axis:
    """Return the axis of whole decades that holds all positive values."""
    positive = values[values > 0]
    low, high = (positive.min(), positive.max()) if len(positive) else (1.0, 1.0)
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    return Axis(first, max(last, first + 1), start, end)


def _frame(horizontal: Axis, vertical: Axis, label: str) -> Iterator[Line | Text]:
    left, right, bottom, top = horizontal.start, horizontal.end, vertical.start, vertical.end
    for x in horizontal.between():
        yield Line(((x, bottom), (x, bottom - 6)), _GREY)
    for y in vertical.between():
        yield Line(((left, y), (left + 6, y)), _GREY)
    for x, words in horizontal.ticks():
        yield Line(((x, bottom + 6), (x, top)), _FAINT)
        yield Text((x, bottom + 26), words, 16, "middle")
    for y, words in vertical.ticks():
        yield Line(((left - 6, y), (right, y)), _FAINT)
        yield Text((left - 12, y + 6), words, 16, "end")
    corners = ((left, top), (right, top), (right, bottom), (left, bottom), (left, top))
    yield Line(corners, _GREY)
    yield Text(((left + right) / 2, bottom + 58), label, 18, "middle")


def _curve(across: Array, down: Array, colour: str, dash: tuple[float, float] | None) -> Iterator[Line | Dot]:
    points = tuple(zip(across.tolist(), down.tolist(), strict=True))
    if len(points) > 1:
        yield Line(points, colour, 2.5, dash)
    for point in points:
        yield Dot(point, 3.5, colour)


def _legend(labels: Sequence[str]) -> Iterator[Line | Dot | Text]:
    for number, label in enumerate(labels):
        y, (colour, dash) = _TOP + 10 + 28 * number, style_of(number)
        yield Line(((_LEGEND, y), (_LEGEND + 40, y)), colour, 2.5, dash)
        yield Dot((_LEGEND + 20, y), 3.5, colour)
        yield Text((_LEGEND + 52, y + 5), label, 16)
