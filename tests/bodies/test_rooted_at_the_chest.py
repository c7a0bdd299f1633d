# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies whose root is the chest, so that their hips hang on the spine, as some simulations have it."""

import numpy as np
import pytest
from skeletons import DOG, HUMAN, Skeleton
from test_roles_by_shape import found, numbered, recognised

from presets.joints_of_bodies import joints_of_body

SPINE = ("hips", "spine 1", "spine 2", "spine 3")


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
    hung = body.rooted_at("spine 3")
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
        assert [name(bone) for bone in told.hung] == list(SPINE)


def test_a_joint_of_a_spine_that_hangs_moves_what_is_below_it():
    told = recognised(HUMAN.rooted_at("spine 3"))
    joints = {bone: (role.part, role.place) for bone, role in told.joints.items() if not role.side}
    spine = {"hips": ("spine", 1), "spine 1": ("spine", 2), "spine 2": ("spine", 3)}
    assert joints == {**spine, "neck": ("neck", 1), "head": ("head", 1)}
    assert not joints_of_body(told).keys() & set(told.hung)  # the tables are of chests over hips
    assert not recognised(HUMAN).hung
    assert recognised(HUMAN).joints == recognised(HUMAN).roles


def test_a_torso_that_carries_hips_which_carry_all_else_is_of_the_hips():
    above = dict(zip(HUMAN.names, HUMAN.parents, strict=True))
    heads = dict(zip(HUMAN.names, HUMAN.heads, strict=True)) | {"Torso": (0, 0, 1.0)}
    above |= {"Torso": None, "hips": "Torso"}
    names = ("Torso", *HUMAN.names)
    places = np.array([heads[name] for name in names])
    body = recognised(Skeleton(names, tuple(above[name] for name in names), places))
    assert not body.hung
    assert body.bones("spine") == SPINE[1:]


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
    told = recognised(rat.rooted_at("spine 3").renamed(called))
    assert (told.kind, told.is_sure, told.holds()["head"]) == ("quadruped", True, "skull")
