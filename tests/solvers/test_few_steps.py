# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves that may take few steps, as during a drag: what they leave can be shown, or gone on from."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, MET, human, random_pose, random_targets, reachable, targets_at

from solvers import Comfort, Cones, Haste, Hinge, Plane, Settings, Targets, rest_pose, solve
from solvers.geometry import angle_between, quaternion_to_matrix
from solvers.limits import group_limits

FEW = (1, 2, 3, 6)
PINNED = tuple(replace(e, rank=1 if "foot" in e.bone or e.bone == "hips" else 2) for e in HUMAN_EFFECTORS)


def limited(comfort=False):
    """The figure with knees and elbows that bend one way, and arms in cones."""
    knees = (Hinge(f"shin.{side}", (1, 0, 0), 0.0, 2.5) for side in "LR")
    elbows = (Hinge(f"forearm.{side}", (1, 0, 0), -2.5, 0.0, play=0.1) for side in "LR")
    arms = (Cones(f"arm.{side}", (((0.0, 1.0, 0.0), 1.0),), -1.0, 1.0) for side in "LR")
    skeleton = replace(human(), limits=(*knees, *elbows, *arms))
    if not comfort:
        return skeleton
    return replace(skeleton, comforts=tuple(Comfort(name, (1, 0, 0, 0), 0.4) for name in skeleton.names))


def outside(skeleton, pose):
    """The worst violation of any limit, radians."""
    local = quaternion_to_matrix(pose.rotations)
    groups = group_limits(skeleton.limits, skeleton.places)
    seen = ((group, local.take(group.bones, axis=1)) for group in groups)
    return max(angle_between(here, group.nearest(here)).max() for group, here in seen)


def few(steps):
    return Settings(iterations=steps, restarts=0, haste=Haste())


@pytest.mark.parametrize("steps", FEW)
@pytest.mark.parametrize("comfort", [False, True], ids=["", "comfort"])
@pytest.mark.parametrize("effectors", [HUMAN_EFFECTORS, PINNED], ids=["one rank", "ranks"])
def test_limits_hold_however_few_the_steps(rng, effectors, comfort, steps):
    skeleton, targets = limited(comfort), random_targets(rng, effectors, 40)
    found = solve(skeleton, rest_pose(skeleton, 40), effectors, targets, few(steps))
    assert outside(skeleton, found.pose) < 1e-6


def test_steps_that_bring_less_than_they_are_worth_are_the_last(rng):
    """What that leaves is of the tolerance's size."""
    skeleton, targets = limited(comfort=True), random_targets(rng, PINNED, 10)
    start, settings = rest_pose(skeleton, 10), Settings(restarts=0, tolerance=1e-3)
    thorough, brisk = (
        solve(skeleton, start, PINNED, targets, replace(settings, worth=worth)) for worth in (0.0, 0.05)
    )
    reach = 2.0
    assert (brisk.iterations <= thorough.iterations).all()
    assert brisk.iterations.sum() < thorough.iterations.sum()
    assert np.median(brisk.rmsd - thorough.rmsd) < settings.tolerance * reach


@pytest.mark.parametrize("steps", FEW)
def test_no_number_of_steps_leaves_more_than_none(rng, steps):
    """From where others ended, too: so a drag that goes on, or is refined at rest, gets no farther off."""
    skeleton, targets = limited(), random_targets(rng, HUMAN_EFFECTORS, 40)
    start = solve(skeleton, random_pose(rng, skeleton, 40), HUMAN_EFFECTORS, targets, few(1)).pose
    begun, more = (
        solve(skeleton, start, HUMAN_EFFECTORS, targets, few(count)).rmsd for count in (steps, 2 * steps)
    )
    locked = replace(skeleton, stiffness=np.ones(len(skeleton.names)), freedom=0 * skeleton.freedom)
    none = solve(locked, start, HUMAN_EFFECTORS, targets).rmsd
    assert (begun <= none + 1e-9).all()
    assert (more <= none + 1e-9).all()


@pytest.mark.parametrize("comfort", [False, True], ids=["", "comfort"])
def test_a_first_rank_within_reach_is_met_by_few_steps_from_move_to_move(comfort):
    """The hips are dragged down by 24 cm, 2 cm at a time, until heads and hands are left behind."""
    skeleton = limited(comfort)
    start = rest_pose(skeleton)
    rest = targets_at(skeleton, start, PINNED)
    first = np.array([effector.rank == 1 for effector in PINNED])
    for move in range(12):
        positions = rest.positions.copy()
        positions[:, 0, 2] -= 0.02 * (move + 1)
        found = solve(skeleton, start, PINNED, Targets(positions, rest.rotations), few(3))
        assert found.position_residuals[0, first].max() < 10 * MET
        start = found.pose
    assert not found.converged.any()


def test_points_with_slack_make_no_difference(rng):
    """Hundreds of points far above a plane, beside two that their targets bring down to one."""
    skeleton, effectors, names = human(), HUMAN_EFFECTORS, [effector.bone for effector in HUMAN_EFFECTORS]
    targets, start = reachable(rng, skeleton, effectors, 20), rest_pose(skeleton, 20)
    hands = [names.index("hand.L"), names.index("hand.R")]
    heights = targets.positions[:, hands, 2].min(axis=1)
    touched = Plane((("hand.L", (0, 0, 0)), ("hand.R", (0, 0, 0))), heights=heights)
    points = [(name, tuple(0.01 * rng.normal(size=3))) for name in names for _ in range(50)]
    far = Plane(points, heights=np.array([-1e3]))
    given = skeleton, start, effectors, targets
    alone, beside = (solve(*given, goals=goals) for goals in ([touched], [touched, far]))
    assert alone.converged.all()
    assert np.allclose(beside.pose.rotations, alone.pose.rotations, rtol=0, atol=1e-9)
