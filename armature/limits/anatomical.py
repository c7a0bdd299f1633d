# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What anatomy says of a joint, as the limit of a bone of any roll whose tail may be anywhere.

Assumed: the rest pose is the neutral one, except where a joint is measured from straight (elbows, knees,
fingers) or by where its limb points (shoulders).
"""

from math import radians

import numpy as np
from bpy.types import Bone

from ...presets.animal_joints import ANIMAL_JOINTS
from ...presets.human_joints import HUMAN_JOINTS, Bend, Lean, Reach
from ...solvers import Cones, Hinge
from ...solvers.geometry import Array, matrix_to_quaternion, rotation_vector_to_matrix, twist_about
from ...solvers.limits import ALONG, Limit
from ..errors import RigError
from ..limit_kinds.images import numbers
from .anatomy import Anatomy, square_to
from .limbs import FORWARDS, limb_above, limb_of, told_limb

_JOINTS = HUMAN_JOINTS | ANIMAL_JOINTS
# A rest pose that is bent by more tells the plane that the joint bends in, if it is about the expected one.
_BENT, _ALIKE = radians(4.0), 0.5
# Of a knee it has to be more: legs at rest are turned out by more than their knees bend outwards.
_CLEARLY_BENT = {"KNEE": radians(15.0)}
# An animal's joint that is bent to the other side at rest, by that much more than it stretches, is another
# one than its name says: legs have more bends than names, and a bird's "thigh" may be what ends at its heel.
_OTHERWISE_BENT = radians(15.0)
# And where it is bent by that much across: a wing is folded, or legs are spread as a turtle's are.
_BENT_ACROSS = radians(30.0)
# From this cosine on an upper arm points to where elbows bend.
_POINTING = 0.87
# The play of tips of fingers and toes: no joint beyond them tells the plane that they bend in.
_UNSEEN = radians(5.0)
# A limb that is off the bone's own length by less, in radians, is taken to be along it.
_OFF = 1e-4


def anatomical_limit(anatomy: Anatomy, bone: Bone, joint: str, share: float = 1.0) -> Limit:
    """Return the limit of a bone that is the ``joint``, a key of the tables of joints, or a ``share`` of it.

    Raises RigError naming a bone that is not there for such a joint.
    """
    motion, directions = _JOINTS[joint].motion, anatomy.directions(bone)
    wanted = {name for name, _ in _named(motion)} - set(directions)
    if wanted:
        raise RigError(f"Bone '{bone.name}' belongs to no hand that could be recognised")
    rest = np.array(bone.matrix_local, dtype=np.float64)[:3, :3]
    standing, above = anatomy.to_standing(bone), anatomy.to_standing(bone.parent)
    along = limb_of(anatomy, bone, joint)
    if joint in FORWARDS and told_limb(anatomy, bone, joint) is None:
        along = standing.T @ along
    if isinstance(motion, Bend):
        return _hinge(anatomy, bone, joint, directions, rest, along)
    mirrored = anatomy.side(bone) < 0
    lower, upper = (radians(share * angle) for angle in motion.twist)
    turned = float(twist_about(matrix_to_quaternion(above.T @ standing), along))
    twist = np.array((-upper, -lower) if mirrored else (lower, upper)) + turned
    lean = isinstance(motion, Lean)
    regions = _stadium(motion, directions, standing @ along, share) if lean else _reach(motion, directions)
    cones = tuple((numbers(rest.T @ above.T @ centre), radius) for centre, radius in regions)
    limb = rest.T @ along
    is_along = np.arctan2(np.hypot(limb[0], limb[2]), limb[1]) < _OFF
    return Cones(bone.name, cones, *numbers(twist), limb=ALONG if is_along else numbers(limb))


def _named(motion: Bend | Lean | Reach) -> list[tuple[str, float]]:
    """Return the directions that a motion names, with their numbers."""
    if isinstance(motion, Bend):
        return [(name, 1.0) for name in motion.towards]
    return list(motion.sides) if isinstance(motion, Lean) else [p for parts, _ in motion.cones for p in parts]


def _hinge(
    anatomy: Anatomy, bone: Bone, joint: str, directions: dict[str, Array], rest: Array, along: Array
) -> Hinge:
    motion = _JOINTS[joint].motion
    axis, bent = _expected_axis(anatomy, bone, joint, directions, along), 0.0
    if motion.from_straight and bone.parent:
        above = limb_above(anatomy, bone)
        normal = np.cross(above, along)
        angle = float(np.arctan2(np.linalg.norm(normal), above @ along))
        if _is_another(joint, angle, normal @ axis / max(np.linalg.norm(normal), 1e-12)):
            axis = normal / np.linalg.norm(normal)
        if angle > _BENT and normal @ axis > _ALIKE * np.linalg.norm(normal):
            bent = angle
            if angle > _CLEARLY_BENT.get(joint, _BENT):
                axis = normal / np.linalg.norm(normal)
    unseen = _UNSEEN if told_limb(anatomy, bone, joint) is None else 0.0
    ends = -radians(motion.extension) - bent, radians(motion.flexion) - bent
    return Hinge(bone.name, numbers(rest.T @ axis), *ends, play=max(radians(motion.play), unseen))


def _expected_axis(
    anatomy: Anatomy, bone: Bone, joint: str, directions: dict[str, Array], along: Array
) -> Array:
    """Return the axis that a hinge has if its limb, which goes ``along``, bends as the neutral pose has it.

    Elbows are told by the upper arm: a forearm that is bent may itself point to where elbows bend. One that
    points there bends inwards, as where it was stretched out aside and swung forwards.
    """
    towards = anatomy.to_standing(bone).T @ sum(directions[name] for name in _JOINTS[joint].motion.towards)
    if joint != "ELBOW":
        return np.cross(along, square_to(along, towards))
    above = limb_above(anatomy, bone)
    if above @ towards > _POINTING:
        towards = directions["IN"]
    return square_to(along, np.cross(above, square_to(above, towards)))


def _is_another(joint: str, angle: float, alike: float) -> bool:
    """Return whether the axis of what is bent by the ``angle``, radians, at rest is another than expected.

    ``alike``: the cosine between the two.
    """
    stretch = radians(_JOINTS[joint].motion.extension)
    least = _OTHERWISE_BENT if alike < -_ALIKE else _BENT_ACROSS
    return joint in ANIMAL_JOINTS and alike <= _ALIKE and angle > stretch + least


def _stadium(motion: Lean, directions: dict[str, Array], along: Array, share: float) -> list:
    """Return one or two equal cones whose chain reaches as far to the four sides as the joint.

    The way between two equal cones is a band of their own width, so it is exact along its length.
    """
    (plus, up), (_, down), (across, out), (_, back) = motion.sides
    up, down, out, back = (radians(share * angle) for angle in (up, down, out, back))
    first = square_to(along, directions[plus])
    second = square_to(along, directions[across] - (directions[across] @ first) * first)
    if up + down < out + back:
        (first, up, down), (second, out, back) = (second, out, back), (first, up, down)
    radius, middle = 0.5 * (out + back), 0.5 * (out - back)
    places = (up - radius, radius - down) if up + down > 2 * radius + 1e-6 else (0.5 * (up - down),)
    return [(_leaning(along, place * first + middle * second), radius) for place in places]


def _leaning(along: Array, lean: Array) -> Array:
    """Return the direction turned towards ``lean``, at right angles to it, by that many radians."""
    return rotation_vector_to_matrix(np.cross(along, lean)) @ along


def _reach(motion: Reach, directions: dict[str, Array]) -> list:
    """Return the cones of directions in which a limb may point."""
    cones = []
    for parts, radius in motion.cones:
        centre = sum(weight * directions[name] for name, weight in parts)
        cones.append((centre / np.linalg.norm(centre), radians(radius)))
    return cones
