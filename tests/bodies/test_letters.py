# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides that are told by letters of other languages."""

import numpy as np
import pytest
from test_roles_by_name import found, with_names

from bodies import recognise
from bodies.letters import with_sides

PAIRS = [("G", "D"), ("e", "d"), ("I", "D"), ("s", "d"), ("Л", "П")]


def lettered(rig, left, right):
    """A rig's human whose sides are letters behind the names, and the role of each of its bones."""
    skeleton, expected = with_names(rig)
    new = {
        name: f"{part}_{place}.{left if side == 'L' else right}" if side else name
        for name, (part, side, place) in expected.items()
    }
    return skeleton.renamed(new), {new[name]: role for name, role in expected.items()}


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_letters_that_many_names_differ_in_tell_sides(left, right):
    skeleton, expected = lettered("Mixamo", left, right)
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    assert found(body) == expected
    assert (body.kind, body.is_sure, body.doubtful) == ("human", True, ())


def test_letters_that_count_tell_no_sides():
    names = [f"{part}_{letter}" for part in ("tentacle", "sucker", "tip", "root") for letter in "abcdefghi"]
    assert with_sides(names) == tuple(names)


@pytest.mark.parametrize("sides", ["L R", "left right"])
def test_words_for_sides_count_before_letters(sides):
    parts = ("hand", "foot", "arm", "leg")
    names = [f"{part}_{letter}_{side}" for part in parts for letter in "de" for side in sides.split()]
    assert with_sides(names) == tuple(names)


@pytest.mark.parametrize("legs", ["fl fr rl rr", "FL FR BL BR", "Lf Rf Lh Rh", "LF RF LB RB", "hl hr fl fr"])
def test_two_letters_tell_which_of_four_legs_it_is(legs):
    """Of a robot that is the same in front and behind, without a head."""
    names, parents, heads = ["trunk"], [None], [(0.0, 0.0, 0.32)]
    for leg in legs.split():
        x, y = (0.19 if "f" in leg.lower() else -0.19), (0.05 if "l" in leg.lower() else -0.05)
        at = [(x, y, 0.32), (x, 2.5 * y, 0.32), (x - 0.15, 2.5 * y, 0.17), (x - 0.02, 2.5 * y, 0.0)]
        parts = ("hip", "thigh", "calf", "foot")
        parents += ["trunk", *(f"{leg}_{part}" for part in parts[:-1])]
        names += [f"{leg}_{part}" for part in parts]
        heads += at
    body = recognise(names, parents, np.array(heads))
    assert (body.kind, body.is_sure, body.missing()) == ("quadruped", True, ())
    feet = {body.bone(hold)[:2].lower() for hold in ("forefoot.L", "forefoot.R")}
    assert feet == {"fl", "fr"} or feet == {"lf", "rf"}
    assert body.bone("hindfoot.L")[:2].lower() in {"rl", "bl", "lh", "lb", "hl"}
    assert body.forward @ (1, 0, 0) > 0.99


def test_few_names_with_letters_tell_nothing():
    names = ["hand.G", "hand.D", "foot.G", "foot.D", "spine"]
    assert with_sides(names) == tuple(names)
