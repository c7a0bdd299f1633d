# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a range written so that an F-curve beside the range stays as it was, in frames and between them.

First the curve gets a key on each border, which does not change it: a segment is divided as de Casteljau
divides Bezier curves. Then the keys between are replaced, and automatic handles beside them that would come
to lie elsewhere are made free where they lie. Segments with an easing of their own, as bounces, cannot be
divided: what they show beside the border changes. So does what a Cycles modifier makes beyond the keys.
"""

from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np
from bpy.types import FCurve

from ...solvers.geometry import Array
from .keys import Keys, new_keys, read_keys, write_keys

_MARGIN = 1e-3  # frames; keys this near are the same key
_MOVED = 1e-5  # of the size of the curve: a handle that is elsewhere
_BISECTIONS = 50
_LEFT, _RIGHT = "handle_left", "handle_right"


@dataclass(frozen=True)
class Borders:
    """The last time ``before`` a range and the first ``after`` it at which a curve stays as it was.

    None where nothing has to. ``still``: the value of a curve that has no keys.
    """

    before: float | None
    after: float | None
    still: float


def replace_between(curve: FCurve, times: Array, values: Array, borders: Borders) -> None:
    """Replace the keys from the first to the last of the ascending ``times`` (frames,); others stay.

    And so does the curve beside the ``borders``.
    """
    keys, new = _with_own_slopes(curve, read_keys(curve), borders), new_keys(times, values)
    for border in (borders.before, borders.after):
        if border is not None:
            keys = _divided(curve, keys, border, borders.still)
    at = keys["co"][:, 0]
    before, after = (
        {name: part[beside] for name, part in keys.items()}
        for beside in (at < times[0] - _MARGIN, at > times[-1] + _MARGIN)
    )
    if borders.before is not None and len(before["co"]):
        _lead(before, -1, _RIGHT, new["co"][0])
    if borders.after is not None and len(after["co"]):
        _lead(after, 0, _LEFT, new["co"][-1])
    joined = {name: np.concatenate([before[name], new[name], after[name]]) for name in new}
    beside = np.ones(len(joined["co"]), bool)
    beside[len(before["co"]) : len(before["co"]) + len(new["co"])] = False
    _write(curve, joined, np.flatnonzero(beside))


def _write(curve: FCurve, keys: Keys, beside: Array) -> None:
    """Write the keys; handles of those ``beside`` the range that Blender would move are made free."""
    free, size = _free_handle(), np.ptp(keys["co"], axis=0) + 1e-3 * np.abs(keys["co"]).max(axis=0)
    while True:
        write_keys(curve, keys)
        found = read_keys(curve, (_LEFT, _RIGHT))
        apart = np.max([np.abs(found[name] - keys[name]) / (size + 1e-9) for name in found], axis=(0, 2))
        is_free = (keys[f"{_LEFT}_type"] == free).all(axis=1) & (keys[f"{_RIGHT}_type"] == free).all(axis=1)
        moved = beside[(apart[beside] > _MOVED) & ~is_free[beside]]
        if not len(moved):
            return
        for name in (_LEFT, _RIGHT):
            keys[f"{name}_type"][moved] = free


def _with_own_slopes(curve: FCurve, keys: Keys, borders: Borders) -> Keys:
    """Return the keys with handles for what a curve that goes on straight takes from the keys at its ends.

    Beyond a key of linear interpolation Blender goes on as from the next key, which may be another now.
    """
    at = keys["co"][:, 0]
    if curve.extrapolation != 'LINEAR' or not len(at):
        return keys
    # The border divides the straight line from an earlier first key to the next one.
    first = at[-1] if len(at) == 1 else borders.before
    if borders.before is not None and first - _MARGIN <= at[0] <= borders.before + _MARGIN:
        _give_slope(keys, 0, _LEFT, -1.0)
    if borders.after is not None and at[-1] >= borders.after - _MARGIN:
        _give_slope(keys, -1, _RIGHT, 1.0)
    return keys


def _give_slope(keys: Keys, end: int, handle: str, way: float) -> None:
    """Give the key at an end of linear interpolation a handle that says where the curve goes on."""
    if keys["interpolation"][end, 0] != _choice("interpolation", 'LINEAR'):
        return
    next_key = keys["co"][-2:][0] if end else keys["co"][:2][-1]
    on = keys["co"][end] - next_key
    keys[handle][end] = keys["co"][end] + (on if on.any() else [way, 0.0])
    keys["interpolation"][end] = _choice("interpolation", 'BEZIER')
    for name in (_LEFT, _RIGHT):
        keys[f"{name}_type"][end] = _free_handle()


def _lead(keys: Keys, key: int, handle: str, inner: Array) -> None:
    """Let a key's handle point to the ``inner`` one, and have both of its handles stay where they are."""
    keys[handle][key] = keys["co"][key] + (inner - keys["co"][key]) / 3
    for name in (_LEFT, _RIGHT):
        keys[f"{name}_type"][key] = _free_handle()


def _divided(curve: FCurve, keys: Keys, time: float, still: float) -> Keys:
    """Return the keys with one at the time that leaves the curve as it is."""
    at = keys["co"][:, 0]
    place, count = int(np.searchsorted(at, time)), len(at)
    if count and np.abs(at - time).min() <= _MARGIN:
        return keys
    beyond = place in (0, count)
    if beyond and any(not modifier.mute and modifier.type == 'CYCLES' for modifier in curve.modifiers):
        return keys  # which repeats what is in the range
    value_at = curve.evaluate if len(curve.keyframe_points) else lambda _: still
    own = new_keys(np.array([time]), np.array([value_at(time)]))
    keys = {name: part.copy() for name, part in keys.items()}
    for name, way in ((_LEFT, -1), (_RIGHT, 1)):
        own[name][0] = time + way / 3, value_at(time + way / 3)
        own[f"{name}_type"][:] = _free_handle()
    if not beyond:
        _divide_segment(keys, own, place)
    elif count:  # between the two the curve is straight
        end, inner, outer = (-1, _RIGHT, _LEFT) if place else (0, _LEFT, _RIGHT)
        way = own["co"][0] - keys["co"][end]
        keys[inner][end], own[outer][0] = keys["co"][end] + way / 3, keys["co"][end] + way * 2 / 3
        if place:
            keys["interpolation"][end] = own["interpolation"][0]
    return {name: np.insert(part, place, own[name], axis=0) for name, part in keys.items()}


def _divide_segment(keys: Keys, own: Keys, place: int) -> None:
    """Give a key ``own`` between others what its segment is, and have handles divide it."""
    for name in ("interpolation", "easing", "amplitude", "back", "period"):
        own[name][0] = keys[name][place - 1]
    if own["interpolation"][0, 0] != _choice("interpolation", 'BEZIER'):
        return
    ends = keys["co"][place - 1].astype(float), keys["co"][place].astype(float)
    handles = keys[_RIGHT][place - 1].astype(float), keys[_LEFT][place].astype(float)
    points = [ends[0], *_within(ends, handles), ends[1]]
    share, first, last = _share(np.array(points)[:, 0], float(own["co"][0, 0])), [], []
    while len(points) > 1:
        first, last = [*first, points[0]], [points[-1], *last]
        points = [(1 - share) * a + share * b for a, b in pairwise(points)]
    keys[_RIGHT][place - 1], own[_LEFT][0] = first[1], first[2]
    own[_RIGHT][0], keys[_LEFT][place] = last[0], last[1]
    own["co"][0, 1] = points[0][1]


def _within(ends: tuple[Array, Array], handles: tuple[Array, Array]) -> list[Array]:
    """Return handles that reach no farther in time than to the other end, as Blender shortens them."""
    length = ends[1][0] - ends[0][0]
    ways = [handle - end for end, handle in zip(ends, handles, strict=True)]
    return [
        end + way * min(1.0, length / abs(way[0])) if way[0] else end + way
        for end, way in zip(ends, ways, strict=True)
    ]


def _share(times: Array, time: float) -> float:
    """Return at which parameter of a Bezier curve with these ``times`` (4,) of its points it is at a time."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        rest = 1 - middle
        weights = rest**3, 3 * rest**2 * middle, 3 * rest * middle**2, middle**3
        low, high = (middle, high) if np.dot(weights, times) < time else (low, middle)
    return 0.5 * (low + high)


def _free_handle() -> int:
    return _choice(f"{_LEFT}_type", 'FREE')


def _choice(name: str, kind: str) -> int:
    """Return the number of one of the choices of a key's property."""
    return bpy.types.Keyframe.bl_rna.properties[name].enum_items[kind].value
