# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of one F-curve as arrays: read, replaced and written in one go."""

from collections.abc import Sequence
from functools import cache

import bpy
import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...solvers.geometry import Array, Mask
from ...solvers.keys import Curve

Keys = dict[str, NDArray]

_PLACES = ("co", "handle_left", "handle_right")
_NUMBERS = ("amplitude", "back", "period")
_FLAGS = ("select_control_point", "select_left_handle", "select_right_handle")
_CHOICES = ("easing", "handle_left_type", "handle_right_type", "interpolation", "type")
_OF_KEYS = (*_PLACES, *_NUMBERS, *_CHOICES)
WHOLE = (*_OF_KEYS, *_FLAGS)
_MARGIN = 1e-3  # frames; keys this near to a baked one are the same key
_NEW = {"interpolation": 'BEZIER', "handle_left_type": 'AUTO_CLAMPED', "handle_right_type": 'AUTO_CLAMPED'}
# All else of new keys is as Blender adds them; it places automatic handles when the curve is updated.
_GIVEN = ("co", *_NEW)


def replace_keys(curve: FCurve, times: Array, values: Array) -> None:
    """Replace the keys from the first to the last of the ascending ``times`` (frames,); others stay."""
    others = len(curve.keyframe_points)
    _replace(curve, times, new_keys(times, values, _OF_KEYS if others else _GIVEN))


def replace_by_fewer(curve: FCurve, times: Array, fewer: Curve) -> None:
    """Replace the keys from the first to the last of the ascending times (frames,) by a curve's.

    Its keys are counted in the times. Handles are a third of the way to the next key: so Blender's cubic is
    one in time. What the curve is before the first time and after the last does not change.
    """
    at, lengths = times[fewer.keys], np.diff(fewer.keys) / 3
    before, after = np.append(lengths[:1], lengths), np.append(lengths, lengths[-1:])
    steps = np.gradient(times)[fewer.keys]
    new = new_keys(at, fewer.values)
    left, right = (way * part for way, part in ((-1, before), (1, after)))
    new["handle_left"] = np.stack([at + left * steps, fewer.values + left * fewer.slopes[0]], axis=1)
    new["handle_right"] = np.stack([at + right * steps, fewer.values + right * fewer.slopes[1]], axis=1)
    for name in ("handle_left_type", "handle_right_type"):
        choices = bpy.types.Keyframe.bl_rna.properties[name].enum_items
        kinds = np.where(fewer.smooth, choices['ALIGNED'].value, choices['FREE'].value)
        kinds[[0, -1]] = choices['FREE'].value
        new[name] = kinds[:, None]
    _keep_outside(new, read_keys(curve), times)
    _replace(curve, times, new)


def _keep_outside(new: Keys, old: Keys, times: Array) -> None:
    """Give the first and the last new key what the curve beyond them depends on."""
    before, after = _beyond(old, times)
    first, last = np.flatnonzero(~(before | after))[[0, -1]]
    new["handle_left"][0] = old["handle_left"][first]
    for name in ("handle_right", "interpolation", "easing", *_NUMBERS):
        new[name][-1] = old[name][last]


def _beyond(keys: Keys, times: Array) -> tuple[Mask, Mask]:
    """Return which keys are before the first of the times, and which are after the last."""
    at = keys["co"][:, 0]
    return at < times[0] - _MARGIN, at > times[-1] + _MARGIN


def _replace(curve: FCurve, times: Array, new: Keys) -> None:
    old = read_keys(curve, tuple(new))
    before, after = _beyond(old, times)
    kept = {name: (values[before], values[after]) for name, values in old.items()}
    write_keys(curve, {name: np.concatenate([kept[name][0], new[name], kept[name][1]]) for name in new})


def write_switch(curve: FCurve, times: Array, values: Array) -> None:
    """Replace all keys of the curve by ones (frames,) whose values stay until the next."""
    constant = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items['CONSTANT'].value
    keys = new_keys(times, values)
    write_keys(curve, keys | {"interpolation": np.full((len(times), 1), constant)})


def read_keys(curve: FCurve, names: tuple[str, ...] = _OF_KEYS) -> Keys:
    """Return what the curve's keys are; ``WHOLE``: which are selected, too."""
    count, keys = len(curve.keyframe_points), {}
    for name in names:
        width = 2 if name in _PLACES else 1
        values = np.empty(count * width, _kind(name))
        curve.keyframe_points.foreach_get(name, values)
        keys[name] = values.reshape(count, width)
    return keys


def new_keys(times: Array, values: Array, names: Sequence[str] = _OF_KEYS) -> Keys:
    """Return these parts of smooth keys with automatic handles."""
    places = np.stack([times, values], axis=1)
    return {
        name: places.copy() if name in _PLACES else np.full((len(times), 1), _value_of_new(name))
        for name in names
    }


@cache  # looked up for each of some hundred curves
def _value_of_new(name: str) -> float:
    """Return what a new key has, choices as numbers."""
    prop = bpy.types.Keyframe.bl_rna.properties[name]
    return prop.enum_items[_NEW.get(name, prop.default)].value if name in _CHOICES else prop.default


def write_keys(curve: FCurve, keys: Keys) -> None:
    """Replace all keys of the curve."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys["co"]))
    # Types before places: a handle's place only counts once its type lets it.
    for name in sorted(keys, key=_PLACES.__contains__):
        points.foreach_set(name, keys[name].astype(_kind(name)).ravel())
    curve.update()


def _kind(name: str) -> type:
    return np.int32 if name in _CHOICES else bool if name in _FLAGS else np.float32
