# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who follows whom: which bone of the leader each effector of the follower follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bpy.types import Bone, Object

from ...bodies import Body
from ..errors import RigError
from ..setup.body import recognised_body
from ..setup.effectors import effectors_of


@dataclass(frozen=True)
class Lead:
    """Which bone of the ``leader`` each effector of the ``follower``, both armatures, follows by name.

    ``limbs``: the effectors that are ends of limbs; ``feet``: those of them that stand. ``others``: the
    effectors that follow nothing.
    """

    follower: Object
    leader: Object
    bones: Mapping[str, str]
    limbs: Sequence[str]
    feet: Sequence[str]
    others: Sequence[str]

    def pairs(self, effectors: Sequence[str]) -> list[tuple[Bone, Bone]]:
        """Return the bones of these effectors, each with the one that it follows."""
        own, theirs = self.follower.data.bones, self.leader.data.bones
        return [(own[effector], theirs[self.bones[effector]]) for effector in effectors]


def lead_by_roles(follower: Object, leader: Object) -> Lead:
    """Return who follows whom, told by what parts of their bodies bones are. Raises RigError."""
    own, others = body_of(follower), body_of(leader)
    effectors = [bone.name for bone in effectors_of(follower)]
    roles = {name: own.name_of(name) for name in effectors}
    bones = {name: others.bone(role) for name, role in roles.items() if role and others.bone(role)}
    if not bones:
        raise RigError(f"No effector of '{follower.name}' is a part of the body that '{leader.name}' has too")
    limbs = [name for name in bones if roles[name].endswith((".L", ".R"))]
    feet = [name for name in limbs if roles[name].startswith("foot")]
    return Lead(follower, leader, bones, limbs, feet, [name for name in effectors if name not in bones])


def body_of(ob: Object) -> Body:
    """Return the body that an armature is, with its directions. Raises RigError."""
    body = recognised_body(ob)
    if body.up is None or body.forward is None:
        raise RigError(f"The body of '{ob.name}' was not recognised")
    return body
