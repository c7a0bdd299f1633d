# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who follows whom: which bone of the leader each effector of the follower follows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
# The parts of a trunk, and where arms begin: of these no one hangs on what carries it.
_BASES = ("hips", "chest", "spine", "neck", "head", ARM[1])
# What parts limbs end with, by those that these carry: they turn along.
_LAST = dict.fromkeys(("palm", "finger", *FINGERS), ARM[-1]) | {"toe": LEG[-1]}


@dataclass(frozen=True)
class Lead:
    """Which bone of the ``leader`` each effector of the ``follower``, both armatures, follows by name.

    ``roles``: what these effectors are in both bodies. ``others``: the effectors that follow nothing.
    ``gets_up``: whether the leader lies at rest, and stands in its motion.
    """

    follower: Object
    leader: Object
    bones: Mapping[str, str]
    roles: Mapping[str, str]
    others: Sequence[str]
    gets_up: bool = False

    @property
    def limbs(self) -> list[str]:
        """The effectors that are of limbs."""
        return [name for name, role in self.roles.items() if part_and_side(role)[1]]

    @property
    def feet(self) -> list[str]:
        """The effectors that are ends of limbs on which bodies stand."""
        return [name for name, role in self.roles.items() if _STANDS.fullmatch(role)]

    @property
    def toes(self) -> list[str]:
        """The effectors that are toes."""
        return [name for name, role in self.roles.items() if part_and_side(role)[0] == "toe"]

    @property
    def hips(self) -> list[str]:
        """The hips or, where they are no effector, all that follow."""
        return [name for name, role in self.roles.items() if role == "hips"] or list(self.roles)

    def with_joints(self) -> "Lead":
        """Return the lead with the joints too that effectors hang on, after these.

        Those are hips, chest, and where arms begin and end, as far as both bodies have them.
        """
        own, others = body_of(self.follower), body_of(self.leader)
        parts = [part_and_side(self.roles[name]) for name in self.limbs]
        arms = [(part, side) for part, side in parts if _FIRST.get(part) == ARM[1]]
        ends = ((end, side) for part, side in arms for end in (ARM[1], _LAST.get(part)) if end)
        found = {f"{part}.{side}": (own.bones(part, side), others.bones(part, side)) for part, side in ends}
        found |= {role: ((own.bone(role),), (others.bone(role),)) for role in ("hips", "chest")}
        firsts = {role: (ours[0], theirs[0]) for role, (ours, theirs) in found.items() if ours and theirs}
        return self.with_more({own: (other, role) for role, (own, other) in firsts.items() if own and other})

    def with_more(self, found: Mapping[str, tuple[str, str]]) -> "Lead":
        """Return the lead with more bones after its own, each with the leader's bone and the role of both."""
        more = {own: of for own, of in found.items() if own not in self.bones}
        bones = {own: theirs for own, (theirs, _) in more.items()}
        roles = {own: role for own, (_, role) in more.items()}
        return replace(self, bones={**self.bones, **bones}, roles={**self.roles, **roles})

    def base(self, name: str) -> str:
        """Return the bone from which the follower's own proportions count for this one, if there is one.

        The bone is as far from its base as the follower's proportions have it, in the leader's direction. The
        base of a head is the chest, that of the chest the hips, that of a hand where its arm begins.
        """
        part, side = part_and_side(self.roles[name])
        if part in ("chest", "spine"):
            return self.bone_of("hips")
        if part in ("neck", "head", ARM[1]):
            return self.bone_of("chest") or self.bone_of("hips")
        return self.bone_of(f"{ARM[1]}.{side}") if self._is_of_arm(name) else ""

    def carrier(self, name: str) -> str:
        """Return the bone that carries one; nothing where that is none of these, for feet, and for those
        that others have as a base.
        """
        part, _ = part_and_side(self.roles[name])
        if part in _BASES or self._is_of_arm(name) or _STANDS.fullmatch(self.roles[name]):
            return ""
        above = self.follower.data.bones[name].parent_recursive
        return next((bone.name for bone in above if bone.name in self.bones), "")

    def _is_of_arm(self, name: str) -> bool:
        """Return whether a bone is of an arm or a wing, beyond where that begins: no finger, and no foot."""
        part, side = part_and_side(self.roles[name])
        is_arm = bool(side) and _FIRST.get(part) == ARM[1] and part != ARM[1]
        return is_arm and part not in _LAST and not _STANDS.fullmatch(self.roles[name])

    def bone_of(self, role: str) -> str:
        """Return the follower's bone of a role; nothing where there is none."""
        return next((name for name, known in self.roles.items() if known == role), "")

    def pairs(self, effectors: Sequence[str]) -> list[tuple[Bone, Bone]]:
        """Return the bones of these effectors, each with the one that it follows."""
        own, theirs = self.follower.data.bones, self.leader.data.bones
        return [(own[effector], theirs[self.bones[effector]]) for effector in effectors]

    def limb_bones(self, effector: str) -> list[tuple[Bone, Bone]]:
        """Return with which bones the limb that an effector is of begins and ends, the follower's and the
        leader's.

        It ends with the effector, or with the hand or foot that carries that; where no limb is known, it
        begins there, too.
        """
        part, side = part_and_side(self.roles[effector])
        ((own, other),) = self.pairs([effector])
        found = []
        for ob, bone in ((self.follower, own), (self.leader, other)):
            first, last = (body_of(ob).bones(known.get(part, part), side) for known in (_FIRST, _LAST))
            names = (first or (bone.name,))[0], last[0] if last and part in _LAST else bone.name
            begin, end = (ob.data.bones[name] for name in names)
            found.append((begin, end))
        return found

    def foot_ways(self, effector: str) -> tuple[Vector, Vector] | None:
        """Return where the feet of a leg that an effector is of point at rest, the follower's and the
        leader's, each in its own space; None unless both have toes.
        """
        part, side = part_and_side(self.roles[effector])
        if part not in (LEG[-1], "toe"):
            return None
        ways = []
        for ob in (self.follower, self.leader):
            foot, toe = (body_of(ob).bones(part, side) for part in (LEG[-1], "toe"))
            if not foot or not toe:
                return None
            ways.append(ob.data.bones[toe[0]].head_local - ob.data.bones[foot[0]].head_local)
        return ways[0], ways[1]

    def limb(self, effector: str) -> list[tuple[Vector, Vector]]:
        """Return where these bones begin at rest, each body's in its own space."""
        return [(begin.head_local, end.head_local) for begin, end in self.limb_bones(effector)]


def lead_by_roles(follower: Object, leader: Object) -> Lead:
    """Return who follows whom, told by what parts of their bodies bones are. Raises RigError."""
    own, others = body_of(follower), body_of(leader)
    if own.kind != others.kind:
        kinds = (
            f"'{leader.name}' is a body of another kind, {others.kind}, than '{follower.name}', {own.kind}"
        )
        raise RigError(f"{kinds}: it cannot be followed")
    effectors = [bone.name for bone in effectors_of(follower)]
    if not effectors:
        raise RigError(f"'{follower.name}' has no effectors: set up its body first")
    roles = {name: own.name_of(name) for name in effectors}
    bones = {name: followed for name, role in roles.items() if role and (followed := _followed(others, role))}
    if not bones:
        raise RigError(f"No effector of '{follower.name}' is a part of the body that '{leader.name}' has too")
    others_left = [name for name in effectors if name not in bones]
    return Lead(follower, leader, bones, {name: roles[name] for name in bones}, others_left)


def _followed(leader: Body, role: str) -> str:
    """Return the leader's bone of this role.

    Where it has no toes, they turn with its foot; where it has no head, that turns with the end of its neck.
    """
    part, side = part_and_side(role)
    if part == "head" and not leader.bone(role):
        return next(reversed(leader.bones("neck")), "")
    return leader.bone(role) or (leader.bone(f"{_LAST[part]}.{side}") if part == "toe" else "")


def part_and_side(role: str) -> tuple[str, str]:
    """Return the part of a body that a role is of, and its side, as it is written."""
    part, _, side = role.partition(" ")[0].partition(".")
    return part, side


def body_of(ob: Object) -> Body:
    """Return the body that an armature is, with its directions. Raises RigError."""
    body = recognised_body(ob)
    if body.up is None or body.forward is None:
        raise RigError(f"The body of '{ob.name}' was not recognised")
    return body
