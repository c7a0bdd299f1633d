# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors whose points and weights are the targets', row by row: as effectors that have them themselves."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import FREE, random_effectors, random_pose, random_targets, random_tree

from solvers import (
    METHODS,
    EffectorError,
    Plane,
    Request,
    Settings,
    Targets,
    solve,
    solve_clip,
    solve_in_parts,
)
from solvers.geometry import normalised
from solvers.goals import effectors_left
from solvers.pauses import finished

ROWS = 4


def asked(rng):
    """A rig, effectors of each row, and what those have in common with targets that say the rest."""
    skeleton = random_tree(rng, 9, freedom=FREE)
    effectors = random_effectors(rng, skeleton, 3, position_weight=1.0, rotation_weight=1.0, offset=(0, 0, 0))
    pose, targets = random_pose(rng, skeleton, ROWS), random_targets(rng, effectors, ROWS)
    offsets, weights = rng.normal(size=(ROWS, 3, 3)), rng.choice([0.5, 2.0], size=(ROWS, 3, 2))
    own = [
        tuple(
            replace(effector, offset=tuple(offset), position_weight=place, rotation_weight=turn)
            for effector, offset, (place, turn) in zip(effectors, *row, strict=True)
        )
        for row in zip(offsets, weights, strict=True)
    ]
    return skeleton, pose, effectors, own, replace(targets, offsets=offsets, weights=weights)


@pytest.mark.parametrize("method", METHODS)
def test_each_row_is_solved_as_by_effectors_of_its_own(rng, method):
    skeleton, pose, effectors, own, targets = asked(rng)
    settings = Settings(method=method, iterations=8)
    found = solve(skeleton, pose, effectors, targets, settings)
    for row, themselves in enumerate(own):
        only = slice(row, row + 1)
        bare = Targets(targets.positions[only], targets.rotations[only])
        alone = solve(skeleton, pose.rows(only), themselves, bare, settings)
        assert np.abs(alone.pose.rotations - found.pose.rotations[only]).max() < 1e-12
        for name in ("position_residuals", "rotation_residuals", "out_of_reach"):
            assert np.abs(getattr(alone, name) - getattr(found, name)[only]).max() < 1e-12


def test_one_row_of_points_serves_all(rng):
    skeleton, pose, effectors, own, targets = asked(rng)
    bare = Targets(targets.positions, targets.rotations)
    given = replace(bare, offsets=targets.offsets[:1], weights=targets.weights[:1])
    shared, themselves = solve(skeleton, pose, effectors, given), solve(skeleton, pose, own[0], bare)
    assert np.array_equal(shared.pose.rotations, themselves.pose.rotations)


def test_points_of_a_clip_are_those_of_each_frame(rng):
    skeleton, pose, effectors, _, targets = asked(rng)
    effectors = tuple(replace(effector, rotation_weight=0) for effector in effectors[-1:])
    one = replace(
        targets.rows(slice(None)),
        **{name: getattr(targets, name)[:, -1:] for name in ("positions", "rotations", "offsets", "weights")},
        axes=None,
    )
    clip, alone = (run(skeleton, pose, effectors, one) for run in (solve_clip, solve))
    assert alone.converged.all()
    assert clip.converged.all()


def test_without_weight_in_a_row_nothing_is_left_there(rng):
    _, _, effectors, _, targets = asked(rng)
    weights = np.ones((ROWS, 3, 2))
    weights[1, 0], weights[2, 1, 0], weights[3, 2, 1] = 0.0, 0.0, 0.0
    turns = np.broadcast_to(np.eye(3), (ROWS, 3, 3, 3))
    left = effectors_left(effectors, replace(targets, weights=weights), targets.positions + 1, turns)
    assert np.array_equal(np.stack(left, axis=-1) > 0, weights > 0)


@pytest.mark.parametrize(
    ("offsets", "words"),
    [
        (np.full((1, 3, 3), np.nan), "'bone.008' has an offset that is not finite"),
        (np.full((1, 3, 3), 1e300), "'bone.008' has an offset"),
        (np.zeros((2, 3, 3)), "Target offsets have shape"),
    ],
)
def test_points_that_cannot_be_used_are_refused_by_name(rng, offsets, words):
    skeleton, pose, effectors, _, targets = asked(rng)
    offsets = np.where(np.arange(3)[:, None] == 2, offsets, 0.0)
    with pytest.raises(EffectorError, match=words):
        solve(skeleton, pose, effectors, replace(targets, offsets=offsets))


def test_nothing_is_asked_of_rows_that_are_left_out(rng):
    skeleton, pose, effectors, _, targets = asked(rng)
    plane = Plane(((skeleton.names[-1], (0, 0, 0)),), heights=np.array([9.0]))
    request = Request(skeleton, pose, effectors, targets, Settings(iterations=4), (plane,))
    left_out = np.arange(ROWS) % 2 == 0
    found, whole = (finished(solve_in_parts(each)) for each in (request.but_in(left_out), request))
    assert (found.pose.rotations[~left_out] == whole.pose.rotations[~left_out]).all()
    apart = np.abs(found.pose.rotations - normalised(pose.rotations))
    assert apart[left_out].max() < 1e-12
    assert apart[~left_out].max() > 0.01
    assert found.converged[left_out].all()
    assert request.but_in(np.zeros(ROWS, bool)) is request
    by_rank = request.but_in(left_out, (2,))
    assert by_rank.goals[0].weights.tolist() == (~left_out).tolist()
    assert (by_rank.targets.weights == targets.weights).all()
