# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body: which bone of an armature plays which role, and which way is up, front and left."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from .holds import HOLDS, SINGLE, Hold, ends_in_point, held, holds_of, may_end_in_point
from .role import Role
from .tree import Array

# What is at least this sure is acted on; anything else is asked.
SURE = 0.9


@dataclass(frozen=True, eq=False)
class Body:
    """The ``roles`` of bones by name, and the ``kind`` of body with how ``sure`` it is (0 to 1).

    ``up``, ``forward``: unit vectors (3,) in armature space at rest, at right angles; ``middle`` (3,): a
    point of the mirror plane, which ``left`` is square to. All three are None where nothing is mirrored.
    ``notes``: what was found that does not fit, for the user. ``told``: bones of holds that the user has
    chosen, nothing for a hold that is left out, as the head of a body that has none. ``hung``: the bones from
    hips to chest where the hips hang on that.
    """

    kind: str
    sure: float
    roles: Mapping[str, Role]
    up: Array | None = None
    forward: Array | None = None
    middle: Array | None = None
    notes: tuple[str, ...] = ()
    told: Mapping[str, str] = field(default_factory=dict)
    hung: tuple[str, ...] = ()

    @property
    def joints(self) -> dict[str, Role]:
        """What moves where each bone hangs on the one above: its own role; of hung bones that of the next.

        The chest, a root, has none.
        """
        links = (link for link in pairwise(self.hung) if self.roles.keys() >= set(link))
        moved = {bone: self.roles[above] for bone, above in links}
        return {name: role for name, role in self.roles.items() if name not in self.hung} | moved

    @property
    def left(self) -> Array | None:
        return None if self.up is None or self.forward is None else np.cross(self.up, self.forward)

    @property
    def is_sure(self) -> bool:
        return self.sure >= SURE

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The bones whose roles should be asked for."""
        return tuple(name for name, role in self.roles.items() if min(role.sure, self.sure) < SURE)

    def bones(self, part: str, side: str = "") -> tuple[str, ...]:
        """Return the bones of a part on one side, from the trunk outwards."""
        found = [name for name, role in self.roles.items() if (role.part, role.side) == (part, side)]
        return tuple(sorted(found, key=lambda name: (self.roles[name].place, name)))

    def holds(self) -> dict[str, str]:
        """Return the bone of every hold that is there, such as hips or hand.L."""
        return {name: bone for _, name, bone in self._holds() if bone}

    def held_by(self, begins: tuple[str, ...]) -> set[str]:
        """Return the bones of the holds whose names begin so."""
        return {bone for hold, bone in self.holds().items() if hold.startswith(begins)}

    def bone(self, name: str) -> str:
        """Return the bone of a hold or of a role, both as they are written; nothing where there is none.

        Of a part that has another number of bones it is the one that is as far from the trunk.
        """
        held = {**self.holds(), **self.told}
        if name in held:
            return held[name]
        role = Role.written(name)
        bones = self.bones(role.part, role.side) if role else ()
        return bones[-(-role.place * len(bones) // role.count) - 1] if role and bones else ""

    def name_of(self, bone: str) -> str:
        """Return the hold that a bone is, or else its role; nothing for bones without any."""
        holds = {held: name for name, held in self.holds().items()}
        return holds.get(bone, str(self.roles.get(bone, "")))

    def of(self, bones: Collection[str]) -> "Body":
        """Return the body with the roles of these bones alone."""
        return replace(self, roles={name: role for name, role in self.roles.items() if name in bones})

    def confirmed(self, kind: str, holds: Mapping[str, str]) -> "Body":
        """Return the body as the user says that it is: its kind, and the bones of holds.

        A hold that is one joint, as a hand is, takes its role along.
        """
        roles = {name: replace(role, sure=1.0) for name, role in self.roles.items()}
        was = replace(self, kind=kind).holds()
        for name, bone in holds.items():
            role = Role.written(name)
            if role and role.part in SINGLE and bone and bone != was.get(name):
                roles.pop(was.get(name, ""), None)
                roles[bone] = role
        return replace(self, kind=kind, sure=1.0, roles=roles, told={**was, **holds})

    def missing(self) -> tuple[str, ...]:
        """Return the holds that every such body has at its ends, that were not found and are not left out."""
        ends = self._holds() if self.kind in HOLDS else ()
        return tuple(name for hold, name, bone in ends if hold.is_end and not (bone or name in self.told))

    def ends(self) -> tuple[str, ...]:
        """Return the bones that it is held by at its ends: hips, head, hands, feet; no fingers, no face."""
        return tuple(bone for hold, _, bone in self._holds() if hold.is_end and bone)

    def pointed(self) -> tuple[str, ...]:
        """Return the bones that legs without feet are held by: each leg stands on the end of its bone."""
        return self._held_so(ends_in_point)

    def paws(self) -> tuple[str, ...]:
        """Return the bones that legs of quadrupeds are held by: they stand on the ends of those upright."""
        return self._held_so(may_end_in_point)

    def _held_so(self, is_so: Callable[[str, str], bool]) -> tuple[str, ...]:
        """Return the bones of holds of which it is so, by the name of the hold and the part of the body."""
        parts = {bone: role.part for bone, role in self.roles.items()}
        return tuple(bone for _, name, bone in self._holds() if is_so(name, parts.get(bone, "")))

    def _holds(self) -> Iterator[tuple[Hold, str, str]]:
        for hold in holds_of(self.kind, {role.part for role in self.roles.values()}):
            for name, side in zip(hold.names, "LR" if hold.sided else ("",), strict=True):
                found = held(hold, (self.bones(part, side) for part in hold.parts))
                yield hold, name, self.told.get(name, found)
