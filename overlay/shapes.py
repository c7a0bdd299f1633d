# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A limit as lines and triangles, for any drawing.

Lengths are in bones. What the bone may point at is drawn on the unit sphere about its head, in the frame of
its rest pose, in which the solver's limits are. Its twist is drawn about its tip, in a frame that swings
with the bone. A shape belongs to a limit, so it is built once; what changes with the pose is where it is
put and whether the bone is at the limit.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import combinations, product
from math import pi

import numpy as np
from numpy.typing import NDArray

from ..solvers.geometry import Array
from ..solvers.limits import Limit
from .grouped import KEPT, group_of, values_of
from .limit_kinds import AT_LIMIT, Ranges, drawn_kind
from .patches import patch

FAN = 0.25  # radius of the twist's fan
_TICK = 0.7  # where the marks of a soft rim begin, as a share of the fan
_ROUNDING = 1e-6
_HEAD, _Y = np.zeros(3), np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Shape:
    """Triangles (t, 3, 3): ``fill``, and the ``wall`` from the head to an area's rim. Segments (s, 2, 3): the
    ``rim``, and the ``soft`` rim inside it. All are in single precision, as graphics cards have it.
    """

    fill: NDArray[np.float32]
    wall: NDArray[np.float32]
    rim: NDArray[np.float32]
    soft: NDArray[np.float32]

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, np.asarray(getattr(self, field.name), dtype=np.float32))


@dataclass(frozen=True, eq=False)
class PosedLimit:
    """Whether a bone is at its limit by its swing, by its twist; its twist's ``frame`` (3, 3) and ranges."""

    swing_at_limit: bool
    twist_at_limit: bool
    frame: Array
    ranges: Ranges


def swing_shape(limit: Limit) -> Shape:
    """Return where the bone may point: the same object for limits of the same values."""
    return _swing_shape(*values_of(limit))


def shapes_built() -> int:
    """Return how many shapes of limits were built so far, and not just looked up."""
    return _swing_shape.cache_info().misses


@lru_cache(maxsize=1)
def needle_shape() -> Shape:
    """Return the line that shows the twist on its fan, in the bone's own frame about its tip."""
    return Shape(_fans([]), _fans([]), np.array([[_HEAD, (0.0, 0.0, 1.2 * FAN)]]), _segments([]))


@lru_cache(maxsize=KEPT)
def twist_shape(ranges: Ranges, cushion: float = 0.0) -> Shape:
    """Return fans about +Y over ranges of the twist, 0 at +Z, about the bone's tip.

    Marks are ``cushion`` radians inside their ends.
    """
    arcs = [_around([*np.arange(low, high, pi / 90).tolist(), high]) for low, high in ranges]
    inner = [_around([low + cushion, high - cushion]) for low, high in ranges if 2 * cushion < high - low]
    return Shape(_fans(arcs), _fans([]), _segments([*arcs, *_spokes(arcs)]), _ticks(inner if cushion else []))


@lru_cache(maxsize=1)
def pointer_shape() -> Shape:
    """Return a mark at the tip of the bone, in the bone's own frame: a ring, and a line that goes on."""
    ring = _Y + 0.3 * _around(np.linspace(0, 2 * pi, 25))
    return Shape(_fans([]), _fans([]), _segments([ring, np.array([_Y, 1.15 * _Y])]), _segments([]))


@lru_cache(maxsize=1)
def dot_shape() -> Shape:
    """Return a disc of radius 1 in the plane of X and Y."""
    around = np.linspace(0, 2 * pi, 25)
    return _flat(np.stack([np.cos(around), np.sin(around), np.zeros(25)], axis=-1))


@lru_cache(maxsize=1)
def arrow_shape() -> Shape:
    """Return the head of an arrow along +X, which begins at the origin, in the plane of X and Y."""
    return _flat(np.array([_HEAD, (0.0, 1.1, 0.0), (1.8, 0.0, 0.0), (0.0, -1.1, 0.0), _HEAD]))


@lru_cache(maxsize=1)
def box_shape() -> Shape:
    """Return the box from -1 to 1 along each axis, as empties are drawn."""
    corners = np.array(list(product((-1.0, 1.0), repeat=3)))
    sides = [corners[corners[:, axis] == end] for axis in range(3) for end in (-1, 1)]
    walls = [side[list(three)] for side in sides for three in ((0, 1, 2), (1, 2, 3))]
    rim = [pair for pair in combinations(corners, 2) if np.linalg.norm(pair[0] - pair[1]) < 2 + _ROUNDING]
    return Shape(_fans([]), np.array(walls), np.array(rim), _segments([]))


def posed_limit(limit: Limit, local: Array) -> PosedLimit:
    """Return how the bone stands at the rotation ``local`` (3, 3), to a hundred-thousandth."""
    return _posed_limit(tuple(np.round(local, 5).ravel().tolist()), *values_of(limit))


@lru_cache(maxsize=KEPT)
def _posed_limit(local: tuple[float, ...], kind: type, *values: Hashable) -> PosedLimit:
    limit, rotation = kind("", *values), np.reshape(local, (3, 3))
    return PosedLimit(*at_limit(limit, rotation), *drawn_kind(limit).twist(limit, rotation))


def at_limit(limit: Limit, local: Array) -> tuple[bool, bool]:
    """Return whether the rotation ``local`` (3, 3) is at the limit or past it: by its swing, by its twist."""
    group = group_of(limit)
    _, room = group.room(local[None, None])
    twists, locked = drawn_kind(limit).columns(limit, room.shape[-1])
    close = (room[0, 0] <= AT_LIMIT) & ~locked
    return bool(close[~twists].any()), bool(close[twists].any())


@lru_cache(maxsize=KEPT)
def _swing_shape(kind: type, *values: Hashable) -> Shape:
    limit = kind("", *values)
    outer = drawn_kind(limit).region(limit)
    inner = drawn_kind(limit).region(limit, limit.cushion) if limit.cushion else None
    rim = np.concatenate([np.empty((0, 3)), *outer.rims])
    return Shape(
        patch(outer.inside, rim) if len(rim) else _fans(outer.lines),
        _fans(outer.rims),
        _segments([*outer.rims, *outer.lines, *_spokes(outer.lines)]),
        np.concatenate([_segments(inner.rims), _ticks(inner.lines)]) if inner else _segments([]),
    )


def _around(angles: Sequence[float]) -> Array:
    return FAN * np.stack([np.sin(angles), np.zeros(len(angles)), np.cos(angles)], axis=-1)


def _segments(lines: Sequence[Array]) -> Array:
    pairs = [np.stack([line[:-1], line[1:]], axis=1) for line in lines]
    return np.concatenate([np.empty((0, 2, 3)), *pairs])


def _fans(lines: Sequence[Array]) -> Array:
    """Return the triangles between the head and the lines."""
    pairs = _segments(lines)
    return np.concatenate([np.zeros((len(pairs), 1, 3)), pairs], axis=1)


def _flat(line: Array) -> Shape:
    return Shape(_fans([line]), _fans([]), _segments([line]), _segments([]))


def _spokes(lines: Sequence[Array]) -> list[Array]:
    """Return a line from the head to either end of each that is not closed."""
    open_lines = [line for line in lines if np.linalg.norm(line[0] - line[-1]) > _ROUNDING]
    return [np.stack([_HEAD, end]) for line in open_lines for end in (line[0], line[-1])]


def _ticks(lines: Sequence[Array]) -> Array:
    ends = np.concatenate([np.empty((0, 3)), *(line[[0, -1]] for line in lines)])
    return np.stack([_TICK * ends, ends], axis=1)
