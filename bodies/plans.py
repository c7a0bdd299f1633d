# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body it is by its shape: every plan that its limbs allow, each with how well it fits.

A limb is looked at in the mirror plane, where left and right are one. Lengths count only against one another,
directions only between joints.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from .facing import sigmoid, votes_for
from .limbs import Limb
from .on_toes import on_toes
from .segments import BIRD_LEG, FRONT_LEG, HIND_LEG, HUMAN_ARM, HUMAN_LEG, WING
from .tree import Array
from .view import Divided, View, cosine, divide

HUMAN, QUADRUPED, BIRD, INSECT = "human", "quadruped", "bird", "insect"
CHAIN, SINGLE_ARM, UNKNOWN = "chain", "arm", "unknown"
# Other limbs at least this long, in legs, speak against two legs and two arms.
_LARGE, _BESIDES = 0.5, 0.75
_FINGERLESS = 0.3  # how likely arms without fingers are beside some that have them
FEWEST_INSECT_LEGS = 3
_MOST_INSECT_LEGS, _MORE = 5, 0.6  # crabs have five pairs; more may be arms of an anemone, or hair
# Votes for where pairs are that are no legs; so far ahead, in sizes of the body, they clearly are.
_BY_FACE, _CLEARLY_AHEAD = 2.5, 0.03
_STANDS = 0.5  # legs tell better which way is up where the ground tells so little beside them
_CLEARLY = 3.0  # votes for a direction that the plan itself tells
# How likely it is a human that stands as an animal, and an insect whose legs bend nowhere more than this.
_ON_TOES, _NO_KNEES, _KNEES = 0.3, 0.1, 35.0


@dataclass(frozen=True, eq=False)
class Plan:
    """A kind of body with how well it ``fits`` (0 to 1), and which limbs it takes for what.

    ``neck``: the joints from the shoulders to the head and on, all in the middle, nothing for insects.
    ``legs`` and ``arms``: limbs with their segments. ``up``, ``forward`` (3,): unit vectors in the mirror
    plane; forward may as well be backward where ``facing``, a sum of votes, is 0.
    """

    kind: str
    fits: float
    legs: tuple[Divided, ...]
    arms: tuple[Divided, ...]
    up: Array
    forward: Array
    facing: float = 0.0
    neck: list[int] = field(default_factory=list)

    def beside(self, other: "Plan") -> float:
        """Return how well it fits beside one that fits better; 0 if it says the same.

        Of one kind of body that with the clearer limbs, whose arms end in fingers, is the likelier.
        """
        if self.kind != other.kind:
            return self.fits
        ours, theirs = ([id(limb.limb) for limb in plan.legs + plan.arms] for plan in (self, other))
        if ours == theirs:
            return 0.0
        clear, clearer = self._clear, other._clear  # 0 where joints of a limb are in one place
        return self.fits if clear >= clearer else self.fits * clear / clearer

    @property
    def _clear(self) -> float:
        bare = sum(arm.limb.hub is None for arm in self.arms)
        return float(np.prod([limb.clear for limb in self.legs + self.arms])) * _FINGERLESS**bare


@dataclass(frozen=True, eq=False)
class _Readings:
    """A ``limb`` as a human's leg and arm, if it has the joints for them, and as a bird's leg and wing.

    ``called``: "arm" or "leg" where names say so.
    """

    limb: Limb
    called: str
    leg: Divided | None
    arm: Divided | None
    bird_leg: Divided | None
    wing: Divided | None


def plans_of(view: View, limbs: list[Limb], called: Mapping[str, str]) -> list[Plan]:
    """Return all plans that the limbs allow, the best first.

    ``called``: "arm" or "leg" of joints whose names say of which they are: no plan has these exchanged.
    """
    patterns = (HUMAN_LEG, HUMAN_ARM, BIRD_LEG, WING)
    upright = [
        _Readings(limb, _called(view, limb, called), *(divide(limb, pattern) for pattern in patterns))
        for limb in limbs
    ]
    plans = list(_insect(view, limbs) if limbs else ())
    for legs in upright:
        others = sum(limb.length > _LARGE * legs.limb.length for limb in limbs) - 1
        for arms in upright:
            told = legs.called, arms.called
            is_told, is_turned = told == ("leg", "arm"), told == ("arm", "leg")
            if arms is not legs and not is_turned and legs.leg is not None and arms.arm is not None:
                leg, arm = legs.leg, arms.arm
                besides = others - (arms.limb.length > _LARGE * legs.limb.length)
                plans.append(_human(view, leg, arm, _BESIDES**besides))
                plans.append(_bird(view, legs.bird_leg or leg, arms.wing or arm, 0.08**besides))
                plans.append(_quadruped(view, *_on_fours(view, leg, arm), _BESIDES**besides, is_told))
    return sorted(plans, key=lambda plan: -round(plan.fits, 9))


def _called(view: View, limb: Limb, called: Mapping[str, str]) -> str:
    """Return what the joints of a limb are called; nothing if some are called otherwise, or none is."""
    told = {called.get(view.tree.names[joint], "") for joint in limb.joints.flat if joint >= 0} - {""}
    return told.pop() if len(told) == 1 else ""


def _on_fours(view: View, leg: Divided, arm: Divided) -> tuple[Divided, Divided]:
    """Return the limbs in three segments, as far as they have the joints for it."""
    rough = view.in_plane(view.flat(arm.limb.points[0]) - view.flat(leg.limb.points[0]))
    return divide(leg.limb, HIND_LEG, rough) or leg, divide(arm.limb, FRONT_LEG, rough) or arm


def _human(view: View, leg: Divided, arm: Divided, alone: float) -> Plan:
    hips, shoulders = view.flat(leg.start), view.flat(arm.start)
    trunk, down = shoulders - hips, view.flat(leg.end) - hips
    necks = {_goes_on(view, neck, shoulders, trunk): neck for neck in view.chains(arm.limb, leg.limb)}
    neck = necks[max(necks)] if necks else []
    fits = alone * sigmoid((-cosine(down, trunk) - 0.5) / 0.11)
    fits *= _log_normal(leg.length, _length(trunk), 1.75, 0.5)
    fits *= _log_normal(arm.length, leg.length, 0.68, 0.45)
    fits *= max(necks, default=0.35)
    fits *= sigmoid((leg.length / leg.limb.length - 0.6) / 0.04) * (1.0 - _stands_on(view, leg, arm))
    fits *= 1.0 - (1.0 - _ON_TOES) * _on_toes(leg, arm)
    up = view.in_plane(trunk)
    forward = view.in_plane(np.cross(view.mirror.normal, up), up)
    votes = votes_for(view, forward, leg, arm, neck)
    return Plan(HUMAN, fits, (leg,), (arm,), up, forward if votes >= 0 else -forward, abs(votes), neck)


def _on_toes(leg: Divided, arm: Divided) -> float:
    places = [*leg.places, leg.places[-1] + 1]
    if places[-1] == len(leg.limb.points):
        return 0.0
    return on_toes(leg.limb.points[places], arm.limb.points[list(arm.places)])


def _stands_on(view: View, leg: Divided, arm: Divided) -> float:
    """Return how much the arms go the way of the legs, and as far."""
    down, hand = view.flat(leg.tip) - view.flat(leg.start), view.flat(arm.tip) - view.flat(arm.start)
    apart = float((view.flat(arm.tip) - view.flat(leg.tip)) @ down) / max(float(down @ down), 1e-12)
    return sigmoid((cosine(hand, down) - 0.6) / 0.12) * float(np.exp(-((apart / 0.3) ** 2)))


def _goes_on(view: View, neck: list[int], shoulders: Array, trunk: Array) -> float:
    """Return how much a chain goes on as the trunk does: a neck does, a cape does not. Rounded, to rank."""
    head = view.flat(view.tree.heads[neck[view.head_of(neck)]])
    return round(sigmoid((cosine(head - shoulders, trunk) - 0.4) / 0.12), 9)


def _bird(view: View, leg: Divided, wing: Divided, alone: float) -> Plan:
    hips, neck, tail = (
        view.flat(leg.start),
        view.beyond(wing.limb, leg.limb),
        view.beyond(leg.limb, wing.limb),
    )
    down = view.flat(leg.end) - hips
    up = view.in_plane(-down)
    if not neck:
        return Plan(BIRD, 0.0, (leg,), (wing,), up, view.in_plane(np.cross(view.mirror.normal, up), up))
    axis = view.tree.heads[neck[-1]] - (view.tree.heads[tail[-1]] if tail else hips)
    fits = alone * sigmoid((view.sideways(wing.limb) - 0.6) / 0.08) * (1.0 if tail else 0.3)
    fits *= sigmoid((0.75 - abs(cosine(axis, down))) / 0.06) * _log_normal(wing.length, leg.length, 1.5, 0.7)
    return Plan(BIRD, fits, (leg,), (wing,), up, view.in_plane(axis, up), _CLEARLY, neck)


def _quadruped(view: View, hind: Divided, front: Divided, alone: float, is_told: bool) -> Plan:
    """Return the plan; ``is_told``: names tell which legs are in front."""
    hips, shoulders = view.flat(hind.start), view.flat(front.start)
    leg, arm, trunk = view.flat(hind.end) - hips, view.flat(front.end) - shoulders, shoulders - hips
    up, level = _standing(view, hind, front)
    fits = alone * sigmoid((cosine(leg, arm) - 0.6) / 0.12) * sigmoid((0.6 - abs(cosine(leg, trunk))) / 0.1)
    fits *= _log_normal(_length(arm), _length(leg), 0.92, 0.35) * level
    fits *= _log_normal(_length(leg), _length(trunk), 1.0, 0.7)
    fits *= 1.0 if is_told else sigmoid(3.0 * _head_in_front(view, hind.limb, front.limb, up))
    neck = view.beyond(front.limb, hind.limb)
    return Plan(QUADRUPED, fits, (hind,), (front,), up, view.in_plane(trunk, up), _CLEARLY, neck)


def _standing(view: View, hind: Divided, front: Divided) -> tuple[Array, float]:
    """Return which way is up, and how level a body is that way: by where it stands, or by where its legs go.

    Toes may be where heels are, and legs may lean, but then trunk and ground are level.
    """
    legs = (hind, front)
    starts, ends, tips = (
        np.array([view.flat(points) for points in places])
        for places in zip(*((leg.start, leg.end, leg.limb.points[-1]) for leg in legs), strict=True)
    )
    down, ground, leg = (ends - starts).sum(axis=0), tips[1] - tips[0], _length(ends[0] - starts[0])
    ups = view.in_plane(-down, ground / max(_length(ground), 1e-12)), view.in_plane(-down)
    gaps = ((two[1] - two[0]) @ up / max(leg, 1e-12) for two, up in zip((starts, ends), ups, strict=True))
    on_ground, upright = (float(np.exp(-((gap / 0.3) ** 2))) for gap in gaps)
    return ups[0 if on_ground > _STANDS * upright else 1], max(on_ground, upright)


def _head_in_front(view: View, hind: Limb, front: Limb, up: Array) -> float:
    """Return how surely the head is where the front legs are: votes of the tree, of faces and of heights."""
    head, tail = view.beyond(front, hind), view.beyond(hind, front)
    depth = sum(1 for _ in view.tree.ancestors(front.carrier)) - sum(
        1 for _ in view.tree.ancestors(hind.carrier)
    )
    votes = 0.6 * float(np.sign(depth)) + 0.8 * float(np.sign(view.face_pairs(head) - view.face_pairs(tail)))
    if head and tail:
        votes += 0.8 * float(
            np.tanh((view.tree.heads[head[-1]] - view.tree.heads[tail[-1]]) @ up / view.tree.size * 8)
        )
    return votes


def _insect(view: View, limbs: list[Limb]) -> Iterator[Plan]:
    """Yield an insect: three or more pairs of legs that go outwards from one place, knees above."""
    legs = [limb for limb in limbs if limb.length > _LARGE * limbs[0].length and len(limb.points) > 2]
    if len(legs) < FEWEST_INSECT_LEGS:
        return
    roots = np.array([view.flat(limb.points[0]) for limb in legs])
    spread = float(np.linalg.norm(roots - roots.mean(axis=0), axis=1).max()) / legs[0].length
    outwards = sorted(view.sideways(limb) for limb in legs)
    fits = sigmoid((float(np.mean(outwards)) - 0.3) / 0.06)
    fits *= sigmoid((outwards[-FEWEST_INSECT_LEGS] - 0.1) / 0.02)  # others may be arms, or worn
    fits *= float(np.exp(-((spread / 1.2) ** 2))) * _MORE ** max(len(legs) - _MOST_INSECT_LEGS, 0)
    bent = sorted(_bent(limb.points) for limb in legs)[-FEWEST_INSECT_LEGS]  # the arms of an octopus are not
    fits *= 1.0 - (1.0 - _NO_KNEES) * sigmoid((_KNEES - bent) / 3.0)
    up = view.in_plane(np.mean([_knee(limb.points) for limb in legs], axis=0))
    forward, facing = _heading(view, legs, view.in_plane(np.cross(view.mirror.normal, up), up))
    ends = tuple(Divided(limb, (0, len(limb.points) - 1)) for limb in legs)
    yield Plan(INSECT, fits, ends, (), up, forward, facing)


def _heading(view: View, legs: list[Limb], forward: Array) -> tuple[Array, float]:
    """Return where the most pairs on one joint besides the legs are, and the votes for it."""
    tops = {int(limb.joints[side, 0]) for limb in legs for side in (0, 1)}
    tree, middle = view.tree, np.flatnonzero(view.mates == np.arange(len(view.mates))).tolist()
    pairs = [
        [c for c in tree.children[m] if view.mates[c] not in (-1, c) and not tops & set(tree.below(c))]
        for m in middle
    ]
    most = max(pairs, key=len)
    if not most:
        return forward, 0.0
    ahead = np.mean(tree.heads[most], axis=0) - np.mean([limb.points[0] for limb in legs], axis=0)
    vote = float(np.tanh(ahead @ forward / tree.size / _CLEARLY_AHEAD))
    return (forward if vote >= 0 else -forward), _BY_FACE * abs(vote)


def _knee(points: Array) -> Array:
    """Return how far the joints of a limb are from the line between its ends, on average (3,)."""
    way = points[-1] - points[0]
    out = points - points[0]
    bend: Array = (out - np.outer(out @ way / max(float(way @ way), 1e-12), way)).mean(axis=0)
    return bend


def _bent(points: Array) -> float:
    """Return by how many degrees a limb is bent where it is bent most."""
    ways = np.diff(points, axis=0)
    return max(float(np.degrees(np.arccos(np.clip(cosine(*both), -1.0, 1.0)))) for both in pairwise(ways))


def _log_normal(one: float, other: float, usual: float, varies: float) -> float:
    """Return how usual the ratio of two lengths is, 1 for the most usual."""
    ratio = max(one, 1e-12) / max(other, 1e-12)
    return float(np.exp(-0.5 * (np.log(ratio / usual) / varies) ** 2))


def _length(way: Array) -> float:
    return float(np.linalg.norm(way))
