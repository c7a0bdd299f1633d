# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip in which some targets must hold, joints have comfort, or goals of other kinds are asked for."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    HUMAN_EFFECTORS,
    MET,
    chain,
    end_of,
    human,
    names,
    quaternions,
    scipy_of,
    targets_at,
)
from slow_motion import moving

from solvers import (
    Comfort,
    Place,
    Plane,
    Pole,
    RelativeFrame,
    Targets,
    rest_pose,
    solve,
    solve_clip,
)


@pytest.mark.parametrize(("smoothness", "apart"), [(1.0, 0.0), (0.2, 2.0)])
def test_what_must_hold_stays_where_it_is_without_smoothness(rng, smoothness, apart):
    body, feet, others = human(), slice(4, 6), slice(4)
    must = [replace(effector, rank=1) for effector in HUMAN_EFFECTORS[feet]]
    effectors, frames = (*HUMAN_EFFECTORS[others], *must), 13
    targets = targets_at(body, rest_pose(body, frames), effectors)
    positions = targets.positions.copy()
    positions[:, others] += rng.normal(scale=0.05, size=positions[:, others].shape)
    positions[5:8, 4] += [apart, 0, 0]  # by two metres both feet miss, whatever becomes of the others
    given = body, rest_pose(body, frames), effectors, Targets(positions, targets.rotations)
    exact, smooth = solve(*given), solve_clip(*given, smoothness=smoothness)
    farther = smooth.position_residuals - exact.position_residuals
    assert np.abs(farther[:, feet]).max() < 1e-4
    assert farther[:, others].max() > 1e-3  # the others give way
    assert (exact.position_residuals[5:8, feet].min() > 0.01) == (apart > 0)


def test_what_must_hold_is_not_given_up_to_bring_others_nearer():
    body, frames, first = human(), 7, 1
    effectors = [replace(effector, rank=2, rotation_weight=0) for effector in HUMAN_EFFECTORS[:4]]
    effectors[first] = replace(effectors[first], rank=1)
    targets = targets_at(body, rest_pose(body, frames), effectors)
    away = np.random.default_rng(6).normal(scale=0.2, size=targets.positions.shape)
    given = body, rest_pose(body, frames), effectors, replace(targets, positions=targets.positions + away)
    exact, clip = solve(*given), solve_clip(*given)
    assert (exact.position_residuals > 0.01).any(axis=1).sum() > 3  # not all targets can be met
    for solution in (exact, clip):
        assert solution.position_residuals[:, first].max() < 3 * MET  # no path is three metres long


def test_what_gives_way_to_a_target_does_not_take_that_back_for_smooth_motion():
    body, frames, hand = human(), 13, 2
    effectors = [replace(effector, rank=3, rotation_weight=0) for effector in HUMAN_EFFECTORS[:4]]
    effectors[hand] = replace(effectors[hand], rank=2)
    targets = targets_at(body, rest_pose(body, frames), effectors)
    positions = targets.positions.copy()
    positions[:, hand] += np.sin(np.linspace(0, np.pi, frames))[:, None] * [0.3, -0.5, 0.7]
    given = body, rest_pose(body, frames), effectors, Targets(positions, targets.rotations)
    exact, smooth = solve(*given), solve_clip(*given, smoothness=0.05)
    assert exact.position_residuals.max() > 0.05  # others give way
    assert exact.position_residuals[:, hand].max() < 1e-4
    assert smooth.position_residuals[:, hand].max() < 0.002


def test_comfort_decides_among_poses_that_meet_the_targets():
    comforts = tuple(
        Comfort(name, quaternions(np.random.default_rng(2), 1, spread=0.2)[0]) for name in names(4)[1:]
    )
    arm, effectors = chain(4), (end_of(4),)
    targets, start = moving(arm, effectors, 25, size=0.4), rest_pose(arm, 25)
    plain, eased = (
        solve_clip(replace(arm, comforts=own), start, effectors, targets) for own in ((), comforts)
    )
    strays = [
        (
            scipy_of(pose.rotations[:, 1:]) * scipy_of(np.tile([c.rotation for c in comforts], (25, 1))).inv()
        ).magnitude()
        for pose in (plain.pose, eased.pose)
    ]
    assert eased.converged.all()
    assert (strays[1] ** 2).sum() < 0.9 * (strays[0] ** 2).sum()


def test_goals_of_other_kinds_are_kept():
    body, effectors = human(), HUMAN_EFFECTORS[:1] + HUMAN_EFFECTORS[4:]
    targets, start = moving(body, effectors, 20, size=0.2), rest_pose(body, 20)
    goals = (
        RelativeFrame("hand.L", "hand.R", to_offset=(-0.2, 0.0, 0.0)),
        Plane((("hand.R", (0.0, 0.0, 0.0)),), normals=[(0.0, 0.0, 1.0)], heights=[1.5]),
    )
    alone, clip = (act(body, start, effectors, targets, goals=goals) for act in (solve, solve_clip))
    assert clip.goals_met[alone.goals_met.all(axis=1)].all()
    assert clip.goals_met.mean() > 0.9
    assert clip.converged[alone.converged].all()


@pytest.mark.parametrize("smoothness", [0.0, 0.3])
def test_a_pole_towards_a_point_that_moves_is_met(smoothness):
    body, effectors = human(), HUMAN_EFFECTORS[:1] + HUMAN_EFFECTORS[4:]
    targets, start = moving(body, effectors, 20, size=0.1), rest_pose(body, 20)
    ahead = np.array([0.1, -2.0, 0.6]) + np.linspace(0.0, 1.0, 20)[:, None] * [0.5, 0.0, 0.0]
    pole = Pole("thigh.L", "shin.L", "foot.L", at=ahead, rank=2)
    clip = solve_clip(body, start, effectors, targets, smoothness=smoothness, goals=(pole,))
    assert clip.goal_residuals[:, 0, 1].max() < 0.05
    assert smoothness or clip.goals_met.all()


@pytest.mark.parametrize("away", [1.0, 3.0])
def test_goals_that_are_animated_are_met_with_comfort_in_all_frames_or_in_none(away):
    arm, effectors, frames = chain(3), (end_of(3),), 13
    eased = replace(arm, comforts=tuple(Comfort(name, (1.0, 0.0, 0.0, 0.0)) for name in names(3)[1:]))
    targets = moving(arm, effectors, frames, size=0.3)
    place = Place(names(3)[-1], away * targets.positions[:, 0], effectors[0].offset, weights=np.ones(frames))
    away_targets = Targets(away * targets.positions, targets.rotations)
    clip = solve_clip(eased, rest_pose(arm, frames), effectors, away_targets, goals=(place,))
    assert (clip.converged == (away == 1.0)).all()
