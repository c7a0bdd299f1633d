# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""With what bones touch a face that they are put on, and how they lie on it."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Bone, PoseBone

from ...bodies import Body
from ...solvers.geometry import Array
from ..setup.body import recognised_body
from .soles import Point, Spot, sole_of, turned_into_frame

_HANDS = ("hand",)
_FINGERS = ("index", "middle", "ring", "pinky")
_Y = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Underside:
    """How a bone touches a face. ``spots``: the points that may touch it; where there are none, the place by
    which the bone is held does. ``away``: the unit vector, in the bone's frame, that is square to a face on
    which the bone lies and points away from it; None where that is not known.
    """

    spots: tuple[Spot, ...]
    away: Point | None


def underside_of(bone: PoseBone) -> Underside:
    """Return how a bone touches faces: a foot of a recognised body by its sole, a hand by all its joints and
    tips. Other bones stand upright on faces, as in Blender.
    """
    body, line = recognised_body(bone.id_data), (bone.bone, *bone.bone.parent_recursive)
    hand = next((part for part in line if part.name in body.held_by(_HANDS)), None)
    if hand is not None:
        return _of_hand(body, hand, bone.bone)
    sole = sole_of(bone)
    return Underside(tuple(sole.touching), sole.ups[0][1]) if sole else Underside((), _Y)


def _of_hand(body: Body, hand: Bone, held: Bone) -> Underside:
    """Return the underside of a hand that is held by one of its bones: they are alike."""
    parts = (hand, *hand.children_recursive)
    spots = tuple((part.name, (0.0, along, 0.0)) for part in parts for along in (0.0, part.length))
    palm = palm_of(body, hand)
    return Underside(spots, None if palm is None else turned_into_frame(held, palm[:, 2]))


def palm_of(body: Body, hand: Bone) -> Array | None:
    """Return how a hand lies at rest: the axes (3, 3), one a column, across it, along it and out of its back.

    In the armature's space. Its back is square to how its fingers go on from the wrist, and to how they lie
    side by side. None where it has not two besides the thumb.
    """
    side = body.roles[hand.name].side
    heads = {bone.name: np.array(bone.head_local) for bone in hand.children_recursive}
    fingers = [[heads[name] for name in body.bones(finger, side) if name in heads] for finger in _FINGERS]
    knuckles = [joints[0] for joints in fingers if joints]
    if len(knuckles) < 2:
        return None
    along = np.mean(knuckles, axis=0) - np.array(hand.head_local)
    back = np.cross(knuckles[0] - knuckles[-1], along) * (1.0 if side == "L" else -1.0)
    axes = np.stack([np.cross(along, back), along, back], axis=1)
    return axes / np.linalg.norm(axes, axis=0) if back.any() else None
