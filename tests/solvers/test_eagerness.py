# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs below something that is dragged out of reach stays where it is, and is not swung about."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import chain, names, targets_at

from solvers import Effector, Haste, Request, Settings, rest_pose, solve
from solvers.problem import of_ranks
from solvers.problem.prepared import make_problem
from solvers.steps.eagerness import eagerness

BONES, MIDDLE = 24, 12
DRAGGED, LATER = 2, 3
HASTE = Settings(iterations=4, restarts=0, haste=Haste(springs=LATER))


def pulled(rank_of_end=LATER):
    """A chain whose middle is dragged and whose last bone follows."""
    skeleton = chain(BONES)
    effectors = (
        Effector(names(BONES)[MIDDLE], rank=DRAGGED, rotation_weight=0.0),
        Effector(names(BONES)[-1], rank=rank_of_end, rotation_weight=0.0),
    )
    return skeleton.drawn_to(rest_pose(skeleton)), effectors


@pytest.mark.parametrize("count", [4, 8])
def test_the_end_of_a_chain_stays_in_the_moves_that_take_its_middle_out_of_reach(count):
    skeleton, effectors = pulled()
    pose, left = rest_pose(skeleton), []
    begin = targets_at(skeleton, pose, effectors)
    for move in range(1, count + 12):  # at last on the spot
        positions = begin.positions.copy()
        positions[0, 0] += min(move / count, 1.0) * np.array([0.1, 0.0, 0.05])
        found = solve(skeleton, pose, effectors, replace(begin, positions=positions), HASTE)
        pose = found.pose
        left.append(found.position_residuals[0])
    dragged, end = np.array(left).T
    assert 1e-2 < dragged[-1] < 2e-2
    assert end[:count].max() < 1.4 * end[-1]


def weighing(skeleton, effectors):
    pose = rest_pose(skeleton)
    return make_problem(Request(skeleton, pose, effectors, targets_at(skeleton, pose, effectors)))


def test_joints_below_what_weighs_most_are_more_eager_by_what_they_feel():
    skeleton, effectors = pulled()
    lighter = effectors[0], replace(effectors[1], position_weight=1e-4)
    problem = weighing(skeleton, lighter)
    nothing = of_ranks(problem, lambda ranks: ranks < 0)
    eager = eagerness(problem, nothing)[0]
    assert np.allclose(eager[:MIDDLE], 1)
    assert np.isclose(eager[-1], 1)
    # The bone itself turns about the point that is dragged, the last one about the one that follows.
    assert np.allclose(eager[MIDDLE : BONES - 1], 100)
    held = of_ranks(problem, lambda ranks: ranks == LATER)
    assert np.allclose(eagerness(problem, held), 1)


def test_nothing_is_eager_beside_or_above_what_weighs_most():
    skeleton, effectors = pulled()
    lighter = replace(effectors[0], position_weight=1e-4), effectors[1]
    problem = weighing(skeleton, lighter)
    assert eagerness(problem, of_ranks(problem, lambda ranks: ranks < 0)) is None
