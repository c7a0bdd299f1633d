# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of Blender's type *Generated*, which were made between those that somebody has placed.

They say what comes of placed keys: once another one is placed, those between it and the next are out of date.
"""

from collections.abc import Mapping

import bpy
import numpy as np
from bpy.types import FCurve, Object, PoseBone

from ...solvers.geometry import Array, Mask
from .actions import curves_of
from .keys import Keys, read_keys

_MARGIN = 1e-3  # frames; keys this near are the same key


def placed_times(curve: FCurve) -> Array:
    """Return when the curve has keys (keys,) that somebody has placed."""
    keys = read_keys(curve, ("co", "type"))
    return keys["co"][~_are_generated(keys), 0]


def placed_keys(ob: Object) -> dict[tuple[str, int], Array]:
    """Return the ``placed_times`` of the object's curves, by their paths and indices."""
    curves = curves_of(ob.animation_data)
    return {(curve.data_path, curve.array_index): placed_times(curve) for curve in curves}


def mark_generated(ob: Object, placed: Mapping[tuple[str, int], Array]) -> None:
    """Have all keys of the object count as generated that were not ``placed``, as of ``placed_keys``."""
    for curve in curves_of(ob.animation_data):
        at = read_keys(curve, ("co",))["co"][:, 0]
        own = placed.get((curve.data_path, curve.array_index), np.empty(0))
        for key in np.flatnonzero(~_are_near(at, own)).tolist():
            curve.keyframe_points[key].type = 'GENERATED'


def count_generated(ob: Object) -> int:
    """Return how many keys of the object were generated."""
    curves = curves_of(ob.animation_data)
    return sum(int(_are_generated(read_keys(curve, ("type",))).sum()) for curve in curves)


def place_key(owner: PoseBone | Object, path: str, curve: FCurve, time: float) -> None:
    """Have a key of the owner's property at this time count as placed, and remove the generated keys beside
    it.

    These are all up to the next placed keys on both sides. Blender itself keeps the type of a key that was
    generated. Each key is removed by Blender's own function. If keys were changed in the curve itself,
    Blender would animate all of the action anew, now and after an undo, and what is posed and not keyed would
    be lost.
    """
    keys = read_keys(curve, ("co", "type"))
    at, generated = keys["co"][:, 0], _are_generated(keys)
    if not (generated.any() and _are_near(at, np.array([time])).any()):
        return
    index, group = curve.array_index, curve.group.name if curve.group else ""
    placed = at[~generated]
    first = placed[placed < time - _MARGIN].max(initial=-np.inf)
    last = placed[placed > time + _MARGIN].min(initial=np.inf)
    for stale in at[generated & (at > first) & (at < last)].tolist():
        owner.keyframe_delete(path, index=index, frame=stale)
    owner.keyframe_insert(path, index=index, frame=time, group=group)


def _are_generated(keys: Keys) -> Mask:
    return keys["type"][:, 0] == _value_of('GENERATED')


def _are_near(at: Array, times: Array) -> Mask:
    """Return which of the times (n,) are among other ``times`` (m,)."""
    return (np.abs(at[:, None] - times) < _MARGIN).any(axis=1)


def _value_of(kind: str) -> int:
    return int(bpy.types.Keyframe.bl_rna.properties["type"].enum_items[kind].value)
