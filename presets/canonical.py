# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of human joints in frames that all humans share, whatever their bones' axes and rest poses.

In the canonical frame x goes to the left, y up and z forward, and a body without any rotation stands in a
T-pose. Directions go from joint to joint, never along a bone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..solvers.geometry import Array, shortest_turn

if TYPE_CHECKING:
    from ..bodies import Body, Role

# The part in which each part goes on, or the first of several that is there.
_ONWARD = {
    "spine": ("neck", "head"),
    "neck": ("head",),
    "clavicle": ("upper_arm",),
    "upper_arm": ("forearm",),
    "forearm": ("hand",),
    "thigh": ("shin",),
    "shin": ("foot",),
    "foot": ("toe",),
}
# Chains whose bones turn each by itself; of other parts the first bone does.
CHAINS = {"spine", "neck", "clavicle"}
ARM, LEG = ("upper_arm", "forearm"), ("thigh", "shin")
PARTS = ("hips", *_ONWARD, "hand", "head", "pelvis")
# What tells left from right, the first pair that is there.
_PAIRS = ("thigh", "upper_arm")
# By the cosine to where it points in a T-pose: a chain that comes nearer is as its body has it.
_NEAR_UP, _NEAR_SIDE = 0.7, 0.0
# A limb that is bent at rest by more, as a sine, and about to its side by this cosine, tells its axis.
_BENT, _ALIKE = {"upper_arm": 0.07, "thigh": 0.26}, 0.5
# An up that is so near to one of the armature's axes, by its cosine, is meant to be it.
_UPRIGHT = 0.94
# A foot that points forward by less, as a share of its length, does not tell where it points.
_UPRIGHT_FOOT = 0.2


@dataclass(frozen=True, eq=False)
class Rest:
    """J bones at rest: ``names``, their ``parents`` or None, ``heads`` (J, 3), ``rotations`` (J, 3, 3).

    ``rotations`` are ``bone_to_armature``. ``ends`` (3,): where legs without feet end, by their last bones.
    """

    names: Sequence[str]
    parents: Sequence[str | None]
    heads: Array
    rotations: Array
    ends: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class CanonicalJoint:
    """A ``bone`` and its ``role``: its local rotation is ``before @ canonical @ after``, each (3, 3)."""

    bone: str
    role: "Role"
    before: Array
    after: Array

    def canonical(self, local: Array) -> Array:
        """Return the canonical rotations (..., 3, 3) of local ones."""
        return self.before.T @ local @ self.after.T

    def local(self, canonical: Array) -> Array:
        """Return the local rotations (..., 3, 3) of canonical ones."""
        return self.before @ canonical @ self.after


def canonical_joints(body: "Body", rest: Rest) -> list[CanonicalJoint]:
    """Return the joints of a human, from the hips to hands, head and feet.

    Raises ValueError where the body has neither thighs nor upper arms, or no up, to tell its directions by.
    """
    figure = _Figure(body, rest)
    place = {name: index for index, name in enumerate(rest.names)}
    to_t_pose = {bone: figure.to_t_pose(bone) for bone, role in body.roles.items() if role.part in PARTS}
    found = []
    for bone, turn in to_t_pose.items():
        above = rest.parents[place[bone]]
        while above is not None and above not in to_t_pose:
            above = rest.parents[place[above]]
        turn_above = np.eye(3) if above is None else to_t_pose[above]
        own = rest.rotations[place[bone]]
        before, after = own.T @ turn_above.T @ figure.axes, figure.axes.T @ turn @ own
        found.append(CanonicalJoint(bone, body.roles[bone], before, after))
    return found


class _Figure:
    """Where the joints of a body are at rest; ``axes`` (3, 3) has its left, up and forward as columns."""

    def __init__(self, body: "Body", rest: Rest) -> None:
        self.body = body
        self.heads = dict(zip(rest.names, rest.heads, strict=True))
        self.axes = self._axes()

    def to_t_pose(self, bone: str) -> Array:
        """Return the turn (3, 3) in armature space that puts a bone at rest where a T-pose has it."""
        role, way = self.body.roles[bone], self._way(bone)
        left, up, forward = self.axes.T
        out = left if role.side == "L" else -left
        if role.part in ARM:
            return self._rolled(shortest_turn(way, out), ARM, role.side, out, np.cross(out, forward))
        if role.part in LEG:
            return self._rolled(shortest_turn(way, -up), LEG, role.side, -up, left)
        if role.part == "hand":
            return shortest_turn(self._along("forearm", role.side), out)
        if role.part == "foot":
            level = way - (way @ up) * up
            return shortest_turn(level, forward) if _size(level) > _UPRIGHT_FOOT * _size(way) else np.eye(3)
        if role.part in CHAINS:
            towards, near = (out, _NEAR_SIDE) if role.part == "clavicle" else (up, _NEAR_UP)
            return np.eye(3) if way @ towards >= near * _size(way) else shortest_turn(way, towards)
        return np.eye(3)

    def _rolled(self, turn: Array, limb: Sequence[str], side: str, straight: Array, axis: Array) -> Array:
        """Return the turn that straightens a part of a limb, rolled until the limb bends about the ``axis``.

        Only limbs that are clearly bent at rest tell it, and to the right side where the first part goes
        ``straight``. Knees tell it badly that are bent by little: legs at rest are turned out by more than
        these bend outwards.
        """
        first, second = (self._along(part, side) for part in limb)
        normal, size = np.cross(first, second), _size(np.cross(first, second))
        is_bent = first @ second < 0 or size > _BENT[limb[0]] * _size(first) * _size(second)
        is_told = is_bent and shortest_turn(first, straight) @ normal @ axis > _ALIKE * size
        return shortest_turn(turn @ normal, axis) @ turn if is_told else turn

    def _along(self, part: str, side: str) -> Array:
        bones = self.body.bones(part, side)
        return self._way(bones[0]) if bones else np.zeros(3)

    def _way(self, bone: str) -> Array:
        """Return the way (3,) from where a part begins, or a bone of a chain, to the next joint; or none."""
        role = self.body.roles[bone]
        bones = self.body.bones(role.part, role.side)
        start = bones.index(bone) if role.part in CHAINS else 0
        following = bones[start + 1 :] if role.part in CHAINS else ()
        onward = [joint for part in _ONWARD.get(role.part, ()) for joint in self.body.bones(part, role.side)]
        ends = (*following, *onward)
        return self.heads[ends[0]] - self.heads[bones[start]] if ends else np.zeros(3)

    def _axes(self) -> Array:
        pairs = ([self.body.bones(part, side) for side in "LR"] for part in _PAIRS)
        pair = next(filter(all, pairs), None)
        if pair is None:
            raise ValueError("neither thighs nor upper arms on both sides")
        left, right = (self.heads[bones[0]] for bones in pair)
        up = _straightened(self._up(0.5 * (left + right)))
        across = _square_to(up, left - right)
        return np.stack([across, up, np.cross(across, up)], axis=1)

    def _up(self, middle: Array) -> Array:
        """Return which way is up; ``middle`` (3,): between the thighs, or else between the arms."""
        if self.body.up is not None:
            return self.body.up
        tops, hips = self.body.bones("neck") or self.body.bones("head"), self.body.bones("hips")
        if not tops:
            raise ValueError("no neck and no head")
        has_legs = all(self.body.bones("thigh", side) for side in "LR")
        way = self.heads[tops[0]] - (self.heads[hips[0]] if hips and not has_legs else middle)
        return way / _size(way)


def _straightened(way: Array) -> Array:
    """Return the axis of the armature that a unit vector is nearly along, or else the vector."""
    along = int(np.argmax(np.abs(way)))
    return np.sign(way[along]) * np.eye(3)[along] if abs(way[along]) > _UPRIGHT else way


def _size(vector: Array) -> float:
    return float(np.linalg.norm(vector))


def _square_to(axis: Array, vector: Array) -> Array:
    across = vector - (vector @ axis) * axis
    return across / _size(across)
