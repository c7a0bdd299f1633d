# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a bone's own axes goes along its limb, to the front and aside at rest: rigs differ in rolls."""

from itertools import permutations

import numpy as np
from bpy.types import Bone, Object

from ...bodies import Body
from ...solvers.geometry import Array

# A limb that goes forward like this has no front of its own: what is up takes its place.
_FORWARD = 0.8


def limb_axes(ob: Object, body: Body, name: str) -> tuple[int, ...]:
    """Return the places, 0 to 2, of the bone's axes that are nearest to along, front and aside of its limb.

    Where the body tells no directions, the axes are as they are.
    """
    alike = np.abs(limb_to_bone(ob, body, name).T)
    return max(permutations(range(3)), key=lambda axes: round(float(alike[range(3), axes].sum()), 6))


def limb_to_bone(ob: Object, body: Body, name: str) -> Array:
    """Return the rotation (3, 3) from along, front and aside of a bone's limb to its own axes at rest.

    Where the body tells no directions, the axes are as they are.
    """
    bone = ob.data.bones[name]
    along = _along(bone, body)
    if body.up is None or body.forward is None or along is None:
        return np.eye(3)
    front = body.up if abs(along @ body.forward) > _FORWARD else body.forward
    front = front - (front @ along) * along
    front /= np.linalg.norm(front)
    limb_to_armature = np.stack([along, front, np.cross(along, front)], axis=1)
    turned: Array = np.array(bone.matrix_local.to_3x3(), dtype=np.float64).T @ limb_to_armature
    return turned


def _along(bone: Bone, body: Body) -> Array | None:
    """Return the unit vector of the way to the next joint of the body or, at the end, from the one before."""
    head = np.array(bone.head_local, dtype=np.float64)
    above = (link for link in bone.parent_recursive if link.name in body.roles)
    ways = [np.array(below.head_local) - head for below in _next(bone, body)]
    ways = ways or [head - np.array(link.head_local) for link in above][:1]
    way = np.mean(ways, axis=0) if ways else np.zeros(3)
    length = np.linalg.norm(way)
    return way / length if length > 0 else None


def _next(bone: Bone, body: Body) -> list[Bone]:
    """Return the nearest bones below that have a role."""
    found = []
    for below in bone.children:
        found += [below] if below.name in body.roles else _next(below, body)
    return found
