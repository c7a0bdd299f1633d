# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of bones: a human's segments, and by size for anything else."""

import numpy as np
import pytest
from skeletons import DOG, HUMAN

from bodies import masses, recognise


def weighed(skeleton):
    """Return a body and the masses of its bones by name."""
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    return body, masses(body, lengths_of(skeleton))


def lengths_of(skeleton):
    return {name: float(np.linalg.norm(way(skeleton, name))) for name in skeleton.names}


def way(skeleton, name):
    """Return how a bone goes from its head: to its first child, or on as the bone before; none goes sideways
    from the middle."""
    here = skeleton.heads[skeleton.names.index(name)]
    below = [skeleton.heads[n] for n, parent in enumerate(skeleton.parents) if parent == name]
    if below:
        return (below[0] - here) * (here[0] != 0, 1, 1)
    return 0.5 * (here - skeleton.heads[skeleton.names.index(skeleton.parents[skeleton.names.index(name)])])


def test_a_human_is_as_heavy_as_in_the_table():
    body, found = weighed(HUMAN)
    assert sum(mass.share for mass in found.values()) == pytest.approx(1)
    for part, women, men in (("thigh", 14.78, 14.16), ("forearm", 1.38, 1.62), ("foot", 1.29, 1.37)):
        for side in "LR":
            (bone,) = body.bones(part, side)
            assert 100 * found[bone].share == pytest.approx(0.5 * (women + men), rel=1e-3)
    trunk = sum(found[bone].share for part in ("hips", "spine") for bone in body.bones(part))
    assert 100 * trunk == pytest.approx(0.5 * (42.57 + 43.46), rel=1e-3)
    assert not any(bone in found for bone in body.bones("clavicle", "L"))


def test_a_human_stands_in_balance():
    _, found = weighed(HUMAN)
    centre = sum(
        mass.share * (HUMAN.heads[HUMAN.names.index(name)] + mass.along * way(HUMAN, name))
        for name, mass in found.items()
    )
    # At 0.56 of the height with hanging arms; these are held out level.
    assert 0.56 < centre[2] / 1.75 < 0.60
    assert centre[0] == pytest.approx(0, abs=1e-9)
    assert abs(centre[1]) < 0.1


def test_bones_of_one_segment_share_it_by_their_lengths():
    body, found = weighed(HUMAN)
    spine, lengths = body.bones("spine"), lengths_of(HUMAN)
    shares = [found[bone].share / lengths[bone] for bone in spine]
    assert shares == pytest.approx([shares[0]] * len(spine))


def test_anything_else_is_as_heavy_as_it_is_large():
    body, found = weighed(DOG)
    assert body.kind != "human"
    lengths = lengths_of(DOG)
    assert sum(mass.share for mass in found.values()) == pytest.approx(1)
    longest = max(lengths, key=lengths.get)
    for name, mass in found.items():
        assert mass.share / found[longest].share == pytest.approx((lengths[name] / lengths[longest]) ** 3)
        assert mass.along == 0.5


def test_bones_without_length_have_no_mass():
    body = recognise(["a", "b"], [None, "a"], np.zeros((2, 3)))
    assert set(masses(body, {"a": 1.0, "b": 0.0})) == {"a"}
    assert masses(body, {"a": 0.0, "b": 0.0}) == {}
