# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint's mirror image for the bone on the other side of the body, whatever the rolls of both.

With rest rotations A and A' in armature space and M the reflection in X, the mirror image of a bone's turn
``q`` is ``B q B^T`` with ``B = A'^T M A``: then whole mirrored poses look mirrored.
"""

import numpy as np
from bpy.types import PoseBone

from ...solvers import Comfort, Cones, Ellipse, EulerLimit, Hinge, OneWay
from ...solvers.geometry import Array, matrix_to_quaternion, quaternion_to_matrix, rotation_vector_to_matrix
from ...solvers.limits import ALONG, Limit
from ..errors import RigError
from ..setup.comfort import read_comfort
from ..setup.limits import read_limit

_REFLECTION = np.diag([-1.0, 1.0, 1.0])
_UP = np.array([0.0, 1.0, 0.0])
_ALIGNED = 1e-3
# Bones that point farther apart than that, in radians, are no pair.
_LOPSIDED = 0.5


def mirrored_limit(bone: PoseBone, other: PoseBone) -> Limit | None:
    """Return the mirror image of the bone's own limit for the other bone; None where that is free.

    Raises RigError naming the bones where it cannot be said in the kind that it has.
    """
    limit = read_limit(bone)
    return _MIRRORS[type(limit)](limit, bone.name, other.name, mirror_image(bone, other)) if limit else None


def mirrored_comfort(bone: PoseBone, other: PoseBone) -> Comfort | None:
    """Return the mirror image of the bone's comfort for the other bone; None where it has none."""
    comfort = read_comfort(bone)
    if comfort is None:
        return None
    image = mirror_image(bone, other)
    rotation = matrix_to_quaternion(image @ quaternion_to_matrix(comfort.rotation) @ image.T)
    way = comfort.one_way
    mirrored = OneWay(image @ way.limb, image @ way.towards) if way else None
    return Comfort(other.name, rotation, image @ comfort.spread @ image.T, mirrored)


def mirror_image(bone: PoseBone, other: PoseBone) -> Array:
    """Return ``B``; raises RigError naming bones that are far from mirroring each other at rest."""
    image = rest_rotation(other).T @ _REFLECTION @ rest_rotation(bone)
    apart = np.arccos(np.clip(image[1, 1], -1, 1))
    if apart > _LOPSIDED:
        raise RigError(
            f"'{other.name}' does not mirror '{bone.name}' at rest: "
            f"they point {np.degrees(apart):.0f} degrees apart across the armature's X axis"
        )
    return image


def rest_rotation(bone: PoseBone) -> Array:
    """Return the bone's rotation (3, 3) at rest, bone_to_armature."""
    return np.array(bone.bone.matrix_local, dtype=np.float64)[:3, :3]


def _hinge(limit: Hinge, _bone: str, other: str, image: Array) -> Hinge:
    # A reflection turns the sense of rotations round, so the axis is negated.
    return Hinge(other, _numbers(-image @ limit.axis), limit.lower, limit.upper, limit.cushion, limit.play)


def _cones(limit: Cones, _bone: str, other: str, image: Array) -> Cones:
    along = limit.limb == ALONG
    image = _about_the_bone(image) if along else image
    cones = tuple((_numbers(image @ direction), radius) for direction, radius in limit.cones)
    limb = ALONG if along else _numbers(image @ limit.limb)
    return Cones(other, cones, -limit.upper, -limit.lower, limit.cushion, limb)


def _ellipse(limit: Ellipse, bone: str, other: str, image: Array) -> Ellipse:
    signs = _signs(-_about_the_bone(image), bone, other)
    radii = [0.0] * 4
    for old, axis in enumerate((0, 2)):
        new, sign = _image_of(signs, axis)
        pair = limit.radii[2 * old : 2 * old + 2]
        radii[new : new + 2] = pair if sign > 0 else pair[::-1]
    return Ellipse(other, tuple(radii), -limit.upper, -limit.lower, limit.cushion)


def _euler(limit: EulerLimit, bone: str, other: str, image: Array) -> EulerLimit:
    signs = _signs(-image, bone, other)
    order = "".join("XYZ"[int(np.argmax(np.abs(signs[:, "XYZ".index(axis)])))] for axis in limit.order)
    ends = signs @ limit.lower[0], signs @ limit.upper[0]
    return EulerLimit(other, order, np.minimum(*ends), np.maximum(*ends), limit.cushion)


def _about_the_bone(image: Array) -> Array:
    """Return the reflection that leaves +Y where it is.

    So bones that do not quite mirror each other at rest keep their limits about themselves.
    """
    axis = np.cross(image @ _UP, _UP)
    sine = np.linalg.norm(axis)
    if sine < 1e-12:
        return image
    angle = np.arctan2(sine, (image @ _UP) @ _UP)
    return rotation_vector_to_matrix(axis * (angle / sine)) @ image


def _signs(turn: Array, bone: str, other: str) -> Array:
    """Return the signed permutation (3, 3) that takes axes to axes; raises RigError if they do not match."""
    signs = np.round(turn)
    if np.abs(turn - signs).max() > _ALIGNED:
        raise RigError(
            f"The axes of '{other}' do not mirror those of '{bone}', as ellipses and angles would need: "
            "give it a hinge or cones, or recalculate the roll of one of them"
        )
    return signs


def _image_of(signs: Array, axis: int) -> tuple[int, float]:
    """Return where the radii of an axis go, 0 for X and 2 for Z, and whether they keep their sense."""
    new = int(np.argmax(np.abs(signs[:, axis])))
    return new, signs[new, axis]


def _numbers(vector: Array) -> tuple[float, ...]:
    return tuple(vector.tolist())


_MIRRORS = {Hinge: _hinge, Cones: _cones, Ellipse: _ellipse, EulerLimit: _euler}
