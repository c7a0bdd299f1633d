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
    pairs = zip(lead.pairs(limbs), map(lead.starts, limbs), strict=True)
    ways = [[(end.head_local - begin).length for end, begin in zip(*pair, strict=True)] for pair in pairs]
    own, others = np.sum(ways, axis=0) if ways else (1.0, 1.0)
    scale = float(own / others) if others > 0 < own else 1.0
    return lead.follower.matrix_world @ turn @ Matrix.Scale(scale, 4)


def goals_at_rest(lead: Lead, leader_to_world: Matrix) -> dict[str, Matrix]:
    """Return where targets of the effectors are, to the world, while the leader, laid over, is at rest."""
    leader_to_follower, names = lead.follower.matrix_world.inverted() @ leader_to_world, list(lead.bones)
    pairs = {name: pair for name, pair in zip(names, lead.pairs(names), strict=True)}
    begins = {name: lead.starts(name) for name in lead.limbs}
    hips = [begins[name] for name in lead.feet] or [
        (own.head_local, other.head_local) for own, other in pairs.values()
    ]
    shift = sum((leader_to_follower @ theirs - ours for ours, theirs in hips), Vector()) / len(hips)
    goals = {}
    for name, (own, other) in pairs.items():
        turn, pivot = Matrix.Identity(3), own.head_local
        if name in begins:
            pivot, begin = begins[name]
            theirs = leader_to_follower @ other.head_local - leader_to_follower @ begin
            turn = (own.head_local - pivot).rotation_difference(theirs).to_matrix()
        place = pivot + turn @ (own.head_local - pivot) + shift
        goal = Matrix.Translation(place) @ (turn @ own.matrix_local.to_3x3()).to_4x4()
        goals[name] = lead.follower.matrix_world @ goal
    return goals
