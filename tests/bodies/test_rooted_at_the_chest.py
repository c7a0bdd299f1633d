# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies whose root is the chest, so that their hips hang on the spine, as some simulations have it."""

from itertools import pairwise

import numpy as np
import pytest
from skeletons import DOG, HUMAN, Skeleton
from test_roles_by_shape import found, numbered, recognised

SPINE = ("hips", "spine 1", "spine 2", "spine 3")


def rooted_at_the_chest(body):
    """The same joints, the spine hanging on its last bone and the hips on the first."""
    parents = dict(zip(body.names, body.parents, strict=True))
    parents |= {SPINE[-1]: None, **dict(pairwise(SPINE))}
    order, todo = [], [SPINE[-1]]
    while todo:
        order.append(todo.pop(0))
        todo.extend(name for name in body.names if parents[name] == order[-1])
    heads = body.heads[[body.names.index(name) for name in order]]
    return Skeleton(tuple(order), tuple(parents[name] for name in order), heads)


def called(name):
    """Names as of a human, the spine's as of vertebrae."""
    name, _, side = name.partition(".")
    part, _, place = name.partition(" ")
    words = {"thigh": "upper_leg", "shin": "lower_leg", "forearm": "lower_arm", "clavicle": "scapula"}
    words |= {"hips": "pelvis", "head": "skull", "tail": "Ca"}
    words |= {"spine": "torso" if place == "3" else "vertebra"}
    return "_".join(filter(None, (words.get(part, part), place, side)))


@pytest.mark.parametrize(("kind", "body"), [("human", HUMAN), ("quadruped", DOG)])
def test_the_spine_goes_from_the_hips_to_the_chest(kind, body):
    hung = rooted_at_the_chest(body)
    plain, name_of = numbered(hung)
    for told, name in (
        (recognised(plain), name_of.get),
        (recognised(hung.renamed(called)), {called(name): name for name in hung.names}.get),
    ):
        roles = {name(bone): role for bone, role in found(told).items()}
        assert {each: roles[each] for each in SPINE} == {
            "hips": ("hips", "", 1),
            **{f"spine {place}": ("spine", "", place) for place in (1, 2, 3)},
        }
        assert (told.kind, told.is_sure, told.missing()) == (kind, True, ())
        assert name(told.holds()["chest"]) == "spine 3"


@pytest.mark.parametrize("degrees", [0, 15, 25])
def test_a_quadruped_is_up_from_where_it_stands_however_its_legs_lean(degrees):
    """Legs and trunk are where they were, and the ground is level."""
    lean, heads = np.tan(np.radians(degrees)), DOG.heads.copy()
    legs = [index for index, name in enumerate(DOG.names) if name.startswith(("shin", "foot", "toe"))]
    heads[legs, 1] += lean * (0.54 - heads[legs, 2])
    told = recognised(Skeleton(DOG.names, DOG.parents, heads).renamed(called))
    assert (told.kind, told.is_sure) == ("quadruped", True)
    assert told.up @ (0, 0, 1) > np.cos(np.radians(2))


def test_which_pair_of_legs_is_in_front_is_told_by_names():
    """Of a rat, whose tail is longer and thicker than its neck, with as many joints."""
    rat, above = DOG.without("tail 1", "ear.L", "ear.R", "jaw"), "hips"
    for place in range(1, 16):
        joint = f"tail {place}"
        rat, above = rat.joined(joint, above, (0, 0.36 + 0.09 * place, 0.66 + 0.01 * place)), joint
    told = recognised(rooted_at_the_chest(rat).renamed(called))
    assert (told.kind, told.is_sure, told.holds()["head"]) == ("quadruped", True, "skull")
