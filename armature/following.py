# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows another one, of other proportions: its targets hang on the other one's bones.

Both are laid over each other at rest: the same way up and ahead, legs equally long, trunk and head in the
follower's own proportions, its limbs turned the shortest way into the direction of the leader's. Each target
then keeps its place in the frame of the leader's bone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Bone, Context, Object, PoseBone
from mathutils import Matrix, Vector

from ..bodies import Body
from .errors import RigError
from .ground import Standing, put_on_ground
from .setup.body import recognised_body
from .setup.effectors import effectors_of
from .setup.empties import made_for, make_target
from .setup.sides import extent

_SAME_PLACE = 1e-4  # of how far a joint is from the origin: bones that begin in one joint


@dataclass(frozen=True)
class Lead:
    """Which bone of the ``leader`` each effector of the ``follower``, both armatures, follows by name.

    ``limbs``: the effectors that are ends of limbs; ``feet``: those of them that stand.
    """

    follower: Object
    leader: Object
    bones: Mapping[str, str]
    limbs: Sequence[str]
    feet: Sequence[str]


def lead_by_roles(follower: Object, leader: Object) -> Lead:
    """Return who follows whom, told by what parts of their bodies bones are. Raises RigError."""
    own, others = _body(follower), _body(leader)
    roles = {bone.name: own.name_of(bone.name) for bone in effectors_of(follower)}
    bones = {bone: others.bone(role) for bone, role in roles.items() if role and others.bone(role)}
    if not bones:
        raise RigError(f"No effector of '{follower.name}' is a part of the body that '{leader.name}' has too")
    limbs = [bone for bone in bones if roles[bone].endswith((".L", ".R"))]
    feet = [bone for bone in limbs if roles[bone].startswith("foot")]
    return Lead(follower, leader, bones, limbs, feet)


def follow(context: Context, lead: Lead, levels: bool = True) -> list[str]:
    """Have the effectors follow: the leader is turned, scaled, put on the ground and carries their targets.

    Effectors that follow nothing get no target; the others keep their own, unless it is moved by something
    else. ``levels``: whether a tilted floor of the leader is made level. The scene's range has to be the
    leader's. Returns what is to be told of the ground, in sentences.
    """
    _lay_over(lead)
    context.view_layer.update()
    goals = _goals_at_rest(lead)
    targets = {}
    for bone in effectors_of(lead.follower):
        settings = bone.superpose
        before, settings.target, settings.target_bone = _own_target(lead.follower, bone), None, ""
        if bone.name in lead.bones:
            target = before or make_target(context, lead.follower, bone, goals[bone.name])
            _hang(lead, bone.name, target, goals[bone.name])
            settings.target = targets[bone.name] = target
    size = extent(lead.follower) * max(lead.follower.matrix_world.to_scale())
    return put_on_ground(context, lead.leader, lead.follower, _stands(lead, targets), size, levels)


def _own_target(ob: Object, bone: PoseBone) -> Object | None:
    """Return the effector's target if it can be hung elsewhere without taking it from anybody.

    So it was made for the armature, is moved by nothing, and one effector has it.
    """
    target = bone.superpose.target
    if target is None or target.type != 'EMPTY' or made_for(target) != ob or target.library:
        return None
    is_moved = target.parent or target.constraints or target.animation_data
    askers = sum(other.superpose.target == target for other in effectors_of(ob))
    return None if is_moved or askers > 1 else target


def _body(ob: Object) -> Body:
    body = recognised_body(ob)
    if body.up is None or body.forward is None:
        raise RigError(f"The body of '{ob.name}' was not recognised")
    return body


def _joint(bone: Bone) -> Vector:
    return bone.head_local


def _limb_start(bone: Bone) -> Vector:
    """Return where the limb of a hand or foot begins: two joints up, those in one place counted once."""
    joints = [bone.head_local]
    for above in bone.parent_recursive:
        if (above.head_local - joints[-1]).length > _SAME_PLACE * joints[0].length:
            joints.append(above.head_local)
    return joints[min(2, len(joints) - 1)]


def _pairs(lead: Lead, effectors: Sequence[str]) -> list[tuple[Bone, Bone]]:
    bones = lead.follower.data.bones, lead.leader.data.bones
    return [(bones[0][effector], bones[1][lead.bones[effector]]) for effector in effectors]


def _lay_over(lead: Lead) -> None:
    """Turn and scale the leader so that at rest it stands like the follower."""
    bodies = _body(lead.follower), _body(lead.leader)
    axes = [np.stack([body.left, body.forward, body.up], axis=1) for body in bodies]
    turn = Matrix((axes[0] @ axes[1].T).tolist()).to_4x4()
    pairs = _pairs(lead, lead.feet or lead.limbs or list(lead.bones))
    own, others = (
        sum((_joint(bone) - _limb_start(bone)).length for bone in side) for side in zip(*pairs, strict=True)
    )
    scale = own / others if others > 0 else 1.0
    lead.leader.matrix_world = lead.follower.matrix_world @ turn @ Matrix.Scale(scale, 4)


def _goals_at_rest(lead: Lead) -> dict[str, Matrix]:
    """Return where the effectors (target to world) are over the leader's rest pose."""
    leader_to_follower = lead.follower.matrix_world.inverted() @ lead.leader.matrix_world
    starts = [
        (_limb_start(own), leader_to_follower @ _limb_start(other)) for own, other in _pairs(lead, lead.feet)
    ]
    hips = starts or [
        (_joint(own), leader_to_follower @ _joint(other)) for own, other in _pairs(lead, list(lead.bones))
    ]
    shift = sum((theirs - ours for ours, theirs in hips), Vector()) / len(hips)
    goals = {}
    for effector, (own, other) in zip(lead.bones, _pairs(lead, list(lead.bones)), strict=True):
        turn, pivot = Matrix.Identity(3), _joint(own)
        if effector in lead.limbs:
            pivot = _limb_start(own)
            theirs = leader_to_follower @ _joint(other) - leader_to_follower @ _limb_start(other)
            turn = (_joint(own) - pivot).rotation_difference(theirs).to_matrix()
        place = pivot + turn @ (_joint(own) - pivot) + shift
        goal = Matrix.Translation(place) @ (turn @ own.matrix_local.to_3x3()).to_4x4()
        goals[effector] = lead.follower.matrix_world @ goal
    return goals


def _hang(lead: Lead, effector: str, target: Object, goal: Matrix) -> None:
    """Have the leader's bone carry a target that is at ``goal`` (target_to_world) when it is at rest."""
    bone = lead.leader.data.bones[lead.bones[effector]]
    target.parent, target.parent_type, target.parent_bone = lead.leader, 'BONE', bone.name
    target.matrix_parent_inverse = Matrix.Translation((0.0, -bone.length, 0.0))  # children hang on the tail
    target.matrix_basis = (lead.leader.matrix_world @ bone.matrix_local).inverted() @ goal


def _stands(lead: Lead, targets: Mapping[str, Object]) -> list[Standing]:
    """Return the targets, each with where the follower's bone is at rest."""
    to_world, bones = lead.follower.matrix_world, lead.follower.data.bones
    return [
        Standing(target, to_world @ bones[name].matrix_local, bones[name].length, name in lead.feet)
        for name, target in targets.items()
    ]
