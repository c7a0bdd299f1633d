# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort where targets are missed: what steps towards it come to, and how many that takes."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human, targets_at

from solvers import Comfort, Cones, Hinge, Settings, Targets, rest_pose, solve
from solvers.pauses import finished
from solvers.problem import forward_kinematics, lowering, make_problem, measure, state_from_pose
from solvers.request import Request
from solvers.steps import SearchResult, eased, posture_cost

HEAD = 1
ROWS = 8
PINNED = tuple(
    replace(e, rank=2 if e.bone == "head" else 1) for e in HUMAN_EFFECTORS if not e.bone.startswith("hand")
)
ROUGH = Settings(tolerance=1e-3, angle_tolerance=1e-3)


def limited():
    """The figure with knees and elbows that bend one way, and a spine and arms in cones."""
    hinges = (Hinge(f"{name}.{side}", (1, 0, 0), 0.0, 2.5) for name in ("shin", "forearm") for side in "LR")
    spine = (Cones(name, (((0.0, 1.0, 0.0), 0.25),), -0.2, 0.2) for name in ("spine", "chest"))
    return replace(human(), limits=(*hinges, *spine))


def pulled_away(skeleton, rng):
    """Targets at rest, but for the head's, which is half a metre away, forward, backward or aside, and up."""
    rest = targets_at(skeleton, rest_pose(skeleton, ROWS), PINNED)
    positions, ways = rest.positions.copy(), rng.normal(size=(ROWS, 3))
    ways[:, 2] = 0.5 + np.abs(ways[:, 2])
    positions[:, HEAD] += 0.5 * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    return Targets(positions, rest.rotations)


def begun_at(kept, state):
    """A search that has ended at a state."""
    none = np.zeros(len(state.heads), int)
    return SearchResult(state, measure(kept, state), none, none.astype(bool))


@pytest.mark.parametrize("skeleton", [human(), limited()], ids=["free", "limited"])
def test_comfort_is_found_though_the_start_lives_off_the_tolerance(rng, skeleton):
    """Hips and feet may be off by the tolerance: moved so far after the head they leave that less to miss."""
    targets, start = pulled_away(skeleton, rng), rest_pose(skeleton, ROWS)
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.4) for name in skeleton.names)
    plain = solve(skeleton, start, PINNED, targets, replace(ROUGH, tolerance=1e-6, angle_tolerance=1e-6))
    problem = make_problem(Request(replace(skeleton, comforts=comforts), start, PINNED, targets, ROUGH))
    kept, state = lowering(problem, problem, 2), state_from_pose(problem, plain.pose)
    assert measure(kept.holding.reached, state).met.all()
    assert not measure(kept, state).met.any()
    left = targets.positions[:, HEAD] - state.points[:, HEAD]
    moved = state.translations.copy()
    moved[:, 0] += 0.9 * problem.tolerance[:, None] * left / np.linalg.norm(left, axis=1, keepdims=True)
    nearer = forward_kinematics(kept, state.rotations, moved)
    assert (measure(kept, nearer).energy < measure(kept, state).energy).all()
    found, found_nearer = (finished(eased(kept, begun_at(kept, at), 60)) for at in (state, nearer))
    cost, cost_nearer = (posture_cost(problem, at.state) for at in (found, found_nearer))
    assert np.allclose(cost_nearer, cost, rtol=0.02)


@pytest.mark.parametrize("skeleton", [human(), limited()], ids=["free", "limited"])
def test_steps_come_to_a_least_that_hangs_on_no_rounding(rng, skeleton):
    """Where all targets are missed, and by how much is hardly told by the pose."""
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.4) for name in skeleton.names)
    body, start = replace(skeleton, comforts=comforts), rest_pose(skeleton, 24)
    rest = targets_at(body, start, HUMAN_EFFECTORS)
    torn = rest.positions + 0.5 * rng.normal(size=rest.positions.shape)
    plain = solve(skeleton, start, HUMAN_EFFECTORS, Targets(torn, rest.rotations), Settings(restarts=0))
    ends = []
    for positions in (torn, torn + 1e-9 * rng.normal(size=torn.shape)):
        problem = make_problem(Request(body, start, HUMAN_EFFECTORS, Targets(positions, rest.rotations)))
        found = finished(eased(problem, begun_at(problem, state_from_pose(problem, plain.pose)), 60))
        assert not found.unfinished.any()
        ends.append(found.state.heads)
    assert np.linalg.norm(ends[1] - ends[0], axis=-1).max() < 1e-6
