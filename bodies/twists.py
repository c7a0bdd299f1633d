# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that share the twist of a limb, found by name, and how much of it each takes, by where it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .body import Body
from .plans import HUMAN
from .tree import Array
from .words import part_of, side_of, twists

# Segments, the joint that each goes to, and whether it twists at its end: a forearm does with the hand, while
# an upper arm turns as a whole, and its skin stays behind at the shoulder.
_SEGMENTS = (
    ("upper_arm", "forearm", False),
    ("forearm", "hand", True),
    ("thigh", "shin", False),
    ("shin", "foot", True),
)


# Farther off its line, in lengths of the segment, a bone of it is a joint that bends.
_STRAIGHT = 0.1
# Nearer to one another, in lengths of the segment, two bones are in one place.
_ONE_PLACE = 0.02


@dataclass(frozen=True)
class TwistShare:
    """The ``share`` of a segment's twist that a bone takes, ``at_end`` of it or at its start."""

    share: float
    at_end: bool


def twist_shares(
    body: Body, names: Sequence[str], parents: Sequence[str | None], heads: Array
) -> dict[str, TwistShare]:
    """Return what bones of a body's limbs take of their twist, by bone: names of J bones, of their parents,
    and ``heads`` (J, 3) at rest.

    Every bone is turned as the middle of what it stands for, from its head to the next bone's: along the
    segment twist grows evenly. Bodies other than a human's have none that are known by their names.
    """
    if body.kind != HUMAN:
        return {}
    place, above = dict(zip(names, heads, strict=True)), dict(zip(names, parents, strict=True))
    found: dict[str, TwistShare] = {}
    for part, following, at_end in _SEGMENTS:
        for side in "LR":
            chain, ends = body.bones(part, side), body.bones(following, side)
            if chain and ends and np.linalg.norm(place[ends[0]] - place[chain[0]]) > 0:
                limb = _Limb(chain, ends[0], place, above)
                shares = limb.carrying(at_end) if len(chain) > 1 else limb.beside(at_end)
                found |= {name: TwistShare(share, at_end) for name, share in shares.items()}
    return found


@dataclass(frozen=True, eq=False)
class _Limb:
    """The ``chain`` of bones of a segment, and the joint at its ``end``."""

    chain: tuple[str, ...]
    end: str
    place: Mapping[str, Array]
    above: Mapping[str, str | None]

    def carrying(self, at_end: bool) -> dict[str, float]:
        """Return the shares of the bones that the segment itself is made of, but for the first.

        Bones in one place share no twist: they are one joint, as of robots with a link for each axis.
        """
        apart = (b - a for a, b in pairwise(map(self._along, self.chain)))
        if max(map(self._off_line, self.chain)) > _STRAIGHT or min(apart) < _ONE_PLACE:
            return {}
        middles = self._middles(self.chain)
        middles = [0.0, *middles[1:]] if at_end else [*middles[:-1], 1.0]
        return {name: b - a for name, (a, b) in zip(self.chain[1:], pairwise(middles), strict=True)}

    def beside(self, at_end: bool) -> dict[str, float]:
        """Return the shares of the bones that hang beside the segment's end."""
        bones = sorted(self._helpers(), key=self._along)
        middles = self._middles(bones)
        return {name: m if at_end else 1.0 - m for name, m in zip(bones, middles, strict=True)}

    def _helpers(self) -> Iterator[str]:
        first = self.chain[0]
        told = part_of(first, keep_twist=True), side_of(first)
        for name, parent in self.above.items():
            if twists(name) and (part_of(name, keep_twist=True), side_of(name)) == told:
                while parent is not None and twists(parent):
                    parent = self.above[parent]
                if parent == first and name != self.end:
                    yield name

    def _along(self, name: str) -> float:
        """Return how far along the segment the head of a bone is, 0 to 1."""
        line, way = self._line, self._way(name)
        return float(np.clip(np.dot(way, line) / np.dot(line, line), 0.0, 1.0))

    def _off_line(self, name: str) -> float:
        """Return how far off the segment's line the head of a bone is, as a part of its length."""
        return float(
            np.linalg.norm(self._way(name) - self._along(name) * self._line) / np.linalg.norm(self._line)
        )

    @property
    def _line(self) -> Array:
        return self._way(self.end)

    def _way(self, name: str) -> Array:
        return self.place[name] - self.place[self.chain[0]]

    def _middles(self, bones: Sequence[str]) -> list[float]:
        """Return the middles of what bones along the segment stand for."""
        return [0.5 * sum(ends) for ends in pairwise([*map(self._along, bones), 1.0])]
