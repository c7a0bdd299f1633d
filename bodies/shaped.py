# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles by shape alone: the plan that fits best, and what its limbs, its trunk and its fingers are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from .bare import carried_alone, of_the_body
from .facing import sigmoid
from .heads import animal_head, human_head
from .limbs import limbs_of
from .mirror import mates_of, mirror_of
from .named import hips_among
from .plans import HUMAN, INSECT, Plan, plans_of
from .role import ARM, FINGERS, LEG, Role
from .tree import Indices, Tree
from .view import Divided, View

# How sure a plan is by how well it fits beside the others: about the share that was right of drawn bodies.
_FITS, _RIGHT = (0.0, 0.4, 0.55, 0.65, 0.75, 0.85, 0.91), (0.2, 0.4, 0.5, 0.85, 0.95, 0.98, 0.99)
_FEWEST_FITS, _DOUBT = 0.03, 0.1
# How sure a limb is by how clear its division is, and a head by how clear it is which joint that is.
_LIMB_CLEAR, _LIMB_SURE = (0.0, 0.3, 0.5, 1.0), (0.3, 0.7, 1.0, 1.0)
_HEAD_CLEAR, _HEAD_SURE = (0.5, 0.7, 0.78, 0.9), (0.6, 0.85, 0.94, 1.0)
# Where joints lie on one another like this it is a control rig, whose shape tells little.
_JOINTS_A_PLACE, _DOUBLED = 1.6, 0.5
# In sizes of the body: chains in the middle shorter than this are no tails; a root is this near to the hips.
_TAIL, _NEAR_HIPS = 0.08, 0.05
_ROOT_SURE = 0.85
_LEAST_SYMMETRY = 0.25


@dataclass(frozen=True, eq=False)
class Shaped:
    """The ``plan`` of a body, how ``sure`` it is, and the ``roles`` of its joints.

    ``human``: how well a human fits beside the plan, 1 as well.
    ``middle``: the joints that are in the middle. ``sided``: how sure the sides are. ``contradicts``: names
    and shape tell opposite sides.
    """

    view: View
    plan: Plan
    sure: float
    human: float
    roles: dict[int, Role]
    middle: frozenset[int]
    sided: float
    contradicts: bool

    def has(self, part: str) -> bool:
        """Return whether any joint is of a part."""
        return any(role.part == part for role in self.roles.values())

    def at(self, joints: list[int]) -> "Shaped":
        """Return what is told in numbers of a larger tree, in which the joints are these."""
        roles = {joints[own]: role for own, role in self.roles.items()}
        return replace(self, roles=roles, middle=frozenset(joints[own] for own in self.middle))


def shaped(tree: Tree, called: Mapping[str, str]) -> Shaped | None:
    """Return what the shape tells; None where nothing is mirrored or no plan fits.

    ``called``: "arm" or "leg" of joints whose names say of which they are.
    """
    joints = of_the_body(tree)
    shape = _shaped(tree.kept(joints), called)
    return None if shape is None else shape.at(joints)


def _shaped(tree: Tree, called: Mapping[str, str]) -> Shaped | None:
    mirror = mirror_of(tree)
    if mirror is None or mirror.symmetry < _LEAST_SYMMETRY:
        return None
    mates = mates_of(tree, mirror, tree.roots[0])
    if alone := carried_alone(tree, mates):
        joints = [joint for joint in range(len(tree.names)) if joint not in alone]
        shape = _planned(View(tree.kept(joints), mirror, _among(joints, mates)), called)
        return None if shape is None else shape.at(joints)
    return _planned(View(tree, mirror, mates), called)


def _among(joints: list[int], mates: Indices) -> Indices:
    """Return the counterparts of some joints, by their places among these."""
    place = np.full(len(mates) + 1, -1)  # the last for joints without any
    place[joints] = np.arange(len(joints))
    return place[mates[joints]]


def _planned(view: View, called: Mapping[str, str]) -> Shaped | None:
    tree = view.tree
    plans = plans_of(view, limbs_of(tree, view.mirror, view.mates), called)
    if not plans or plans[0].fits < _FEWEST_FITS:
        return None
    plan = plans[0]
    rivals = [other.beside(plan) for other in plans[1:]]
    fits = plan.fits / (plan.fits + max(rivals, default=0.0) + _DOUBT)
    first_is_left = bool(np.cross(plan.up, plan.forward) @ view.mirror.normal > 0)
    doubt = _DOUBLED if _joints_a_place(tree) > _JOINTS_A_PLACE else 1.0
    sure = doubt * float(np.interp(fits, _FITS, _RIGHT)) * min(map(_limb_sure, plan.legs))
    told = view.mirror.tells_left
    roles = dict(_roles(view, plan, "LR" if told or first_is_left else "RL"))
    sided = 1.0 if told else sigmoid(1.3 * plan.facing)
    contradicts = told and not first_is_left and sigmoid(1.3 * plan.facing) > 0.95
    middle = frozenset(np.flatnonzero(view.mates == np.arange(len(view.mates))).tolist())
    human = max((other.fits for other in plans if other.kind == HUMAN), default=0.0) / plan.fits
    return Shaped(view, plan, sure, human, roles, middle, sided, contradicts)


def _limb_sure(limb: Divided) -> float:
    return float(np.interp(limb.clear, _LIMB_CLEAR, _LIMB_SURE))


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
    yield from _trunk(view, plan)


def _many_legs(view: View, plan: Plan, sides: str) -> Iterator[tuple[int, Role]]:
    tops = [joint for leg in plan.legs for joint in leg.limb.joints[:, 0].tolist() if joint >= 0]
    if (hips := hips_among(view.tree, tops)) is not None:
        yield hips, Role("hips")
    shared = {joint for joint in tops if tops.count(joint) > 1}  # the stem of several legs is no leg
    forward = np.cross(view.mirror.normal, plan.up) if view.mirror.tells_left else plan.forward
    legs = sorted(plan.legs, key=lambda leg: -round(float(leg.end @ forward) / view.tree.size, 6))
    for number, leg in enumerate(legs, 1):
        for side, row in zip(sides, leg.limb.joints.tolist(), strict=True):
            yield from _chain(f"leg{number}", side, [joint for joint in row if joint not in shared])


def _trunk(view: View, plan: Plan) -> Iterator[tuple[int, Role]]:
    """Give the roles of the middle."""
    tree, (leg,), (arm,) = view.tree, plan.legs, plan.arms
    hips = hips_among(tree, [joint for joint in leg.limb.joints[:, leg.places[0]].tolist() if joint >= 0])
    hips = _with_trunk(tree, hips, arm.limb.carrier)
    ways = [
        list(tree.ancestors(joint))
        for joint in (arm.limb.carrier, leg.limb.carrier if hips is None else hips)
    ]
    way = [joint for joint in reversed(ways[0]) if joint not in ways[1]]
    if arm.limb.carrier in ways[1]:  # the hips hang on the chest
        way = ways[1][: ways[1].index(arm.limb.carrier) + 1]
    human = plan.kind == HUMAN
    if hips is not None:
        yield hips, Role("hips", sure=_ROOT_SURE if human and _may_be_a_root(tree, hips) else 1.0)
    yield from _chain("spine", "", [joint for joint in way if joint != hips])
    neck = [joint for joint in plan.neck if joint != hips]
    if neck:
        shoulders, hip = view.flat(arm.start), view.flat(leg.start)
        trunk = float(np.linalg.norm(shoulders - hip))
        head, clear = human_head(view, neck, shoulders, trunk) if human else animal_head(view, neck)
        sure = float(np.interp(clear, _HEAD_CLEAR, _HEAD_SURE))
        yield from _chain("neck", "", neck[:head], sure)
        yield neck[head], Role("head", sure=sure)
    tail = [joint for joint in view.beyond(leg.limb, arm.limb) if joint != hips]
    if len(tail) > 1 and tree.reaches[tail[0]] > _TAIL * tree.size:
        yield from _chain("tail", "", tail)


def _with_trunk(tree: Tree, hips: int | None, chest: int) -> int | None:
    """Return the joint that carries the trunk, too, if it is where the one is that only carries the legs."""
    if hips is None:
        return None
    above = set(tree.ancestors(hips))
    both = next((joint for joint in tree.ancestors(chest) if joint in above), hips)
    near = np.linalg.norm(tree.heads[both] - tree.heads[hips]) < _NEAR_HIPS * tree.size
    return both if near else hips


def _may_be_a_root(tree: Tree, joint: int) -> bool:
    """Return whether a joint carries nothing but one that may as well be the hips."""
    below = tree.children[joint]
    return len(below) == 1 and bool(tree.edges[below[0]] < _NEAR_HIPS * tree.size)


def _limb(
    view: View, limb: Divided, parts: tuple[str, ...], side: str, row: int
) -> Iterator[tuple[int, Role]]:
    joints, places, sure = limb.limb.joints[row].tolist(), (0, *limb.places), _limb_sure(limb)
    for part, first, last in zip(parts, places, places[1:], strict=False):
        yield from _chain(part, side, joints[first:last], sure)
    rest = joints[places[-1] :]
    if len(places) == len(parts) + 1 and limb.limb.hub is not None:  # a paw: its claws are many
        rest = joints[places[-1] : max(limb.limb.hub, places[-1]) + 1]
    if len(places) == len(parts):  # two segments: the hand or foot is one joint
        yield from _chain(parts[-1], side, rest[:1], sure)
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


def _chain(part: str, side: str, joints: list[int], sure: float = 1.0) -> Iterator[tuple[int, Role]]:
    there = [joint for joint in joints if joint >= 0]
    for place, joint in enumerate(there, 1):
        yield joint, Role(part, side, place, len(there), sure)
