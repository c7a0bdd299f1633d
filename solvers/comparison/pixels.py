# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawing painted into pixels, smooth at the edges. Letters come as triangles, from whoever has a font."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from ..geometry import Array, Indices, Mask
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
    fine = _filled([_FINE * side for side in shape], _FINE * (corners - [box[1].start, box[0].start]))
    covered = fine.reshape(shape[0], _FINE, shape[1], _FINE).mean(axis=(1, 3))
    _mix(picture, box, covered, text.colour)


def _filled(shape: Sequence[int], triangles: Array) -> Mask:
    """Return which squares (rows, columns) have their middles in any of the triangles (n, 3, 2)."""
    rows, columns = shape
    heights = triangles[..., 1]
    low, high = (_first_middle(ends, rows) for ends in (heights.min(axis=1), heights.max(axis=1)))
    which = np.repeat(np.arange(len(triangles)), high - low)
    row = np.arange(len(which)) + (low - np.cumsum(high - low) + high - low)[which]
    start, end = triangles[which], np.roll(triangles, -1, axis=1)[which]
    middle = row[:, None] + 0.5
    # Of the three edges it is two that are crossed, however the middle is rounded.
    is_crossed = (start[..., 1] <= middle) != (end[..., 1] <= middle)
    way = np.where(is_crossed, end[..., 1] - start[..., 1], 1.0)
    across = start[..., 0] + (middle - start[..., 1]) / way * (end[..., 0] - start[..., 0])
    left = _first_middle(np.where(is_crossed, across, np.inf).min(axis=1), columns)
    right = _first_middle(np.where(is_crossed, across, -np.inf).max(axis=1), columns)
    begun = np.zeros((rows, columns + 1), dtype=int)
    np.add.at(begun, (row, left), 1)
    np.add.at(begun, (row, right), -1)
    return np.cumsum(begun, axis=1)[:, :-1] > 0


def _first_middle(places: Array, count: int) -> Indices:
    """Return the first of ``count`` squares in a line whose middle is not before each of the places."""
    return np.clip(np.ceil(places - 0.5), 0, count).astype(int)


def _box(picture: Array, low: Array, high: Array) -> tuple[slice, slice]:
    """Return rows and columns of the picture between two corners."""
    height, width = picture.shape[:2]
    left, top = (int(np.clip(np.floor(v), 0, most)) for v, most in zip(low, (width, height), strict=True))
    right, bottom = (int(np.clip(np.ceil(v), 0, most)) for v, most in zip(high, (width, height), strict=True))
    return slice(top, max(bottom, top)), slice(left, max(right, left))


def _mix(picture: Array, box: tuple[slice, slice], cover: Array, colour: str) -> None:
    rgb = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    picture[box] += cover[..., None] * (rgb - picture[box])
