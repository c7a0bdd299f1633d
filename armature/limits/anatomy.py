# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way is front, up and out on a rig at rest, and which way palms face.

Left and right come from the bones' names, or else from the body's shape, up from feet to head; where neither
tells, the body faces -Y with Z up, as Blender's own figures do. Palms come from where fingers grow; without
fingers they face down where arms are stretched out, and inwards where they hang.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from math import radians

import numpy as np
from bpy.types import Bone, Object

from ...bodies import SURE, Body
from ...bodies.words import finger_of, side_of
from ...presets.joints_of_bodies import joints_of_body
from ...solvers.geometry import Array
from ..setup.body import recognised_body
from ..setup.tips import Point, ends_of_legs, tips_of_legs
from .at_rest import BodyAtRest, head_of
from .limbs import limb_of
from .standing import turns_to_standing

# Parts of the body that are surely above and below.
_HIGH, _LOW = {"HEAD", "NECK", "SHOULDER"}, {"HIP", "KNEE", "ANKLE"}
# Where a human's hips or knees are bent by more at rest, it does not stand.
_BENT = radians(35.0)
# An axis that is so near to one of the armature's is meant to be it.
_UPRIGHT = 0.94


class Anatomy(BodyAtRest):
    """A body at rest, and where its parts face."""

    @cached_property
    def _to_standing(self) -> dict[str, Array]:
        upright = self.kind != "human" or stands(self.joints, self.bones)
        return {} if upright else turns_to_standing(self)

    def to_standing(self, bone: Bone | None) -> Array:
        """Return the turn (3, 3), in armature space, that puts a bone of a human where it stands."""
        line = [] if bone is None else [bone, *bone.parent_recursive]
        turns = (self._to_standing[link.name] for link in line if link.name in self._to_standing)
        return next(turns, np.eye(3))

    def side(self, bone: Bone) -> float:
        """Return 1 for a bone on the left, -1 on the right, 0 in the middle, by its role, name or joints."""
        told = {"L": 1.0, "R": -1.0}.get(self.sides.get(bone.name) or side_of(bone.name))
        if told:
            return told
        away = [float(self.left @ (head_of(joint) - self._middle)) for joint in (bone, *bone.children)]
        near = 0.02 * np.ptp(self.heads @ self.left)
        return float(np.sign(away[0])) if min(map(abs, away)) > near else 0.0

    def directions(self, bone: Bone) -> dict[str, Array]:
        """Return the unit vectors of the body's directions, for a bone on its side."""
        out = (self.side(bone) or 1.0) * self.left
        pairs = (("LEFT", "RIGHT", self.left), ("UP", "DOWN", self.up), ("FRONT", "BACK", self.front))
        pairs += (("OUT", "IN", out),)
        hand = self._hand_of(bone)
        if hand is not None:
            palm, little = self._palms[hand.name]
            pairs += (("PALM", "KNUCKLES", palm), ("LITTLE", "THUMB", little))
        return {
            name: sign * axis for *names, axis in pairs for name, sign in zip(names, (1, -1), strict=True)
        }

    @cached_property
    def _palms(self) -> dict[str, tuple[Array, Array]]:
        """Where the palm of each hand faces, and the side of its little finger."""
        hands = filter(None, map(self._hand_of, self.bones.values()))
        return {hand.name: self._palm(hand) for hand in {hand.name: hand for hand in hands}.values()}

    @property
    def _middle(self) -> Array:
        return np.mean(self.heads, axis=0)

    def _hand_of(self, bone: Bone) -> Bone | None:
        """Return the hand that a bone is or belongs to; a finger without a hand makes do with itself."""
        line = [bone, *bone.parent_recursive]
        hands = [link for link in line if self.joints.get(link.name) == "WRIST"]
        fingers = [link for link in line if self.joints.get(link.name, "").startswith(("FINGER", "THUMB"))]
        return next(iter(hands or fingers[-1:]), None)

    def _palm(self, hand: Bone) -> tuple[Array, Array]:
        """Return where a hand's palm faces, and the side of its little finger."""
        along, side = limb_of(self, hand, self.joints.get(hand.name, "")), self.side(hand) or 1.0
        little = self._little_side(hand, along)
        if little is None:
            out = side * self.left
            palm = square_to(along, -(along @ out) * self.up + (along @ self.up) * out)
            return palm, side * np.cross(along, palm)
        return side * np.cross(little, along), little

    def _little_side(self, hand: Bone, along: Array) -> Array | None:
        """Return the direction from the first to the last finger, or away from the thumb."""
        roots = [bone for bone in hand.children_recursive if self.joints.get(bone.name) == "FINGER_BASE"]
        ranked = sorted((finger_of(bone.name), bone.name) for bone in roots if finger_of(bone.name))
        if len(ranked) > 1:
            first, last = (self.bones[ranked[end][1]] for end in (0, -1))
            return square_to(along, head_of(last) - head_of(first))
        thumbs = [bone for bone in hand.children_recursive if self.joints.get(bone.name) == "THUMB_BASE"]
        return square_to(along, head_of(hand) - head_of(thumbs[0])) if thumbs else None


def anatomy_of(
    ob: Object, recognised: Body | None = None, tips: Mapping[str, Point] | None = None
) -> Anatomy:
    """Return what names and rest pose tell of the armature object's body, or of what is ``recognised``.

    ``tips``: those of its legs, if they are known.
    """
    bones = {bone.name: bone for bone in sorted(ob.data.bones, key=lambda bone: len(bone.parent_recursive))}
    recognised = recognised or recognised_body(ob)
    joints = {
        name: joint
        for name, joint in joints_of_body(recognised).items()
        if recognised.roles[name].sure >= SURE
    }
    up = _axis(_upright(recognised, joints, bones), np.array([0.0, 0.0, 1.0]))
    sides = {name: role.side for name, role in recognised.roles.items()}
    placed = [(sides[name], head_of(bone)) for name, bone in bones.items() if name in joints]
    lefts, rights = ([head for side, head in placed if side == wanted] for wanted in "LR")
    usual = np.array([1.0, 0.0, 0.0]) if recognised.left is None else recognised.left
    left = _axis(_between(rights, lefts), usual)
    ends = ends_of_legs(ob, tips_of_legs(ob, recognised) if tips is None else tips)
    return Anatomy(recognised.kind, joints, bones, square_to(up, left), up, sides, ends)


def stands(joints: Mapping[str, str], bones: Mapping[str, Bone]) -> bool:
    """Return whether thighs go the other way than the trunk, and shins as thighs do, as far as is known."""
    hips, knees, ankles = (_heads_of(joints, bones, {part}) for part in ("HIP", "KNEE", "ANKLE"))
    trunk, thighs, shins = _trunk(joints, bones), _between(hips, knees or ankles), _between(knees, ankles)
    if trunk is None or thighs is None:
        return True
    return _angle(-trunk, thighs) < _BENT and (shins is None or _angle(thighs, shins) < _BENT)


def _angle(one: Array, other: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))


def _upright(body: Body, joints: Mapping[str, str], bones: Mapping[str, Bone]) -> Array | None:
    """Return which way is up; None where nothing tells."""
    if body.kind != "human":
        return body.up
    if stands(joints, bones):
        return _between(*(_heads_of(joints, bones, parts) for parts in (_LOW, _HIGH)))
    return _trunk(joints, bones)


def _trunk(joints: Mapping[str, str], bones: Mapping[str, Bone]) -> Array | None:
    hips, shoulders, head = (_heads_of(joints, bones, {part}) for part in ("HIP", "SHOULDER", "HEAD"))
    return _between(hips, shoulders or head)


def _heads_of(joints: Mapping[str, str], bones: Mapping[str, Bone], parts: set[str]) -> list[Array]:
    return [head_of(bone) for name, bone in bones.items() if joints.get(name) in parts]


def square_to(axis: Array, vector: Array) -> Array:
    """Return the unit vector nearest to ``vector`` at right angles to a unit axis; any where none is."""
    left = vector - (vector @ axis) * axis
    if np.linalg.norm(left) < 1e-6:
        left = np.eye(3)[np.argmin(np.abs(axis))]
        left = left - (left @ axis) * axis
    return left / np.linalg.norm(left)


def _between(starts: Iterable[Array], ends: Iterable[Array]) -> Array | None:
    """Return the way from the middle of some points to that of others; None without both."""
    starts, ends = list(starts), list(ends)
    return np.mean(ends, axis=0) - np.mean(starts, axis=0) if starts and ends else None


def _axis(found: Array | None, usual: Array) -> Array:
    """Return the unit vector that was found, straightened if it is nearly an axis; the usual one without."""
    if found is None or np.linalg.norm(found) < 1e-9:
        return usual
    unit = found / np.linalg.norm(found)
    along = int(np.argmax(np.abs(unit)))
    return np.sign(unit[along]) * np.eye(3)[along] if abs(unit[along]) > _UPRIGHT else unit
