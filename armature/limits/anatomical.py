# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What anatomy says of a joint, as the limit of a bone of any roll.

Assumed: a bone lies along its limb, and the rest pose is the neutral one, except where a joint is measured
from straight (elbows, knees, fingers) or by where the bone points (shoulders).
"""

from math import radians

import numpy as np
from bpy.types import Bone

from ...presets.human_joints import Bend, HumanJoint, Lean, Reach
from ...solvers import Cones, Hinge
from ...solvers.limits.kinds import Limit
from ...solvers.rotation import Array, rotation_vector_to_matrix
from ..errors import RigError
from .anatomy import Body, direction_of, head_of, square_to

# A rest pose that is bent by more tells the plane that the joint bends in, if it is about the expected one.
_BENT, _ALIKE = radians(4.0), 0.5
# A bone that points so far away from the next one does not lie along its limb.
_ASTRAY = radians(40.0)


def anatomical_limit(body: Body, bone: Bone, joint: HumanJoint, share: float = 1.0) -> Limit:
    """Return the limit of a bone that is the joint, or the ``share`` of one that is made of several bones.

    Raises RigError naming a bone that is not there for such a joint.
    """
    motion, directions = joint.motion, body.directions(bone)
    wanted = {name for name, _ in _named(motion)} - set(directions)
    if wanted:
        raise RigError(f"Bone '{bone.name}' belongs to no hand that could be recognised")
    rest = np.array(bone.matrix_local, dtype=np.float64)[:3, :3]
    if isinstance(motion, Bend):
        return _hinge(bone, motion, directions, rest)
    mirrored = body.side(bone) < 0
    lower, upper = (radians(share * angle) for angle in motion.twist)
    twist = (-upper, -lower) if mirrored else (lower, upper)
    lean = isinstance(motion, Lean)
    cones = _stadium(motion, directions, rest, share) if lean else _reach(motion, directions, rest)
    return Cones(bone.name, cones, *twist)


def strays(body: Body, bone: Bone, joint: HumanJoint) -> bool:
    """Return whether the bone does not point along its limb, so that cones about it would mislead."""
    followers = [child for child in bone.children if body.joints.get(child.name)]
    if isinstance(joint.motion, Bend) or len(followers) != 1:
        return False
    limb = head_of(followers[0]) - head_of(bone)
    size = np.linalg.norm(limb)
    return bool(size > 1e-6 and direction_of(bone) @ limb < np.cos(_ASTRAY) * size)


def _named(motion: Bend | Lean | Reach) -> list[tuple[str, float]]:
    """Return the directions that a motion names, with their numbers."""
    if isinstance(motion, Bend):
        return [(name, 1.0) for name in motion.towards]
    return list(motion.sides) if isinstance(motion, Lean) else [p for parts, _ in motion.cones for p in parts]


def _hinge(bone: Bone, motion: Bend, directions: dict[str, Array], rest: Array) -> Hinge:
    along = direction_of(bone)
    axis = np.cross(along, square_to(along, sum(directions[name] for name in motion.towards)))
    bent = 0.0
    if motion.from_straight and bone.parent:
        above = direction_of(bone.parent)
        normal = np.cross(above, along)
        angle = float(np.arctan2(np.linalg.norm(normal), above @ along))
        if angle > _BENT and normal @ axis > _ALIKE * np.linalg.norm(normal):
            axis, bent = normal / np.linalg.norm(normal), angle
    ends = -radians(motion.extension) - bent, radians(motion.flexion) - bent
    return Hinge(bone.name, _numbers(rest.T @ axis), *ends)


def _stadium(motion: Lean, directions: dict[str, Array], rest: Array, share: float) -> tuple:
    """Return one or two equal cones whose chain reaches as far to the four sides as the joint.

    The way between two equal cones is a band of their own width, so it is exact along its length.
    """
    (plus, up), (_, down), (across, out), (_, back) = motion.sides
    up, down, out, back = (radians(share * angle) for angle in (up, down, out, back))
    along = rest[:, 1]
    first = square_to(along, directions[plus])
    second = square_to(along, directions[across] - (directions[across] @ first) * first)
    if up + down < out + back:
        (first, up, down), (second, out, back) = (second, out, back), (first, up, down)
    radius, middle = 0.5 * (out + back), 0.5 * (out - back)
    places = (up - radius, radius - down) if up + down > 2 * radius + 1e-6 else (0.5 * (up - down),)
    leans = [place * first + middle * second for place in places]
    return tuple((_numbers(rest.T @ _leaning(along, lean)), radius) for lean in leans)


def _leaning(along: Array, lean: Array) -> Array:
    """Return the direction turned towards ``lean``, at right angles to it, by that many radians."""
    return rotation_vector_to_matrix(np.cross(along, lean)) @ along


def _reach(motion: Reach, directions: dict[str, Array], rest: Array) -> tuple:
    cones = []
    for parts, radius in motion.cones:
        centre = sum(weight * directions[name] for name, weight in parts)
        cones.append((_numbers(rest.T @ (centre / np.linalg.norm(centre))), radians(radius)))
    return tuple(cones)


def _numbers(vector: Array) -> tuple[float, ...]:
    return tuple(vector.tolist())
