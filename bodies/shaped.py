# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles by shape alone: the plan that fits best, and what its limbs, its trunk and its fingers are."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .facing import sigmoid
from .limbs import limbs_of
from .mirror import mates_of, mirror_of, named_pairs
from .named import hips_among
from .plans import HUMAN, INSECT, Plan, plans_of
from .role import ARM, FINGERS, LEG, Role
from .tree import Tree
from .view import Divided, View

# How sure a plan is by how well it fits beside the others: the share that was right on rigs never seen.
_FITS, _RIGHT = (0.0, 0.4, 0.6, 0.8, 0.9, 1.0), (0.3, 0.6, 0.71, 0.85, 0.93, 0.99)
_DOUBT = 0.03
# Where joints lie on one another like this it is a control rig, whose shape tells little.
_JOINTS_A_PLACE, _DOUBLED = 1.6, 0.5
# In sizes of the body: chains in the middle shorter than this are no tails.
_TAIL = 0.08
# In lengths of the trunk, from hips to shoulders: a neck is a fifth, and a head two fifths up to its top.
_NECK = 0.33
_LEAST_SYMMETRY = 0.25


@dataclass(frozen=True, eq=False)
class Shaped:
    """The ``plan`` of a body, how ``sure`` it is, and the ``roles`` of its joints.

    ``sided``: how sure the sides are. ``contradicts``: names and shape tell opposite sides.
    """

    view: View
    plan: Plan
    sure: float
    roles: dict[int, Role]
    sided: float
    contradicts: bool


def shaped(tree: Tree) -> Shaped | None:
    """Return what the shape tells; None where nothing is mirrored or no plan fits."""
    mirror = mirror_of(tree)
    root = max(tree.roots, key=lambda joint: tree.counts[joint])
    if mirror is None or mirror.symmetry < _LEAST_SYMMETRY:
        return None
    mates = mates_of(tree, mirror, root)
    view = View(tree, mirror, mates)
    plans = plans_of(view, limbs_of(tree, mirror, mates))
    if not plans or plans[0].fits < _DOUBT:
        return None
    plan = plans[0]
    rivals = [other.fits for other in plans if other.kind != plan.kind]
    fits = plan.fits / (plan.fits + max(rivals, default=0.0) + _DOUBT)
    first_is_left = bool(np.cross(plan.up, plan.forward) @ mirror.normal > 0)
    doubt = _DOUBLED if _joints_a_place(tree) > _JOINTS_A_PLACE else 1.0
    sure = doubt * float(np.interp(fits, _FITS, _RIGHT))
    told = bool(named_pairs(tree))
    roles = dict(_roles(view, plan, "LR" if told or first_is_left else "RL"))
    sided = 1.0 if told else sigmoid(1.3 * plan.facing)
    contradicts = told and not first_is_left and sigmoid(1.3 * plan.facing) > 0.95
    return Shaped(view, plan, sure, roles, sided, contradicts)


def _joints_a_place(tree: Tree) -> float:
    """Return how many joints there are to a place, on average."""
    places = np.unique(np.round((tree.heads - tree.heads[0]) / tree.size, 4), axis=0)
    return len(tree.names) / len(places)


def _roles(view: View, plan: Plan, sides: str) -> Iterator[tuple[int, Role]]:
    if plan.kind == INSECT:
        yield from _many_legs(view, plan, sides)
        return
    (leg,), (arm,) = plan.legs, plan.arms
    for side, row in zip(sides, (0, 1), strict=True):
        yield from _limb(view, leg, LEG, side, row)
        yield from _limb(view, arm, ARM, side, row)
    trunk = float(np.linalg.norm(view.flat(arm.start) - view.flat(leg.start)))
    yield from _trunk(view, leg, arm, _NECK * trunk if plan.kind == HUMAN else np.inf)


def _many_legs(view: View, plan: Plan, sides: str) -> Iterator[tuple[int, Role]]:
    tops = [joint for leg in plan.legs for joint in leg.limb.joints[:, 0].tolist() if joint >= 0]
    if (hips := hips_among(view.tree, tops)) is not None:
        yield hips, Role("hips")
    shared = {joint for joint in tops if tops.count(joint) > 1}  # the stem of several legs is no leg
    for number, leg in enumerate(plan.legs, 1):
        for side, row in zip(sides, leg.limb.joints.tolist(), strict=True):
            yield from _chain(f"leg{number}", side, [joint for joint in row if joint not in shared])


def _trunk(view: View, leg: Divided, arm: Divided, longest: float) -> Iterator[tuple[int, Role]]:
    """Give the roles of the middle; ``longest``: the most that a bone of its neck can be long."""
    tree = view.tree
    hips = hips_among(tree, [joint for joint in leg.limb.joints[:, leg.places[0]].tolist() if joint >= 0])
    ways = [
        list(tree.ancestors(joint))
        for joint in (arm.limb.carrier, leg.limb.carrier if hips is None else hips)
    ]
    way = [joint for joint in reversed(ways[0]) if joint not in ways[1]]
    if hips is not None:
        yield hips, Role("hips")
    yield from _chain("spine", "", [joint for joint in way if joint != hips])
    neck = [joint for joint in view.beyond(arm.limb, leg.limb) if joint != hips]
    if neck:
        head = view.head_of(neck, longest)
        yield from _chain("neck", "", neck[:head])
        yield neck[head], Role("head")
    tail = [joint for joint in view.beyond(leg.limb, arm.limb) if joint != hips]
    if len(tail) > 1 and tree.reaches[tail[0]] > _TAIL * tree.size:
        yield from _chain("tail", "", tail)


def _limb(
    view: View, limb: Divided, parts: tuple[str, ...], side: str, row: int
) -> Iterator[tuple[int, Role]]:
    joints, places = limb.limb.joints[row].tolist(), (0, *limb.places)
    for part, first, last in zip(parts, places, places[1:], strict=False):
        yield from _chain(part, side, joints[first:last])
    rest = joints[places[-1] :]
    if len(places) == len(parts) + 1 and limb.limb.hub is not None:  # a paw: its claws are many
        rest = joints[places[-1] : max(limb.limb.hub, places[-1]) + 1]
    if len(places) == len(parts):  # two segments: the hand or foot is one joint
        yield from _chain(parts[-1], side, rest[:1])
        rest = rest[1:]
    fingers = _fingers(view, joints[places[-1]]) if parts is ARM and joints[places[-1]] >= 0 else []
    if len(fingers) != len(FINGERS):
        yield from _chain("toe" if parts is LEG else "finger", side, rest)
        return
    for part, way in zip(FINGERS, fingers, strict=True):
        if part != "thumb" and len(way) > 3 and view.tree.edges[way[0]] < view.tree.edges[way[1]]:
            yield way.pop(0), Role("palm", side)
        yield from _chain(part, side, way[:3])


def _fingers(view: View, hand: int) -> list[list[int]]:
    """Return the joints of each finger, the thumb first.

    It ends nearest to the wrist and points away from the others, which follow by how far they begin from it.
    A thumb may hang on the palm of the index.
    """
    tree, ways = view.tree, []
    for top in tree.children[hand]:
        branches = [tree.along(child) for child in tree.children[top]]
        reach = {way[0]: np.linalg.norm(tree.heads[way[-1]] - tree.heads[hand]) for way in branches}
        branches.sort(key=lambda way: -round(float(reach[way[0]]) / tree.size, 6))
        ways.extend([[top, *branches[0]], *branches[1:]] if branches else [[top]])
    ways = [way for way in ways if len(way) > 1]
    if len(ways) != len(FINGERS):
        return []
    points = np.array([[tree.heads[way[-2]], tree.heads[way[-1]]] for way in ways])
    ends = np.linalg.norm(points[:, 1] - tree.heads[hand], axis=1)
    along = points[:, 1] - points[:, 0]
    along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    straight = (along @ along.T).sum(axis=1)
    thumb = ways[int(np.argmin(np.round(ends / ends.mean() + 0.5 * straight / len(ways), 6)))]
    away = {way[0]: np.linalg.norm(tree.heads[way[-3:][0]] - tree.heads[thumb[-3:][0]]) for way in ways}
    return sorted(ways, key=lambda way: (way is not thumb, round(float(away[way[0]]) / tree.size, 6)))


def _chain(part: str, side: str, joints: list[int]) -> Iterator[tuple[int, Role]]:
    there = [joint for joint in joints if joint >= 0]
    for place, joint in enumerate(there, 1):
        yield joint, Role(part, side, place, len(there))
