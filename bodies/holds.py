# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The holds of each kind of body: where it is held to be moved as a whole, each by a name such as hand.L."""

from collections.abc import Iterator
from dataclasses import dataclass

from .role import Role


@dataclass(frozen=True)
class Hold:
    """A hold by its ``name``, on the first of the ``parts`` that is there, on both sides if it is ``sided``.

    ``is_end``: it ends a part of the body, and a body without it is not whole.
    """

    name: str
    parts: tuple[str, ...]
    sided: bool = False
    is_end: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (f"{self.name}.L", f"{self.name}.R") if self.sided else (self.name,)


_HIPS = Hold("hips", ("hips",))
_TRUNK = (_HIPS, Hold("chest", ("spine",), is_end=False), Hold("head", ("head",)))
# An animal stands on its toes where it has any; legs of insects and chains are held by their last bones.
HOLDS = {
    "human": (*_TRUNK, Hold("hand", ("hand",), sided=True), Hold("foot", ("foot",), sided=True)),
    "quadruped": (
        *_TRUNK,
        Hold("forefoot", ("finger", "hand", "forearm"), sided=True),
        Hold("hindfoot", ("toe", "foot", "shin"), sided=True),
    ),
    "bird": (*_TRUNK, Hold("wing", ("hand",), sided=True), Hold("foot", ("foot", "shin"), sided=True)),
}
_BASE, _TIP = Hold("base", ("link",), is_end=False), Hold("tip", ("link",))
_NAMES = {name for holds in (*HOLDS.values(), (_BASE, _TIP)) for hold in holds for name in hold.names}
# Holds of legs, by how their names begin, and the parts of a leg that has no foot beyond.
_OF_LEGS, _SHAFTS = ("leg", "foot", "forefoot", "hindfoot"), ("leg", "shin", "forearm")
# And of those on whose ends a quadruped stands where they are upright: there are no hooves beyond them.
_OF_PAWS, _PAWS = ("forefoot", "hindfoot"), ("hand", "foot", "finger", "toe")
_SIDES = {"L": "Left", "R": "Right"}
SINGLE = {"hips", "head", "hand", "foot"}  # parts that are one joint: of more, the first is held


def holds_of(kind: str, parts: set[str]) -> tuple[Hold, ...]:
    """Return the holds of a kind of body; of one without a table, those that the parts it has allow."""
    if kind in HOLDS:
        return HOLDS[kind]
    legs = (Hold(part, (part,), sided=True) for part in sorted(parts) if part.startswith("leg"))
    others = (_HIPS, *legs, _BASE, _TIP, Hold("hand", ("hand",), sided=True))
    return tuple(hold for hold in others if set(hold.parts) & parts)


def held(hold: Hold, chains: Iterator[tuple[str, ...]]) -> str:
    """Return the bone of a hold, given the bones of each of its parts; nothing where none is there."""
    for part, bones in zip(hold.parts, chains, strict=True):
        if bones:
            return bones[0 if part in SINGLE or hold is _BASE else -1]
    return ""


def ends_in_point(hold: str, part: str) -> bool:
    """Return whether a leg whose hold is on such a part has no foot, and so stands on the end of that."""
    return hold.startswith(_OF_LEGS) and part.startswith(_SHAFTS)


def may_end_in_point(hold: str, part: str) -> bool:
    """Return whether a leg whose hold is on such a part stands on the end of that if it is upright."""
    return hold.startswith(_OF_PAWS) and part in _PAWS


def is_name(name: str) -> bool:
    """Return whether it is how a hold or a role is written that some body could have."""
    return name in _NAMES or Role.written(name) is not None


def label(name: str) -> str:
    """Return the words for a hold or a role that dialogs show: Hips, Left Upper Arm, Left Leg 2."""
    written, gap, place = name.partition(" ")
    part, _, side = written.partition(".")
    number = part.removeprefix("leg")
    words = f"Leg {number}" if number.isdigit() else part.replace("_", " ").title()
    return (f"{_SIDES[side]} {words}" if side else words) + gap + place


def said(name: str) -> str:
    """Return how messages say a hold or a role: as dialogs show it and as scripts write it."""
    words = label(name)
    return name if words.lower() == name.lower() else f"{words} ({name})"
