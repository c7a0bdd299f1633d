# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bodies laid over each other at rest.

The same way up and ahead, legs equally long, trunk and head in the follower's own proportions, its limbs
turned the shortest way into the direction of the leader's.
"""

import numpy as np
from bpy.types import Bone
from mathutils import Matrix, Vector

from .lead import Lead, body_of

_SAME_PLACE = 1e-4  # of how far a joint is from the origin: bones that begin in one joint


def laid_over(lead: Lead) -> Matrix:
    """Return where the leader, an armature object, stands like the follower at rest, leader_to_world."""
    bodies = body_of(lead.follower), body_of(lead.leader)
    axes = [np.stack([body.left, body.forward, body.up], axis=1) for body in bodies]
    turn = Matrix((axes[0] @ axes[1].T).tolist()).to_4x4()
    pairs = lead.pairs(lead.feet or lead.limbs or list(lead.bones))
    own, others = (
        sum((bone.head_local - _limb_start(bone)).length for bone in side)
        for side in zip(*pairs, strict=True)
    )
    scale = own / others if others > 0 else 1.0
    return lead.follower.matrix_world @ turn @ Matrix.Scale(scale, 4)


def goals_at_rest(lead: Lead, leader_to_world: Matrix) -> dict[str, Matrix]:
    """Return where targets of the effectors are, to the world, while the leader, laid over, is at rest."""
    leader_to_follower = lead.follower.matrix_world.inverted() @ leader_to_world
    starts = [
        (_limb_start(own), leader_to_follower @ _limb_start(other)) for own, other in lead.pairs(lead.feet)
    ]
    hips = starts or [
        (own.head_local, leader_to_follower @ other.head_local) for own, other in lead.pairs(list(lead.bones))
    ]
    shift = sum((theirs - ours for ours, theirs in hips), Vector()) / len(hips)
    goals = {}
    for effector, (own, other) in zip(lead.bones, lead.pairs(list(lead.bones)), strict=True):
        turn, pivot = Matrix.Identity(3), own.head_local
        if effector in lead.limbs:
            pivot = _limb_start(own)
            theirs = leader_to_follower @ other.head_local - leader_to_follower @ _limb_start(other)
            turn = (own.head_local - pivot).rotation_difference(theirs).to_matrix()
        place = pivot + turn @ (own.head_local - pivot) + shift
        goal = Matrix.Translation(place) @ (turn @ own.matrix_local.to_3x3()).to_4x4()
        goals[effector] = lead.follower.matrix_world @ goal
    return goals


def _limb_start(bone: Bone) -> Vector:
    """Return where the limb of a hand or foot begins: two joints up, those in one place counted once."""
    joints = [bone.head_local]
    for above in bone.parent_recursive:
        if (above.head_local - joints[-1]).length > _SAME_PLACE * joints[0].length:
            joints.append(above.head_local)
    return joints[min(2, len(joints) - 1)]
