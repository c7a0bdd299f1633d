# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the joints of bodies would rather be: of humans by a small table, carried to any humanoid by roles.

``human_comfort.json`` says of each role its mean rotation in natural motion and how far it strays from there,
in the canonical frame of canonical.py, of the left side; the right one is its mirror image. It is made by
``workshop/human_comfort.py``, which says from what. Of other bodies it is known only that backs, necks and
tails bend evenly.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..solvers import Comfort, OneWay
from ..solvers.geometry import Array, matrix_to_quaternion, rotation_vector_to_matrix
from .canonical import CHAINS, CanonicalJoint, Rest, canonical_joints

if TYPE_CHECKING:
    from ..bodies import Body, Role

TABLE = Path(__file__).with_name("human_comfort.json")
SPINE = ("spine0", "spine1")  # the lower and the upper half of the trunk
# Where a spread's six numbers stand in its matrix.
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
# What mirroring the left side does to a rotation vector.
_MIRROR = np.array([1.0, -1.0, -1.0])
# Chains of other bodies, and how far, in radians, each strays as a whole.
_EVEN, _CHAIN = {"spine", "neck", "tail", "link"}, 0.6
# What bears their limbs, how far that strays, and how far the bones of limbs do.
_BEARING, _GIRDLE, _LIMB = {"clavicle", "pelvis"}, 0.09, 0.35
# Canonically, of the left side: where limbs point that bend to one side, and that side.
_ONE_WAY = {
    "forearm": (np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])),
    "shin": (np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, -1.0])),
}
# How far, in radians, bones stray that help a joint's place and do not turn: of the pelvis, split limbs.
_STILL = 0.02


@dataclass(frozen=True, eq=False)
class Habit:
    """The usual ``turn`` (3,), a rotation vector in radians, and its ``spread`` (3, 3), in square radians."""

    turn: Array
    spread: Array

    def mirrored(self) -> "Habit":
        return Habit(_MIRROR * self.turn, _MIRROR[:, None] * self.spread * _MIRROR)

    def shared(self, share: float) -> "Habit":
        """Return the habit of a bone that does a share of what the whole does."""
        return Habit(share * self.turn, share * self.spread)


@cache
def human_habits() -> Mapping[str, Habit]:
    """Return the table: the habit of each part of the left side and the middle."""
    rows = json.loads(TABLE.read_text(encoding="utf-8"))
    return {part: Habit(np.array(row[:3]), _matrix(row[3:])) for part, row in rows.items()}


def comforts_of(body: "Body", rest: Rest) -> list[Comfort]:
    """Return the comfort of each bone of a human between hips, head, hands and feet.

    The hips have none: they go where the body goes. Of other bodies, that of the bones of their chains, which
    rest where they are and stray alike, and of their limbs: what bears them strays least. Raises ValueError
    where a human lacks what tells its directions.
    """
    if body.kind != "human":
        return list(_at_rest(body))
    return [_comfort(joint) for joint in canonical_joints(body, rest) if joint.role.part != "hips"]


def _at_rest(body: "Body") -> Iterator[Comfort]:
    for name, role in body.roles.items():
        strays = _strays(role)
        if strays:
            yield Comfort(name, np.array([1.0, 0.0, 0.0, 0.0]), strays)


def _strays(role: "Role") -> float:
    """Return how far a bone of no human strays from rest, radians; 0 where it goes where the body goes."""
    if role.part in _EVEN:
        return _CHAIN / role.count**0.5 if role.count > 1 else 0.0
    if not role.side:
        return 0.0
    return _GIRDLE if role.part in _BEARING else _LIMB


def _comfort(joint: CanonicalJoint) -> Comfort:
    turns, spread = _habits(joint.role)
    canonical = np.eye(3)
    for turn in turns:
        canonical = canonical @ rotation_vector_to_matrix(turn)
    rotation = matrix_to_quaternion(joint.local(canonical))
    return Comfort(joint.bone, rotation, joint.after.T @ spread @ joint.after, _one_way(joint))


def _one_way(joint: CanonicalJoint) -> OneWay | None:
    """Return to which side a knee or an elbow bends, in the frames of its bone; None of other joints."""
    role = joint.role
    if role.part not in _ONE_WAY or role.place > 1:
        return None
    limb, towards = (way * ([-1, 1, 1] if role.side == "R" else 1) for way in _ONE_WAY[role.part])
    return OneWay(joint.after.T @ limb, joint.before @ towards)


def _habits(role: "Role") -> tuple[list[Array], Array]:
    """Return the turns (3,) that a bone's role does one after the other, and its spread (3, 3)."""
    parts = [habit.mirrored() if role.side == "R" else habit for habit in _parts(role)]
    spread = sum((habit.spread for habit in parts), np.zeros((3, 3)))
    return [habit.turn for habit in parts], spread


def _parts(role: "Role") -> list[Habit]:
    habits = human_habits()
    if role.part == "spine":
        ends = np.array([role.place - 1, role.place]) / role.count * len(SPINE)
        shares = [float(np.ptp(np.clip(ends, half, half + 1))) for half in range(len(SPINE))]
        return [habits[half].shared(share) for half, share in zip(SPINE, shares, strict=True) if share > 0]
    if role.part in CHAINS:
        return [habits[role.part].shared(1 / role.count)]
    if role.part in habits and role.place == 1:
        return [habits[role.part]]
    return [Habit(np.zeros(3), _STILL**2 * np.eye(3))]


def _matrix(entries: list[float]) -> Array:
    matrix = np.zeros((3, 3))
    for (row, column), value in zip(ENTRIES, entries, strict=True):
        matrix[row, column] = matrix[column, row] = value
    return matrix
