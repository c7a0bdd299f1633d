# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who follows whom: which bone of the leader each effector of the follower follows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bpy.types import Bone, Object
from mathutils import Vector

from ...bodies import Body
from ...bodies.role import ARM, FINGERS, LEG
from ..errors import RigError
from ..setup.body import recognised_body
from ..setup.effectors import effectors_of

# The roles of ends of limbs that stand on the ground.
_STANDS = re.compile(r"((fore|hind)?foot|leg\d+)\.[LR]")
# What parts of a body limbs begin with, by those that are of them; of the others it is the same part.
_OF_ARMS = (*ARM[1:], "palm", "finger", *FINGERS, "forefoot", "wing")
_OF_LEGS = (*LEG[1:], "toe", "hindfoot")
_FIRST = dict.fromkeys(_OF_ARMS, ARM[1]) | dict.fromkeys(_OF_LEGS, LEG[1])
# What parts limbs end with, by those that these carry: they turn along.
_LAST = dict.fromkeys(("palm", "finger", *FINGERS), ARM[-1]) | {"toe": LEG[-1]}


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
        """The effectors that are of limbs."""
        return [name for name, role in self.roles.items() if _part_and_side(role)[1]]

    @property
    def feet(self) -> list[str]:
        """The effectors that are ends of limbs on which bodies stand."""
        return [name for name, role in self.roles.items() if _STANDS.fullmatch(role)]

    @property
    def hips(self) -> list[str]:
        """The hips or, where they are no effector, all that follow."""
        return [name for name, role in self.roles.items() if role == "hips"] or list(self.roles)

    def pairs(self, effectors: Sequence[str]) -> list[tuple[Bone, Bone]]:
        """Return the bones of these effectors, each with the one that it follows."""
        own, theirs = self.follower.data.bones, self.leader.data.bones
        return [(own[effector], theirs[self.bones[effector]]) for effector in effectors]

    def limb(self, effector: str) -> list[tuple[Vector, Vector]]:
        """Return where the limb that an effector is of begins and ends, the follower's and the leader's.

        At rest, in their own spaces. It ends with the effector, or with the hand or foot that carries that;
        where no limb is known, it begins there, too.
        """
        part, side = _part_and_side(self.roles[effector])
        ((own, other),) = self.pairs([effector])
        places = []
        for ob, bone in ((self.follower, own), (self.leader, other)):
            first, last = (body_of(ob).bones(known.get(part, part), side) for known in (_FIRST, _LAST))
            names = (first or (bone.name,))[0], last[0] if last and part in _LAST else bone.name
            begin, end = (ob.data.bones[name].head_local for name in names)
            places.append((begin, end))
        return places


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


def _part_and_side(role: str) -> tuple[str, str]:
    part, _, side = role.partition(" ")[0].partition(".")
    return part, side


def body_of(ob: Object) -> Body:
    """Return the body that an armature is, with its directions. Raises RigError."""
    body = recognised_body(ob)
    if body.up is None or body.forward is None:
        raise RigError(f"The body of '{ob.name}' was not recognised")
    return body
