# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the joints of bodies would rather be: of humans by a small table, carried to any humanoid by roles.

``human_comfort.json`` says of each role its mean rotation in natural motion and how far it strays from there,
in the canonical frame of canonical.py, of the left side; the right one is its mirror image. And how it strays
with others: a row for each axis, in hundredths of a standard deviation, of what all joints have in common
(solvers/posture/ties.py). It is made by ``workshop/human_comfort.py``, which says from what. Of other bodies
see animal_comfort.py.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..solvers import Comfort, OneWay
from ..solvers.geometry import Array, matrix_to_quaternion, rotation_vector_to_matrix
from .animal_comfort import animal_comforts
from .canonical import CHAINS, CanonicalJoint, Rest, canonical_joints

if TYPE_CHECKING:
    from ..bodies import Body, Role

TABLE = Path(__file__).with_name("human_comfort.json")
SPINE = ("spine0", "spine1")  # the lower and the upper half of the trunk
# Where a spread's six numbers stand in its matrix.
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
# What mirroring the left side does to a rotation vector.
_MIRROR = np.array([1.0, -1.0, -1.0])
# Ties are stored in hundredths. The most of a joint's variance that others have, too.
HUNDREDTHS, MOST_COMMON = 100, 0.9
# Canonically, of the left side: where limbs point that bend to one side, and that side.
_ONE_WAY = {
    "forearm": (np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])),
    "shin": (np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, -1.0])),
}
# How far, in radians, bones stray that help a joint's place and do not turn: of the pelvis, split limbs.
_STILL = 0.02


@dataclass(frozen=True, eq=False)
class Habit:
    """The usual ``turn`` (3,), a rotation vector in radians, and its ``spread`` (3, 3), in square radians.

    ``common`` (3, k): what of the strays all joints have in common, in radians. Both sides do alike what the
    first column says and every other one, and the opposite of what those between do.
    """

    turn: Array
    spread: Array
    common: Array

    def mirrored(self) -> "Habit":
        sides = mirror_of_ties(self.common.shape[1])
        mirrored = _MIRROR[:, None] * self.common * sides
        return Habit(_MIRROR * self.turn, _MIRROR[:, None] * self.spread * _MIRROR, mirrored)

    def shared(self, share: float) -> "Habit":
        """Return the habit of a bone that does a share of what the whole does."""
        return Habit(share * self.turn, share * self.spread, share * self.common)


@cache
def human_habits() -> Mapping[str, Habit]:
    """Return the table: the habit of each part of the left side and the middle."""
    return {part: _habit(*row) for part, row in json.loads(TABLE.read_text(encoding="utf-8")).items()}


def mirror_of_ties(count: int) -> Array:
    """Return what mirroring does to ``count`` ties beside turning their bone, (count,)."""
    return np.where(np.arange(count) % 2, -1.0, 1.0)


def comforts_of(body: "Body", rest: Rest) -> list[Comfort]:
    """Return the comfort of each bone of a human between hips, head, hands and feet.

    The hips have none: they go where the body goes. Raises ValueError where a human lacks what tells its
    directions.
    """
    if body.kind != "human":
        return list(animal_comforts(body, rest))
    roles = {name: role for name, role in body.joints.items() if role.part != "hips"}
    joints = [joint for joint in canonical_joints(body, rest) if joint.bone in roles]
    return [_comfort(joint, roles[joint.bone], joint.bone in body.hung) for joint in joints]


def _comfort(joint: CanonicalJoint, role: "Role", is_hung: bool) -> Comfort:
    """Return the comfort of a joint that moves as the role does; of a bone that is hung, the other way."""
    turns, spread, common = _habits(role)
    canonical = np.eye(3)
    for turn in turns:
        canonical = canonical @ rotation_vector_to_matrix(turn)
    if is_hung:
        canonical, common = canonical.T, -common
    rotation = matrix_to_quaternion(joint.local(canonical))
    ties = joint.after.T @ _shortened(np.linalg.solve(root_of(spread), common)) if common.any() else None
    return Comfort(joint.bone, rotation, joint.after.T @ spread @ joint.after, _one_way(joint), ties)


def _shortened(ties: Array) -> Array:
    """Return the ties (3, k) of no more of a joint's variance than MOST_COMMON: a bone that does what two do
    may have all of its own in common with others."""
    left, sizes, right = np.linalg.svd(ties, full_matrices=False)
    shortened: Array = (left * np.minimum(sizes, MOST_COMMON**0.5)) @ right
    return shortened


def _one_way(joint: CanonicalJoint) -> OneWay | None:
    """Return to which side a knee or an elbow bends, in the frames of its bone; None of other joints."""
    role = joint.role
    if role.part not in _ONE_WAY or role.place > 1:
        return None
    limb, towards = (way * ([-1, 1, 1] if role.side == "R" else 1) for way in _ONE_WAY[role.part])
    return OneWay(joint.after.T @ limb, joint.before @ towards)


def _habits(role: "Role") -> tuple[list[Array], Array, Array]:
    """Return the turns that a bone's role does one after the other, (3,) each, and their spread (3, 3).

    And the part of the spread that all joints have in common (3, k).
    """
    parts = [habit.mirrored() if role.side == "R" else habit for habit in _parts(role)]
    spread, common = (sum(values) for values in zip(*((h.spread, h.common) for h in parts), strict=True))
    return [habit.turn for habit in parts], spread, common


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
    return [Habit(np.zeros(3), _STILL**2 * np.eye(3), np.zeros((3, 0)))]


def _habit(turn: list[float], entries: list[float], *ties: list[int]) -> Habit:
    spread = np.zeros((3, 3))
    for (row, column), value in zip(ENTRIES, entries, strict=True):
        spread[row, column] = spread[column, row] = value
    return Habit(np.array(turn), spread, root_of(spread) @ np.array(ties) / HUNDREDTHS)


def root_of(spread: Array) -> Array:
    """Return the symmetric root (3, 3) of a spread: standard deviations."""
    values, axes = np.linalg.eigh(spread)
    root: Array = (axes * np.sqrt(values)) @ axes.T
    return root
