# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys Blender would leave out, as the user wants it, with a warning in the console for each."""

import numpy as np
from bpy.types import FCurve, Object

from .actions import curves_of, plays_strips

_SAME_ROUNDED = 32  # steps of single precision that Blender takes for the same value


def plain_curves(ob: Object) -> dict[tuple[str, int], FCurve]:
    """Return the curves that keys go into as they are, by path and index: none that strips or modifiers have
    a say in."""
    animation = ob.animation_data
    if animation is None or plays_strips(animation):
        return {}
    return {
        (curve.data_path, curve.array_index): curve
        for curve in curves_of(animation)
        if not len(curve.modifiers)
    }


def refuses(curve: FCurve, options: set[str], frame: float, value: float) -> bool:
    """Return whether a curve takes no key of a value: where only needed keys are wanted, and it has the value
    there, to the rounding that Blender goes by; where keys are only replaced, and there is none."""
    there = next((point.co.y for point in curve.keyframe_points if point.co.x == frame), None)
    if 'INSERTKEY_REPLACE' in options and there is None and len(curve.keyframe_points):
        return True
    if 'INSERTKEY_NEEDED' not in options or not len(curve.keyframe_points):
        return False
    if there is not None:
        return there == value
    off, size = abs(curve.evaluate(frame) - value), np.float32(abs(value))
    return bool(off <= max(np.finfo(np.float32).eps, _SAME_ROUNDED * np.spacing(size)))
