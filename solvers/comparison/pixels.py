# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawing painted into pixels, smooth at the edges. Letters come as triangles, from whoever has a font."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from ..geometry import Array, Mask
from .drawing import Dot, Drawing, Line, Text

# From words to triangles (n, 3, 2) of letters one unit high on the baseline y = 0, y up.
Lettering = Callable[[str], Array]
_FINE = 4  # samples along each side of a pixel, for letters
_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def to_pixels(drawing: Drawing, lettering: Lettering) -> Array:
    """Return the picture (height, width, 3), sRGB from 0 to 1, the top row first."""
    picture = np.ones((drawing.height, drawing.width, 3))
    for shape in drawing.shapes:
        if isinstance(shape, Text):
            _letters(picture, shape, lettering(shape.words))
        elif isinstance(shape, Dot):
            centre = np.array(shape.centre, float)
            _stroke(picture, centre, centre, shape.radius, shape.colour)
        else:
            for start, end in _strokes(shape):
                _stroke(picture, start, end, shape.width / 2, shape.colour)
    return picture


def _strokes(line: Line) -> Iterator[tuple[Array, Array]]:
    """Yield the straight pieces of a line, cut into its dashes."""
    points = np.array(line.points, float)
    if line.dash is None:
        yield from pairwise(points)
        return
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    for begin in np.arange(0.0, along[-1], sum(line.dash)):
        finish = min(begin + line.dash[0], along[-1])
        marks = np.concatenate([[begin], along[(along > begin) & (along < finish)], [finish]])
        dash = np.stack([np.interp(marks, along, column) for column in points.T], axis=1)
        yield from pairwise(dash)


def _stroke(picture: Array, start: Array, end: Array, radius: float, colour: str) -> None:
    """Paint all that is within ``radius`` of the line from start to end."""
    box = _box(picture, np.minimum(start, end) - radius - 1, np.maximum(start, end) + radius + 1)
    y, x = np.mgrid[box]
    from_start = np.stack([x + 0.5, y + 0.5], axis=-1) - start
    way = end - start
    share = np.clip(from_start @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
    distance = np.linalg.norm(from_start - share[..., None] * way, axis=-1)
    _mix(picture, box, np.clip(radius + 0.5 - distance, 0.0, 1.0), colour)


def _letters(picture: Array, text: Text, triangles: Array) -> None:
    if not len(triangles):
        return
    width = triangles[..., 0].max()
    corners = text.size * (triangles - [_ANCHORS[text.anchor] * width, 0.0])
    x, y = corners[..., 0], -corners[..., 1]
    corners = np.stack([y, -x] if text.upright else [x, y], axis=-1) + text.place
    box = _box(picture, corners.min(axis=(0, 1)), corners.max(axis=(0, 1)) + 1)
    shape = [side.stop - side.start for side in box]
    fine = np.zeros([_FINE * side for side in shape], bool)
    for triangle in _FINE * (corners - [box[1].start, box[0].start]):
        _fill(fine, triangle)
    covered = fine.reshape(shape[0], _FINE, shape[1], _FINE).mean(axis=(1, 3))
    _mix(picture, box, covered, text.colour)


def _fill(mask: Mask, triangle: Array) -> None:
    """Set what lies in the triangle (3, 2)."""
    low = np.maximum(np.floor(triangle.min(axis=0)).astype(int), 0)
    high = np.ceil(triangle.max(axis=0)).astype(int) + 1
    part = mask[low[1] : high[1], low[0] : high[0]]
    x = np.arange(low[0], low[0] + part.shape[1]) + 0.5
    y = np.arange(low[1], low[1] + part.shape[0])[:, None] + 0.5
    a, b, c = triangle
    edges = ((a, b), (b, c), (c, a))
    sides = [(q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) for p, q in edges]
    part |= (np.min(sides, axis=0) >= 0) | (np.max(sides, axis=0) <= 0)


def _box(picture: Array, low: Array, high: Array) -> tuple[slice, slice]:
    """Return rows and columns of the picture between two corners."""
    height, width = picture.shape[:2]
    left, top = (int(np.clip(np.floor(v), 0, most)) for v, most in zip(low, (width, height), strict=True))
    right, bottom = (int(np.clip(np.ceil(v), 0, most)) for v, most in zip(high, (width, height), strict=True))
    return slice(top, max(bottom, top)), slice(left, max(right, left))


def _mix(picture: Array, box: tuple[slice, slice], cover: Array, colour: str) -> None:
    rgb = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    picture[box] += cover[..., None] * (rgb - picture[box])
