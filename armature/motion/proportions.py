# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trunk and arms of a motion in the proportions of the body that follows it.

Hips and feet go where the leader's go. From there on each part of the body points where the leader's does and
is as far stretched: so the follower can get there, and looks the same.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from bpy.types import Bone
from mathutils import Matrix, Vector

from ...solvers.geometry import Array, matvec, norm
from .lead import Lead

# What is so much shorter than a body's part, or bent so little, is nothing.
_NOTHING = 1e-6


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of a body at rest: the ``way`` (3,) from its begin to its end, along bones of a ``length``."""

    way: Array
    length: float

    @property
    def share(self) -> float:
        """How far it is stretched: by 1 where its bones lie in one line."""
        return float(norm(self.way)) / self.length

    def as_far(self, other: "Stretch", lengths: Array) -> Array:
        """Return how long it is (frames,) where the ``other`` is as long as the ``lengths`` (frames,).

        In proportion to that; beyond rest, only as much as both come to lie in one line together.
        """
        shares, scale = lengths / other.length, self.share / other.share
        beyond, left = np.maximum(shares - other.share, 0.0), max(1 - self.share, 0.0)
        rate = min(scale, left / max(1 - other.share, _NOTHING))
        return self.length * (scale * np.minimum(shares, other.share) + rate * beyond)


@dataclass(frozen=True, eq=False)
class Figure:
    """The follower's bones at rest with limbs in the leader's directions, ``goals`` (n, 4, 4), and the
    leader's ``bones`` (frames, n, 4, 4) laid over it; both to the world and in the order of the ``lead``.
    """

    lead: Lead
    leader_to_world: Matrix
    goals: Array
    bones: Array

    @cached_property
    def places(self) -> Array:
        """Where the follower's bones go (frames, n, 4, 4), to the world."""
        places = self._carried.copy()
        for name, row in self._rows.items():
            places[:, row, :3, 3] = self._head(name)
        return places

    def unlike(self, least: float) -> list[str]:
        """Return the bones of the trunk that are led elsewhere than the leader's: in some frame by the
        ``least`` distance or more.
        """
        apart = norm((self.places - self._carried)[..., :3, 3]).max(axis=0)
        limbs = self.lead.limbs
        return [name for name, row in self._rows.items() if apart[row] >= least and name not in limbs]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.lead.bones)}

    @cached_property
    def _rests(self) -> Array:
        pairs = self.lead.pairs(list(self.lead.bones))
        return np.array([np.array(self.leader_to_world @ theirs.matrix_local) for _, theirs in pairs])

    @cached_property
    def _heads(self) -> Array:
        """Where the leader's bones begin (frames, n, 3)."""
        return self.bones[..., :3, 3]

    @cached_property
    def _moves(self) -> Array:
        """What takes the leader's bones from rest to where they are (frames, n, 4, 4)."""
        moves: Array = self.bones @ np.linalg.inv(self._rests)
        return moves

    @cached_property
    def _carried(self) -> Array:
        """Where the follower's bones would go, each fixed to the leader's."""
        carried: Array = self._moves @ self.goals
        return carried

    def _head(self, name: str) -> Array:
        """Return where the head of a bone goes (frames, 3)."""
        row, base = self._rows[name], self.lead.base(name)
        carried = self._carried[..., :3, 3]
        if base and (way := self._way(name, base)) is not None:
            return self._head(base) + way
        carrier = base or self.lead.carrier(name)
        if not carrier:
            return carried[:, row]
        return self._head(carrier) + carried[:, row] - carried[:, self._rows[carrier]]

    def _way(self, name: str, base: str) -> Array | None:
        """Return the way (frames, 3) from the head of one bone to another's; None where there is none."""
        begin, end = self._rows[base], self._rows[name]
        (own_base, base_followed), (own_bone, followed) = self.lead.pairs([base, name])
        own = _stretch(
            self.goals, begin, end, length_along(own_base, own_bone, self.lead.follower.matrix_world)
        )
        theirs = _stretch(
            self._rests, begin, end, length_along(base_followed, followed, self.leader_to_world)
        )
        if min(norm(own.way), norm(theirs.way)) <= _NOTHING * max(own.length, theirs.length):
            return None
        turn = np.array(Vector(theirs.way).rotation_difference(Vector(own.way)).to_matrix())
        ways, moves = self._heads[:, end] - self._heads[:, begin], self._moves[:, begin, :3, :3]
        turned = matvec(moves @ turn @ np.linalg.inv(moves), ways)
        scale = own.as_far(theirs, norm(ways)) / np.maximum(norm(turned), _NOTHING * theirs.length)
        return scale[:, None] * turned


def _stretch(rests: Array, begin: int, end: int, length: float) -> Stretch:
    return Stretch(rests[end, :3, 3] - rests[begin, :3, 3], length)


def length_along(base: Bone, bone: Bone, to_world: Matrix) -> float:
    """Return how long the bones are from the head of one to that of another at rest, in the world."""
    between = [bone, *bone.parent_recursive]
    chain = between[: between.index(base) + 1] if base in between else [bone, base]
    heads = [to_world @ one.head_local for one in chain]
    return sum((one - other).length for one, other in pairwise(heads))
