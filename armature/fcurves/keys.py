# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of one F-curve as arrays: read, replaced and written in one go."""

import bpy
import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

from ...solvers.rotation import Array

Keys = dict[str, NDArray]

_PLACES = ("co", "handle_left", "handle_right")
_NUMBERS = ("amplitude", "back", "period")
_CHOICES = ("easing", "handle_left_type", "handle_right_type", "interpolation", "type")
_MARGIN = 1e-3  # frames; keys this near to a baked one are the same key
_NEW = {"interpolation": 'BEZIER', "handle_left_type": 'AUTO_CLAMPED', "handle_right_type": 'AUTO_CLAMPED'}


def replace_keys(curve: FCurve, times: Array, values: Array) -> None:
    """Replace the keys from the first to the last of the ascending ``times`` (frames,); others stay."""
    old = _read(curve)
    at = old["co"][:, 0]
    before, after = at < times[0] - _MARGIN, at > times[-1] + _MARGIN
    new = _new_keys(times, values)
    _write(curve, {name: np.concatenate([old[name][before], new[name], old[name][after]]) for name in new})


def _read(curve: FCurve) -> Keys:
    count, keys = len(curve.keyframe_points), {}
    for name in (*_PLACES, *_NUMBERS, *_CHOICES):
        width = 2 if name in _PLACES else 1
        values = np.empty(count * width, np.int32 if name in _CHOICES else np.float32)
        curve.keyframe_points.foreach_get(name, values)
        keys[name] = values.reshape(count, width)
    return keys


def _new_keys(times: Array, values: Array) -> Keys:
    """Return smooth keys with automatic handles, which Blender places when the curve is updated."""
    properties, count = bpy.types.Keyframe.bl_rna.properties, len(times)
    keys: Keys = {name: np.stack([times, values], axis=1) for name in _PLACES}
    for name in _NUMBERS:
        keys[name] = np.full((count, 1), properties[name].default)
    for name in _CHOICES:
        choice = properties[name].enum_items[_NEW.get(name, properties[name].default)].value
        keys[name] = np.full((count, 1), choice)
    return keys


def _write(curve: FCurve, keys: Keys) -> None:
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys["co"]))
    # Types before places: a handle's place only counts once its type lets it.
    for name in (*_CHOICES, *_NUMBERS, *_PLACES):
        points.foreach_set(name, keys[name].astype(np.int32 if name in _CHOICES else np.float32).ravel())
    curve.update()
