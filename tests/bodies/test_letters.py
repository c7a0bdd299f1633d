# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides that are told by letters of other languages."""

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


def test_few_names_with_letters_tell_nothing():
    names = ["hand.G", "hand.D", "foot.G", "foot.D", "spine"]
    assert with_sides(names) == tuple(names)
