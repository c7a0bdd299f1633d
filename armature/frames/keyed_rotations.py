# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How bones are turned where their channels alone decide it, read from F-curves without going to any frame.

That is so where no constraint and no driver acts on the armature's bones, and one action moves them. Then a
bone's local rotation is what its rotation channels say in its rotation mode; even scales do not change it.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from bpy.types import FCurve, Object, PoseBone

from ...solvers.geometry import Array
from ..fcurves.actions import curves_of, is_muted, plays_strips
from ..fcurves.paths import Curves, bone_and_property, by_bone_and_property
from ..joints.rotation_modes import to_quaternions
from ..joints.turns import rotation_channels, rotation_path

_EVEN = 1e-6
_DECISIVE = ("constraints", "rotation_mode")


def acting_curves(ob: Object, taken: Iterable[FCurve] | None) -> list[FCurve] | None:
    """Return the F-curves that alone decide how the bones are turned, or None where more has a say.

    ``taken``: those of the one action that acts, or None for all that moves the armature at present.
    """
    animation, data = ob.animation_data, ob.data.animation_data
    if taken is None:
        if animation is None or plays_strips(animation):
            return None
        taken = curves_of(animation)
    curves = [curve for curve in taken if not is_muted(curve)]
    drivers = [curve.data_path for curve in animation.drivers] if animation else []
    driven = any(bone_and_property(path)[0] for path in drivers)
    switched = any(bone_and_property(curve.data_path)[1].startswith(_DECISIVE) for curve in curves)
    held = any(not constraint.mute for bone in ob.pose.bones for constraint in bone.constraints)
    settings = data is not None and (data.action or len(data.drivers) or len(data.nla_tracks))
    if driven or switched or held or settings or ob.data.pose_position == 'REST':
        return None
    return curves


def keyed_rotations(
    ob: Object, bones: Sequence[PoseBone], curves: Iterable[FCurve], times: Sequence[float]
) -> Array | None:
    """Return local rotations (times, bones, 4), ``wxyz``; None where scales that are uneven have a say."""
    by_place = by_bone_and_property(curves)
    if not all(_scaled_evenly(bone, by_place, times) for bone in ob.pose.bones):
        return None
    channels = np.zeros((len(times), len(bones), 4))
    for place, bone in enumerate(bones):
        name = rotation_path(bone.rotation_mode)
        channels[:, place] = _values(rotation_channels(bone), by_place.get((bone.name, name), ()), times)
    return to_quaternions(channels, [bone.rotation_mode for bone in bones])


def _scaled_evenly(bone: PoseBone, curves: Curves, times: Sequence[float]) -> bool:
    scales = _values(np.array(bone.scale), curves.get((bone.name, "scale"), ()), times)
    return bool((scales > _EVEN).all() and np.ptp(scales / scales[:, :1], axis=1).max() < _EVEN)


def _values(present: Array, curves: Iterable[FCurve], times: Sequence[float]) -> Array:
    """Return channels (times, n): what curves say, else the ``present`` ones (n,).

    Rounded to single precision, as Blender's channels are.
    """
    values = np.tile(present, (len(times), 1))
    for curve in curves:
        if curve.array_index < len(present):  # others animate nothing
            values[:, curve.array_index] = [curve.evaluate(time) for time in times]
    return values.astype(np.float32).astype(np.float64)
