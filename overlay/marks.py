# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks of a fixed size on the screen: a place in the scene, and around it triangles in pixels.

Where the places are on the screen is left to the graphics card, so marks are built anew only when they
change, not when the view does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import pi
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..solvers.geometry import Array, Mask

Kind = Literal['SQUARE', 'DISC', 'RING', 'DOT', 'HALO']
Colour = tuple[float, float, float]
Place = tuple[float, float, float]

# Corners of the outline, and radii in pixels from where to where a mark has its own colour.
_OUTLINES = {
    'SQUARE': (4, 0.0, 7.5),
    'DISC': (24, 0.0, 5.5),
    'RING': (24, 3.5, 6.0),
    'DOT': (12, 0.0, 3.0),
    'HALO': (24, 11.0, 13.0),
}
_RIM, _FEATHER = 1.5, 1.0  # pixels: how wide the rim is, and how it fades into what is behind
_RIM_OPACITY = 0.8
_BLACK: Colour = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Mark:
    """A mark of a ``kind`` at a ``place`` in the scene, in its ``colour``, with a ``rim`` of another one."""

    place: Place
    kind: Kind
    colour: Colour
    rim: Colour = _BLACK


@dataclass(frozen=True, eq=False)
class Triangles:
    """Corners of triangles, (corners, ...): ``places`` (3) in the scene, ``offsets`` (2) from there in
    pixels, and ``colours`` (4) with their opacity. All in single precision, as graphics cards have it."""

    places: NDArray[np.float32]
    offsets: NDArray[np.float32]
    colours: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class _Form:
    """A kind of mark: ``offsets`` (corners, 2), ``is_rim`` (corners,) and ``opacities`` (corners, 1)."""

    offsets: Array
    is_rim: Mask
    opacities: Array


def triangles(marks: Sequence[Mark]) -> Triangles:
    """Return the marks for the graphics card; of those in one place the last is in front."""
    forms = [_form(mark.kind) for mark in marks]
    places = [np.tile(mark.place, (len(form.offsets), 1)) for mark, form in zip(marks, forms, strict=True)]
    colours = [
        np.hstack([np.where(form.is_rim[:, None], mark.rim, mark.colour), form.opacities])
        for mark, form in zip(marks, forms, strict=True)
    ]
    return Triangles(_joined(places, 3), _joined([form.offsets for form in forms], 2), _joined(colours, 4))


@cache
def _form(kind: Kind) -> _Form:
    """Return the bands that a mark is made of, from the middle outwards."""
    corners, inner, outer = _OUTLINES[kind]
    rims = [(outer, outer + _RIM, _RIM_OPACITY, _RIM_OPACITY)]
    rims.append((outer + _RIM, outer + _RIM + _FEATHER, _RIM_OPACITY, 0.0))
    if inner:
        rims.append((inner - _RIM, inner, _RIM_OPACITY, _RIM_OPACITY))
        rims.append((inner - _RIM - _FEATHER, inner - _RIM, 0.0, _RIM_OPACITY))
    bands = [_band(corners, inner, outer), *(_band(corners, low, high) for low, high, _, _ in rims)]
    opacities = [np.ones(len(bands[0])), *(_shares(corners, low, high) for _, _, low, high in rims)]
    is_rim = np.arange(sum(map(len, bands))) >= len(bands[0])
    return _Form(np.concatenate(bands), is_rim, np.concatenate(opacities)[:, None])


def _band(corners: int, inner: float, outer: float) -> Array:
    """Return the triangles (6 corners of each side, 2) between two outlines about the middle."""
    angles = 2 * pi * (np.arange(corners + 1) + 0.5) / corners
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    low, high = inner * around, outer * around
    return np.stack([low[:-1], high[:-1], high[1:], low[:-1], high[1:], low[1:]], axis=1).reshape(-1, 2)


def _shares(corners: int, inner: float, outer: float) -> Array:
    """Return what the corners of ``_band`` have, being ``inner`` or ``outer``."""
    return np.tile([inner, outer, outer, inner, outer, inner], corners)


def _joined(parts: Sequence[Array], width: int) -> NDArray[np.float32]:
    return np.concatenate([np.empty((0, width)), *parts]).astype(np.float32)
