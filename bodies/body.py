# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body: which bone of an armature plays which role, and which way is up, front and left."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .role import Role
from .tree import Array

# What is at least this sure is acted on; anything else is asked.
SURE = 0.9


@dataclass(frozen=True, eq=False)
class Body:
    """The ``roles`` of bones by name, and the ``kind`` of body with how ``sure`` it is (0 to 1).

    ``up``, ``forward``: unit vectors (3,) in armature space at rest, at right angles; ``middle`` (3,): a
    point of the mirror plane, which ``left`` is square to. All three are None where nothing is mirrored.
    ``notes``: what was found that does not fit, for the user.
    """

    kind: str
    sure: float
    roles: Mapping[str, Role]
    up: Array | None = None
    forward: Array | None = None
    middle: Array | None = None
    notes: tuple[str, ...] = ()

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

    def ends(self) -> tuple[str, ...]:
        """Return the bones that a body is held by: hips, head, hands and feet, no fingers and no face.

        An animal stands on its toes where it has any; insects' legs and chains are held by their last bones.
        """
        legs = sorted({role.part for role in self.roles.values() if role.part.startswith("leg")})
        grips = _HELD_BY.get(self.kind) or tuple((part,) for part in ("hips", *legs, "link", "hand"))
        held = (self._held(parts, side) for parts in grips for side in ("", "L", "R"))
        return tuple(bone for bone in held if bone)

    def _held(self, parts: tuple[str, ...], side: str) -> str:
        """Return the bone that the first of the parts that is there is held by; nothing without any."""
        found = next(filter(None, (self.bones(part, side) for part in parts)), ())
        return found[0 if self.roles[found[0]].part in _HELD_FIRST else -1] if found else ""


# For each grip the parts that it may be on, the best first, and those that are held by their first bone.
_HELD_BY: dict[str, tuple[tuple[str, ...], ...]] = {
    "human": (("hips",), ("head",), ("hand",), ("foot",)),
    "quadruped": (("hips",), ("head",), ("finger", "hand", "forearm"), ("toe", "foot", "shin")),
    "bird": (("hips",), ("head",), ("hand",), ("foot", "shin")),
}
_HELD_FIRST = {"hips", "head", "hand", "foot"}
