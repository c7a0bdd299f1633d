# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How alike two branches of a body are."""

import numpy as np
import pytest

from bodies.mirror import likeness
from bodies.tree import tree_of

# Of a branch along x: how far its top is, and its joints with the place of the one that each hangs on.
PLAIN = (1.0, [(-1, 1.0, 0.0), (-1, 0.0, 1.0)])
OTHERS = {
    "shorter to its end": (1.0, [(-1, 0.5, 0.0), (-1, 0.0, 1.0), (1, 0.0, -0.5)]),
    "less in all": (1.0, [(-1, 1.0, 0.0), (-1, 0.0, 0.4)]),
    "nearer": (0.6, [(-1, 1.0, 0.0), (-1, 0.0, 1.0)]),
    "of more joints": (1.0, [(-1, 0.5, 0.0), (0, 0.5, 0.0), (-1, 0.0, 1.0)]),
}


def two(one, other):
    """A root with two branches to two sides."""
    names, parents, heads = ["root"], [None], [(0.0, 0.0, 0.0)]
    for side, (far, joints) in zip("LR", (one, other), strict=True):
        names.append(side)
        parents.append("root")
        heads.append((far if side == "L" else -far, 0.0, 0.0))
        top = len(names) - 1
        for above, ahead, up in joints:
            link = top + 1 + above
            names.append(f"{side}{len(names)}")
            parents.append(names[link])
            heads.append(np.add(heads[link], (ahead if side == "L" else -ahead, up, 0.0)))
    return tree_of(names, parents, np.array(heads))


def alike(one, other):
    tree = two(one, other)
    return float(likeness(tree, *(np.array(tree.names.index(side)) for side in "LR")))


def test_what_is_equal_is_alike():
    assert alike(PLAIN, PLAIN) == pytest.approx(1.0)


@pytest.mark.parametrize("other", OTHERS)
def test_whatever_differs_makes_less_alike(other):
    assert alike(PLAIN, OTHERS[other]) == pytest.approx(alike(OTHERS[other], PLAIN))
    assert alike(PLAIN, OTHERS[other]) < 0.95
