# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one door between the comfort that a bone stores and the solver's."""

import numpy as np
from bpy.types import PoseBone, PropertyGroup

from ...solvers import Comfort, OneWay
from ...solvers.geometry import Array, matrix_to_quaternion, quaternion_to_matrix
from ...solvers.posture import MOST_TIES
from .made import forget_made


def read_comfort(bone: PoseBone) -> Comfort | None:
    """Return the bone's comfort, None where it has none; stores nothing.

    Raises ComfortError naming the bone if it cannot be used.
    """
    # Merely reading a group would store it.
    if not (bone.is_property_set("superpose") and bone.superpose.is_property_set("comfort")):
        return None
    stored = bone.superpose.comfort
    if not stored.is_set:
        return None
    axes = quaternion_to_matrix(_unit(stored.spread_axes))
    spread = (axes * np.square(stored.spread)) @ axes.T
    return Comfort(bone.name, _unit(stored.rotation), spread, _one_way(stored), _ties(stored))


def store_comfort(bone: PoseBone, comfort: Comfort | None) -> None:
    """Make the comfort the bone's own, in place of what it had; None leaves it without."""
    if bone.is_property_set("superpose"):
        bone.superpose.property_unset("comfort")
        forget_made(bone, 'COMFORT')
    if comfort is None:
        return
    values, axes = np.linalg.eigh(comfort.spread)
    axes *= np.sign(np.linalg.det(axes))
    stored = bone.superpose.comfort
    stored.is_set = True
    stored.rotation = comfort.rotation
    stored.spread = np.sqrt(np.maximum(values, 0.0))
    stored.spread_axes = matrix_to_quaternion(axes)
    if comfort.one_way:
        stored.limb, stored.towards = comfort.one_way.limb, comfort.one_way.towards
    if comfort.ties is not None:
        stored.ties = np.pad(comfort.ties, ((0, 0), (0, MOST_TIES - comfort.ties.shape[1]))).ravel()


def _one_way(stored: PropertyGroup) -> OneWay | None:
    """Return to which side the bone's limb bends, None where that is stored of none."""
    return OneWay(stored.limb, stored.towards) if any(stored.limb) and any(stored.towards) else None


def _ties(stored: PropertyGroup) -> Array | None:
    """Return how the joint strays with others, None where it strays alone."""
    return np.array(stored.ties).reshape(3, MOST_TIES) if any(stored.ties) else None


def _unit(quaternion: Array) -> Array:
    """Return the quaternion, stored in single precision, at unit length; one of no length as it is."""
    values = np.array(quaternion, dtype=np.float64)
    return values / (np.linalg.norm(values) or 1.0)
