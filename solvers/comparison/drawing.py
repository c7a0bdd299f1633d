# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture as lines and words, to be written as SVG or painted. Places are in pixels, y points down."""

from dataclasses import dataclass

Point = tuple[float, float]
# Distinct also for those who see few colours (Okabe and Ito 2008, without their yellow), then dashed.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = (None, (9.0, 5.0), (3.0, 4.0))


@dataclass(frozen=True)
class Line:
    """A polyline; ``dash``: lengths of stroke and space, none for a whole line."""

    points: tuple[Point, ...]
    colour: str
    width: float = 1.0
    dash: tuple[float, float] | None = None


@dataclass(frozen=True)
class Dot:
    """A filled circle."""

    centre: Point
    radius: float
    colour: str


@dataclass(frozen=True)
class Text:
    """Words on a baseline; ``anchor``: which part of them is at ``place``; upright ones run upwards."""

    place: Point
    words: str
    size: float = 16.0
    anchor: str = "start"
    colour: str = "#222222"
    upright: bool = False


Shape = Line | Dot | Text


@dataclass(frozen=True)
class Drawing:
    """Shapes on white, the later ones on top."""

    width: int
    height: int
    shapes: tuple[Shape, ...]
    title: str = ""


def style_of(number: int) -> tuple[str, tuple[float, float] | None]:
    """Return colour and dash of the curve with this number, counted from 0."""
    rounds, place = divmod(number, len(_COLOURS))
    return _COLOURS[place], _DASHES[rounds % len(_DASHES)]
