# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles by names: names tell the part, whose child a bone is tells the rest.

Which joint of a finger it is, which part of the spine, whether a "shoulder" is a collarbone or an upper arm
and a "leg" a thigh or a shin.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .role import ARM, FINGERS, LEG, Role
from .tree import Tree
from .words import finger_digit, is_animal, is_helper, limb_end, part_of, side_of, twists

# What a human has to have, on both sides and in the middle.
SIDED, MIDDLE = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot"), ("hips", "head")
_ANIMALS = 2
# What there is one of on each side, and what there is in the middle alone.
_OF_A_SIDE = {*ARM, *LEG, *FINGERS, "leg", "shoulder", "palm", "finger", "toe"}
OF_THE_MIDDLE = {"hips", "spine", "neck", "head"}
_ABOVE_TRUNK = ("neck", "head")
_DIGITS = {*FINGERS, "palm", "finger", "toe"}
# What carries nothing of the middle. A neck may hang on a collarbone.
_LIMBS = {*ARM[1:], *LEG[1:], "leg", *_DIGITS}
# What joints of limbs and trunk lead on to.
_ONWARD = [*((part, {onward}) for limb in (ARM, LEG) for part, onward in pairwise(limb))]
_ONWARD += [("hand", _DIGITS - {"toe"}), ("foot", {"toe"}), ("spine", {"neck", "head"}), ("neck", {"head"})]
_AT_ANKLE = 0.15  # in shins: toes begin farther from there
_APART = 1e-4  # how far apart a limb's joints are, in sizes of the body


@dataclass(frozen=True, eq=False)
class Named:
    """``roles`` by joint; ``human``: the share of a human's parts that is there and hangs together (0 to 1).

    ``animal``: whether names tell of parts that no human has. ``twice``: parts that are there more than once.
    """

    roles: dict[int, Role]
    human: float
    animal: bool
    twice: tuple[str, ...]

    @property
    def four_legs(self) -> bool:
        """Whether names tell of all four legs of an animal which is in front, and where each bends."""
        there = {(role.part, role.side) for role in self.roles.values()}
        parts = ("upper_arm", "forearm", "thigh", "shin")
        return self.animal and there >= {(part, side) for part in parts for side in "LR"}


def named(tree: Tree) -> Named:
    """Return what the names of a rig's joints tell."""
    parts = {joint: part for joint in range(len(tree.names)) if (part := _part(tree, joint))}
    sides = {joint: side_of(tree.names[joint]) for joint in parts}
    _forget_astray(parts, sides, tree)
    _forget_sideless(parts, sides, tree)
    _tell_shoulders(parts, tree)
    _tell_legs(parts, sides, tree)
    _tell_forearms(parts, sides, tree)
    _tell_hands(parts, sides)
    _tell_fingers(parts, sides, tree)
    _tell_twists(parts, tree)
    _forget_beside(parts, sides, tree)
    _tell_hips(parts, sides, tree)
    _tell_trunk(parts, sides, tree)
    _tell_spine(parts, tree)
    chains = _chains(parts, sides, tree)
    _forget_bare_limbs(chains)
    _tell_toes(chains, tree)
    roles = {}
    for (part, side, _), chain in chains.items():
        for place, joint in enumerate(chain, 1):
            roles[joint] = Role(part, side, place, len(chain))
    firsts = Counter((role.part, role.side) for role in roles.values() if role.place == 1)
    essential = [(part, side) for part in SIDED for side in "LR"] + [(part, "") for part in MIDDLE]
    twice = tuple(str(Role(*key)) for key in essential if firsts[key] > 1)
    whole = sum(firsts[key] == 1 for key in essential) / len(essential)
    animal = sum(is_animal(name) for name in tree.names) >= _ANIMALS
    return Named(roles, whole * _hangs_together(roles, tree), animal, twice)


def hips_among(tree: Tree, thighs: list[int]) -> int | None:
    """Return the joint that carries all thighs and is nearest to them; None if nothing carries them all."""
    if not thighs:
        return None
    ways = [list(tree.ancestors(thigh))[1:] for thigh in thighs]
    shared = [joint for joint in ways[0] if all(joint in way for way in ways[1:])]
    middle = tree.heads[thighs].mean(axis=0)
    away = [round(float(np.linalg.norm(tree.heads[joint] - middle)) / tree.size, 4) for joint in shared]
    return shared[int(np.argmin(away))] if shared else None


def _part(tree: Tree, joint: int) -> str:
    """Return the part that the name tells; an "arm_end" that carries fingers is a hand."""
    name = tree.names[joint]
    return part_of(name, keep_twist=True) or (limb_end(name) if tree.children[joint] else "")


def _forget_astray(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """What hangs on a limb is not of the middle, whatever its name, and what hangs on a head is no finger."""
    limbs = {joint for joint, part in parts.items() if sides[joint] and part in _LIMBS}
    for joint, part in list(parts.items()):
        above = [link for link in tree.ancestors(joint) if link != joint and link in parts]
        on_head = bool(above) and parts[above[0]] == "head"
        if (part in OF_THE_MIDDLE and limbs & {joint, *above}) or (part in _DIGITS and on_head):
            del parts[joint]


def _tell_shoulders(parts: dict[int, str], tree: Tree) -> None:
    """A shoulder is an upper arm if it carries a forearm and no upper arm that does, else a collarbone."""
    above_forearms = _carriers(parts, tree, {"forearm"})
    arms = {joint: part for joint, part in parts.items() if joint in above_forearms}
    above_arms = _carriers(arms, tree, {"upper_arm"})
    for joint, part in parts.items():
        if part == "shoulder":
            parts[joint] = "upper_arm" if joint in above_forearms - above_arms else "clavicle"


def _forget_sideless(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """Where names tell both sides, a limb's joint without any tells nothing.

    Where they tell one or none, a part in several places does. What is in the middle has no side.
    """
    of_a_side = [joint for joint, part in parts.items() if part in _OF_A_SIDE]
    told = {"L", "R"} <= {sides[joint] for joint in of_a_side}
    lowest = {parts[joint]: set(tree.ancestors(joint)) for joint in sorted(of_a_side)}
    apart = {parts[joint] for joint in of_a_side if joint not in lowest[parts[joint]]}
    for joint, part in list(parts.items()):
        astray = part in OF_THE_MIDDLE and bool(sides[joint])
        if astray or (part in _OF_A_SIDE and (not sides[joint] if told else part in apart)):
            del parts[joint]


def _tell_legs(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """A leg that carries a shin is a thigh, and so is the first of two.

    A shin beside the way to a foot is none.
    """
    feet = _carriers(parts, tree, {"foot"})
    above_shins, above_legs = (_carriers(parts, tree, {part}) for part in ("shin", "leg"))
    shins = {joint: "shin" for joint, part in parts.items() if part == "shin" and joint in feet}
    above_shins = (above_shins - feet) | _carriers(shins, tree, {"shin"})
    legs = [joint for joint, part in parts.items() if part == "leg"]
    counts = Counter(sides[joint] for joint in legs)
    for joint in legs:
        is_first = joint in above_legs and counts[sides[joint]] == 2
        parts[joint] = "thigh" if is_first or joint in above_shins else "shin"


def _tell_forearms(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """Of two upper arms on a side without a forearm the second is that."""
    for side in set(sides.values()):
        arms = [joint for joint in parts if (parts[joint], sides[joint]) == ("upper_arm", side)]
        has_forearm = any((parts[joint], sides[joint]) == ("forearm", side) for joint in parts)
        if len(arms) == 2 and not has_forearm and min(arms) in tree.ancestors(max(arms)):
            parts[max(arms)] = "forearm"


def _tell_hands(parts: dict[int, str], sides: dict[int, str]) -> None:
    """The one palm of a side without a hand is the hand."""
    for side in set(sides.values()):
        own = {part: [j for j in parts if (parts[j], sides[j]) == (part, side)] for part in ("hand", "palm")}
        if len(own["palm"]) == 1 and not own["hand"]:
            parts[own["palm"][0]] = "hand"


def _tell_fingers(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """A finger's first digit tells which it is, where fingers differ in it and joints of one do not.

    3ds Max counts them from 0, as in "Finger00" and "Finger01", others from 1 to 5.
    """
    for side in "LR":
        fingers = [joint for joint in parts if (parts[joint], sides[joint]) == ("finger", side)]
        top = {joint: [link for link in tree.ancestors(joint) if link in fingers][-1] for joint in fingers}
        digit = {joint: finger_digit(tree.names[joint]) for joint in fingers}
        tops = {digit[joint] for joint in top.values()}
        first = 1 if tops == {1, 2, 3, 4, 5} else 0
        apart = len(tops) == len(set(top.values())) > 1 and tops <= set(range(first, first + len(FINGERS)))
        if apart and all(digit[joint] == digit[top[joint]] for joint in fingers):
            parts.update({joint: FINGERS[digit[joint] - first] for joint in fingers})


def _tell_twists(parts: dict[int, str], tree: Tree) -> None:
    """What carries a hand or foot and twists, whosesoever name it has, is of the part before."""
    for before, part in (ARM[-2:], LEG[-2:]):
        above = _carriers(parts, tree, {part})
        for joint in [joint for joint in above if parts.get(joint) == part and twists(tree.names[joint])]:
            parts[joint] = before


def _forget_beside(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """Where one of a part's joints leads on to the next part, others of its name that do not are none."""
    for part, onward in _ONWARD:
        for side in ("L", "R", ""):
            own = [joint for joint in parts if (parts[joint], sides[joint]) == (part, side)]
            ends = {joint: parts[joint] for joint in parts if parts[joint] in onward and sides[joint] == side}
            leading = _carriers(ends, tree, onward) & set(own)
            for joint in set(own) - leading if leading else ():
                del parts[joint]


def _tell_hips(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """What carries the legs is the hips, whatever its name; a pelvis beside the way to the leg is none.

    So is a spine that carries the legs, as 3ds Max has it below the pelvis: where it bends, they go. What
    carries the upper body beside the hips is none: of some bodies the chest is the root.
    """
    thighs = [joint for joint, part in parts.items() if part == "thigh"]
    carriers = _carriers(parts, tree, {"thigh"})
    for joint in [joint for joint, part in parts.items() if part == "pelvis" and joint not in carriers]:
        del parts[joint]
    above = [set(tree.ancestors(thigh)) for thigh in thighs]
    chest = _carriers(parts, tree, {"hips"}) & _beside_hips(parts, tree)
    for joint in set.intersection(*above) - chest if above else ():
        if parts.get(joint) == "spine":
            parts[joint], sides[joint] = "hips", ""
    if "hips" not in parts.values() and (hips := hips_among(tree, thighs)) is not None:
        parts[hips], sides[hips] = "hips", ""


def _beside_hips(parts: dict[int, str], tree: Tree) -> set[int]:
    """Return all joints that parts of the upper body hang on which hang on no hips."""
    hips = {joint for joint, part in parts.items() if part == "hips"}
    upper = (joint for joint, part in parts.items() if part in (*_ABOVE_TRUNK, *ARM))
    ways = (set(tree.ancestors(joint)) for joint in upper)
    return set().union(*(way for way in ways if not way & hips))


def _tell_trunk(parts: dict[int, str], sides: dict[int, str], tree: Tree) -> None:
    """What lies between hips and neck or head is trunk, whatever its name, unless it only helps.

    So is what the hips hang on below a spine that carries these: of some the chest is the root.
    """
    hips = [joint for joint, part in parts.items() if part == "hips"]
    if len(hips) != 1:
        return
    below = list(tree.ancestors(hips[0]))[1:]
    for top in [joint for joint, part in parts.items() if part in _ABOVE_TRUNK]:
        way = list(tree.ancestors(top))
        chest = next((joint for joint in below if joint in way), -1)
        between = below[: below.index(chest)] if parts.get(chest) == "spine" else []
        for joint in way[: way.index(hips[0])] if hips[0] in way else between:
            if parts.get(joint) not in _ABOVE_TRUNK and not is_helper(tree.names[joint]):
                parts[joint], sides[joint] = "spine", ""


def _tell_spine(parts: dict[int, str], tree: Tree) -> None:
    """Below the arms it is trunk, above them neck and head."""
    arms, hips = _carriers(parts, tree, {"clavicle", "upper_arm"}), _carriers(parts, tree, {"hips"})
    spine = [joint for joint, part in parts.items() if part == "spine" and joint not in hips]
    above = [joint for joint in spine if arms and joint not in arms and arms & set(tree.ancestors(joint))]
    for joint in above:
        parts[joint] = "neck"
    if above and "head" not in parts.values():
        parts[max(above, key=lambda joint: len(list(tree.ancestors(joint))))] = "head"


def _carriers(parts: dict[int, str], tree: Tree, carried: set[str]) -> set[int]:
    """Return all joints that joints of certain parts hang on."""
    return {
        above
        for joint, part in parts.items()
        if part in carried
        for above in tree.ancestors(joint)
        if above != joint
    }


def _chains(
    parts: dict[int, str], sides: dict[int, str], tree: Tree
) -> dict[tuple[str, str, int], list[int]]:
    """Return the joints of each part of one side that hang on one another, by the first of them."""
    chains: dict[tuple[str, str, int], list[int]] = {}
    first: dict[int, int] = {}
    for joint in sorted(parts):
        key = parts[joint], sides[joint]
        links = (above for above in tree.ancestors(joint) if above != joint)
        carrier = next((link for link in links if (parts.get(link), sides.get(link)) == key), None)
        first[joint] = joint if carrier is None else first[carrier]
        chains.setdefault((*key, first[joint]), []).append(joint)
    return chains


def _forget_bare_limbs(chains: dict[tuple[str, str, int], list[int]]) -> None:
    """Three joints that are all "arm", with no forearm, tell the limb but not its joints."""
    for limb in (ARM, LEG):
        for side in ("L", "R", ""):
            keys = [key for key in chains if key[0] in limb[1:-1] and key[1] == side]
            if len({part for part, _, _ in keys}) == 1 and max(len(chains[key]) for key in keys) > 2:
                for key in keys:
                    del chains[key]


def _tell_toes(chains: dict[tuple[str, str, int], list[int]], tree: Tree) -> None:
    """A foot below an ankle, as some motion capture has it, is the toes, unless it is at the ankle."""
    for part, side, first in [key for key in chains if key[0] == "foot" and len(chains[key]) > 1]:
        rest = chains[part, side, first][1:]
        if tree.edges[rest].sum() < _AT_ANKLE * tree.edges[first]:
            continue
        del chains[part, side, first][1:]
        if not any(key[:2] == ("toe", side) for key in chains):
            chains["toe", side, rest[0]] = rest


def _hangs_together(roles: dict[int, Role], tree: Tree) -> float:
    """Return the share of limbs' joints that hang on the part before them, on their side, apart from it."""
    before = {part: limb[:place] for limb in (ARM, LEG) for place, part in enumerate(limb) if place > 1}
    asked = [(joint, role) for joint, role in roles.items() if role.part in before]
    hung = 0
    for joint, role in asked:
        above = (link for link in tree.ancestors(joint) if link in roles)
        wanted = before[role.part][-1], role.side
        links = [link for link in above if (roles[link].part, roles[link].side) == wanted]
        away = np.linalg.norm(tree.heads[links] - tree.heads[joint], axis=1)
        hung += bool((away > _APART * tree.size).any())
    return hung / len(asked) if asked else 0.0
