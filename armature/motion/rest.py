# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bodies laid over each other at rest.

The same way up and ahead, legs equally long, trunk and head in the follower's own proportions, its limbs
turned the shortest way into the direction of the leader's.
"""

import numpy as np
from mathutils import Matrix, Vector

from .lead import Lead, body_of


def laid_over(lead: Lead) -> Matrix:
    """Return where the leader, an armature object, stands like the follower at rest, leader_to_world."""
    bodies = body_of(lead.follower), body_of(lead.leader)
    axes = [np.stack([body.left, body.forward, body.up], axis=1) for body in bodies]
    turn = Matrix((axes[0] @ axes[1].T).tolist()).to_4x4()
    limbs = lead.feet or lead.limbs
    ways = [[(end - begin).length for begin, end in lead.limb(name)] for name in limbs]
    own, others = np.sum(ways, axis=0) if ways else (1.0, 1.0)
    scale = float(own / others) if others > 0 < own else 1.0
    return lead.follower.matrix_world @ turn @ Matrix.Scale(scale, 4)


def goals_at_rest(lead: Lead, leader_to_world: Matrix) -> dict[str, Matrix]:
    """Return where targets of the effectors are, to the world, while the leader, laid over, is at rest."""
    leader_to_follower, names = lead.follower.matrix_world.inverted() @ leader_to_world, list(lead.bones)
    pairs = {name: pair for name, pair in zip(names, lead.pairs(names), strict=True)}
    limbs = {name: lead.limb(name) for name in lead.limbs}
    hips = [tuple(begin for begin, _ in limbs[name]) for name in lead.feet] or [
        (own.head_local, other.head_local) for own, other in pairs.values()
    ]
    shift = sum((leader_to_follower @ theirs - ours for ours, theirs in hips), Vector()) / len(hips)
    goals = {}
    for name, (own, _) in pairs.items():
        turn, pivot = Matrix.Identity(3), own.head_local
        if name in limbs:
            (pivot, end), theirs = limbs[name]
            begins, ends = (leader_to_follower @ place for place in theirs)
            turn = (end - pivot).rotation_difference(ends - begins).to_matrix()
        place = pivot + turn @ (own.head_local - pivot) + shift
        goal = Matrix.Translation(place) @ (turn @ own.matrix_local.to_3x3()).to_4x4()
        goals[name] = lead.follower.matrix_world @ goal
    return goals
