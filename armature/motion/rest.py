# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bodies laid over each other at rest.

The same way up and ahead, legs equally long, trunk and head in the follower's own proportions, its limbs
turned the shortest way into the direction of the leader's.
"""

from collections.abc import Mapping
from math import radians

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector

from ...bodies import Body
from ...solvers.geometry import Array, mirrors, norm
from .hinges import own_hinge, twisted
from .lead import Lead, body_of

_STANDING = radians(60.0)  # legs that are farther from where the trunk ends do not stand
_OPPOSITE = radians(120.0)  # ways that are farther apart have no shortest turn that is meant
_POINTED = radians(40.0)  # feet that point farther apart do not both stand
_LEANING = radians(45.0)  # bodies that lean farther are not upright
_EVEN = 1e-3  # scales differ by less than this share


def laid_over(lead: Lead) -> Matrix:
    """Return where the leader, an armature object, stands like the follower, leader_to_world.

    It does so at rest; where it does not stand at rest, it is as upright as in the scene.
    """
    axes = [_axes(body_of(ob)) for ob in (lead.follower, lead.leader)]
    turn = Matrix((axes[0] @ (_stood_up(lead) @ axes[1]).T).tolist()).to_4x4()
    limbs = lead.feet or lead.limbs
    ways = [[(end - begin).length for begin, end in lead.limb(name)] for name in limbs]
    own, others = np.sum(ways, axis=0) if ways else (1.0, 1.0)
    scale = float(own / others) if others > 0 < own else 1.0
    return lead.follower.matrix_world @ turn @ Matrix.Scale(scale, 4)


def scale_left_aside(leader: Object) -> str:
    """Return without what of the leader object's scale its motion is followed, in words; "" for an even one.

    Bodies are laid over each other in their own spaces, where they are as their bones have them.
    """
    linear = np.array(leader.matrix_world)[:3, :3]
    if mirrors(linear):
        return f"'{leader.name}' is mirrored by its scale, and followed as it is without: left as left"
    squares = linear.T @ linear
    is_even = np.abs(squares / squares[0, 0] - np.eye(3)).max() < _EVEN
    return "" if is_even else f"'{leader.name}' is scaled unevenly, and followed as it is without"


def stands(lead: Lead) -> bool:
    """Return whether the leader stands at rest, or is no human: then its rest tells how limbs are turned."""
    body = body_of(lead.leader)
    ways = [end - begin for begin, end in (lead.limb(name)[1] for name in lead.feet)]
    return body.kind != "human" or all(way.angle(-Vector(body.up), 0.0) < _STANDING for way in ways)


def goals_at_rest(lead: Lead, leader_to_world: Matrix, hinges: Mapping[str, Vector]) -> dict[str, Matrix]:
    """Return where targets of the effectors are, to the world, while the leader, laid over, is at rest.

    ``hinges``: axes in the leader's space about which limbs bend, of those that its rest tells nothing of.
    """
    leader_to_follower, names = lead.follower.matrix_world.inverted() @ leader_to_world, list(lead.bones)
    pairs = {name: pair for name, pair in zip(names, lead.pairs(names), strict=True)}
    lay, limbs = _laid_down(lead), {name: lead.limb(name) for name in lead.limbs}
    hips = [tuple(begin for begin, _ in limbs[name]) for name in lead.feet] or [
        (own.head_local, other.head_local) for own, other in pairs.values()
    ]
    shift = sum((leader_to_follower @ theirs - lay @ ours for ours, theirs in hips), Vector()) / len(hips)
    goals = {}
    for name, (own, _) in pairs.items():
        turn, place = lay, lay @ own.head_local
        if name in limbs:
            (pivot, end), theirs = limbs[name]
            begins, ends = (leader_to_follower @ place for place in theirs)
            leg = _turned(lead, name, lay @ (end - pivot), ends - begins) @ lay
            turn = _as_pointed(lead, name, leg, leader_to_follower) @ leg
            if name in hinges:
                hinge = own_hinge(lead, lead.roles[name], end - pivot)
                ways = lead.foot_ways(name)
                along = turn @ ways[0] if ways else ends - begins
                turn = twisted(turn, along, hinge, leader_to_follower.to_3x3() @ hinges[name])
            place = lay @ pivot + leg @ (end - pivot) + turn @ (own.head_local - end)
        goal = Matrix.Translation(place + shift) @ (turn @ own.matrix_local.to_3x3()).to_4x4()
        goals[name] = lead.follower.matrix_world @ goal
    return goals


def gets_up(lead: Lead, posed: Array) -> bool:
    """Return whether the leader lies at rest in the scene, and is upright in most frames of its motion.

    ``posed`` (frames, n, 4, 4): its bones in its own space. Motion of a body that lies, as of one that swims,
    is no such motion.
    """
    to_world, up = np.array(lead.leader.matrix_world)[:3, :3], np.array(body_of(lead.leader).up)
    rows = [row for row, name in enumerate(lead.bones) if name in lead.hips]
    rests = np.array([lead.leader.data.bones[lead.bones[name]].matrix_local for name in lead.hips])[:, :3, :3]
    moved = (posed[:, rows, :3, :3] @ np.linalg.inv(rests)).mean(axis=1) @ up
    shown = moved @ to_world.T
    ways = [to_world @ up, np.median(shown / norm(shown)[:, None], axis=0)]
    lying, upright = (way[2] / norm(way) for way in ways)
    return bool(lying < np.cos(_STANDING) and upright > np.cos(_LEANING))


def _axes(body: Body) -> Array:
    return np.stack([body.left, body.forward, body.up], axis=1)


def _stood_up(lead: Lead) -> Array:
    """Return the turn (3, 3) of the leader, in its own space, to where its trunk is upright in the scene.

    None of a human that stands at rest, and of other bodies, unless they get up from it. Some motion is given
    from a rest in which all bones point one way.
    """
    if stands(lead) and not lead.gets_up:
        return np.eye(3)
    up = Vector(body_of(lead.leader).up)
    upright = lead.leader.matrix_world.to_3x3().inverted() @ Vector((0.0, 0.0, 1.0))
    return np.array(up.rotation_difference(upright).to_matrix())


def _laid_down(lead: Lead) -> Matrix:
    """Return the turn (3, 3) of the follower, in its own space, to where the leader's rest has it lie."""
    stood, (own, theirs) = _stood_up(lead), (_axes(body_of(ob)) for ob in (lead.follower, lead.leader))
    lay = own @ theirs.T @ stood.T @ theirs @ own.T
    return Matrix.Identity(3) if (stood == np.eye(3)).all() else Matrix(lay.tolist())


def _turned(lead: Lead, name: str, own: Vector, other: Vector) -> Matrix:
    """Return the shortest turn (3, 3) of a limb from one way into another one.

    If the ways are about opposite, any turn may be the shortest. So a leg first turns about the hips' axis,
    as in a motion whose joints all lie in one line at rest, and an arm about the axis to the front.
    """
    if own.angle(other, 0.0) < _OPPOSITE:
        return own.rotation_difference(other).to_matrix()
    body = body_of(lead.follower)
    axis = _laid_down(lead) @ Vector(body.left if name in (*lead.feet, *lead.toes) else body.forward)
    about = twisted(Matrix.Identity(3), axis, own, other)
    return (about @ own).rotation_difference(other).to_matrix() @ about


def _as_pointed(lead: Lead, name: str, turn: Matrix, leader_to_follower: Matrix) -> Matrix:
    """Return what a foot, turned along with its leg, has to turn besides to point as the leader's does.

    Nothing where both point about the same way: feet that stand at rest do so alike, whatever their bones.
    """
    ways = lead.foot_ways(name)
    if ways is None:
        return Matrix.Identity(3)
    own, other = turn @ ways[0], leader_to_follower.to_3x3() @ ways[1]
    if own.angle(other, 0.0) < _POINTED:
        return Matrix.Identity(3)
    return own.rotation_difference(other).to_matrix()
