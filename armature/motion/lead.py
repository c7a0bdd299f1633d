# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who follows whom: which bone of the leader each effector of the follower follows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bpy.types import Bone, Object
from mathutils import Vector

from ...bodies import Body
from ..errors import RigError
from ..setup.body import recognised_body
from ..setup.effectors import effectors_of

# The roles of ends of limbs that stand on the ground.
_STANDS = re.compile(r"(fore|hind)?foot\b|leg")
# What parts of a body limbs begin with, by the roles of their ends; of the others it is the same part.
_ARM, _LEG = "upper_arm", "thigh"
_FIRST = {"hand": _ARM, "forefoot": _ARM, "wing": _ARM, "foot": _LEG, "hindfoot": _LEG}


@dataclass(frozen=True)
class Lead:
    """Which bone of the ``leader`` each effector of the ``follower``, both armatures, follows by name.

    ``roles``: what these effectors are in both bodies. ``others``: the effectors that follow nothing.
    """

    follower: Object
    leader: Object
    bones: Mapping[str, str]
    roles: Mapping[str, str]
    others: Sequence[str]

    @property
    def limbs(self) -> list[str]:
        """The effectors that are ends of limbs."""
        return [name for name, role in self.roles.items() if role.endswith((".L", ".R"))]

    @property
    def feet(self) -> list[str]:
        """The limbs that stand."""
        return [name for name in self.limbs if _STANDS.match(self.roles[name])]

    def pairs(self, effectors: Sequence[str]) -> list[tuple[Bone, Bone]]:
        """Return the bones of these effectors, each with the one that it follows."""
        own, theirs = self.follower.data.bones, self.leader.data.bones
        return [(own[effector], theirs[self.bones[effector]]) for effector in effectors]

    def starts(self, effector: str) -> tuple[Vector, Vector]:
        """Return where the limb that an effector ends begins, the follower's and the leader's, at rest.

        In their own spaces; where no limb is known, where the bone itself begins.
        """
        part, _, side = self.roles[effector].partition(".")
        ((own, other),) = self.pairs([effector])
        ends = (self.follower, own), (self.leader, other)
        firsts = [(ob, end, body_of(ob).bones(_FIRST.get(part, part), side)) for ob, end in ends]
        heads = [(ob.data.bones[first[0]] if first else end).head_local for ob, end, first in firsts]
        return heads[0], heads[1]


def lead_by_roles(follower: Object, leader: Object) -> Lead:
    """Return who follows whom, told by what parts of their bodies bones are. Raises RigError."""
    own, others = body_of(follower), body_of(leader)
    if own.kind != others.kind:
        kinds = (
            f"'{leader.name}' is a body of another kind, {others.kind}, than '{follower.name}', {own.kind}"
        )
        raise RigError(f"{kinds}: it cannot be followed")
    effectors = [bone.name for bone in effectors_of(follower)]
    roles = {name: own.name_of(name) for name in effectors}
    bones = {name: others.bone(role) for name, role in roles.items() if role and others.bone(role)}
    if not bones:
        raise RigError(f"No effector of '{follower.name}' is a part of the body that '{leader.name}' has too")
    others_left = [name for name in effectors if name not in bones]
    return Lead(follower, leader, bones, {name: roles[name] for name in bones}, others_left)


def body_of(ob: Object) -> Body:
    """Return the body that an armature is, with its directions. Raises RigError."""
    body = recognised_body(ob)
    if body.up is None or body.forward is None:
        raise RigError(f"The body of '{ob.name}' was not recognised")
    return body
