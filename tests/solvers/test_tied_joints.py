# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that stray together: the cost is that of one Gaussian over all, and the others go along."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human, quaternions, random_pose, targets_at

from solvers import Comfort, ComfortError, rest_pose, solve
from solvers.geometry import matvec, quaternion_to_matrix, rotation_vector_rates, rotation_vector_to_matrix
from solvers.posture import comforts
from solvers.steps.comfort_steps import _held, _least
from solvers.steps.normal_matrix import RowsOf

LEAST = 0.05**2 * np.eye(3)
BONES = [f"bone {place}" for place in range(5)]


def spread(rng):
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return axes @ np.diag(rng.uniform(0.1, 0.6, 3) ** 2) @ axes.T


def tied(rng, names, count=4):
    """A comfort for each bone, each tied to the others."""
    ties = rng.normal(size=(len(names), 3, count))
    ties *= rng.uniform(0.2, 0.9, size=(len(names), 1, 1)) / np.linalg.norm(
        ties, 2, axis=(1, 2), keepdims=True
    )
    found = zip(names, quaternions(rng, len(names), spread=0.2), ties, strict=True)
    return [Comfort(name, turn, spread(rng), None, own) for name, turn, own in found]


def together(chosen):
    place = {comfort.bone: index for index, comfort in enumerate(chosen)}
    return comforts(chosen, place, np.ones(len(chosen)), np.ones((1, len(chosen))))


def covariance(chosen):
    """Of all strays, (3 bones, 3 bones)."""
    spreads = np.array([comfort.spread + LEAST for comfort in chosen])
    values, axes = np.linalg.eigh(spreads)
    roots = (axes * np.sqrt(values)[:, None]) @ np.swapaxes(axes, -1, -2)
    long = np.concatenate([root @ comfort.ties for root, comfort in zip(roots, chosen, strict=True)])
    whole = long @ long.T
    for at, own in enumerate(spreads):
        whole[3 * at : 3 * at + 3, 3 * at : 3 * at + 3] = own
    return whole


def turned(known, strays):
    return known.rotations @ rotation_vector_to_matrix(strays)


def test_the_cost_is_that_of_one_gaussian_over_all_joints(rng):
    """Near comfort, but for what farther strays count less: their fourth powers."""
    chosen = tied(rng, BONES)
    known, strays = together(chosen), rng.normal(scale=1e-3, size=(50, 5, 3))
    flat = strays.reshape(50, -1)
    wanted = np.einsum("bi,ij,bj->b", flat, np.linalg.inv(covariance(chosen)), flat)
    assert known.posture_cost(turned(known, strays)) == pytest.approx(wanted, rel=1e-4)


def test_pulls_are_the_cost_s_slope_also_past_what_is_a_habit(rng):
    known = together(tied(rng, BONES))
    strays, ways = rng.normal(scale=0.4, size=(2, 200, 5, 3))
    assert 0.1 < (known.trust(strays) < 1).mean() < 0.9

    def cost(share):
        return known.posture_cost(turned(known, strays + share * ways))

    slope = (cost(1e-6) - cost(-1e-6)) / 2e-6
    pulled = 2 * np.einsum("bmi,bmi->b", known.model(strays)[0], ways)
    assert pulled == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_blocks_less_rows_and_bends_are_the_cost_s_curvature(rng):
    """Central differences along turns of all: joints near comfort and, where untied, far from it."""
    known = together([*tied(rng, BONES[:3]), *(replace(c, ties=None) for c in tied(rng, BONES[3:]))])
    strays, ways = rng.normal(size=(2, 300, 5, 3)) * np.array([0.02, 0.02, 0.02, 0.6, 0.6])[:, None]
    deviations = np.sqrt(np.einsum("bmi,bmi->bm", strays, matvec(known.precisions, strays)))
    smooth = (np.abs(deviations - 3) > 0.02).all(axis=1)  # where a joint's own curvature does not jump
    assert 0.1 < (deviations[:, 3:] > 3).mean() < 0.9
    at = turned(known, strays)

    def half_cost(share):
        return 0.5 * known.posture_cost(at @ rotation_vector_to_matrix(share * ways))

    wanted = (half_cost(1e-4) + half_cost(-1e-4) - 2 * half_cost(0)) / 1e-8
    _, blocks, rows = known.model(strays)
    turns = matvec(rotation_vector_rates(strays), ways)
    found = np.einsum("bmi,bmij,bmj->b", turns, blocks, turns)
    found -= (np.einsum("bkti,bti->bk", rows, turns[:, known.ties.bones]) ** 2).sum(axis=1)
    found += np.einsum("bmi,bmij,bmj->b", ways, known.bends(strays, known.model(strays)[0]), ways)
    assert np.allclose(found[smooth], wanted[smooth], rtol=1e-2, atol=1e-3)


def test_blocks_less_rows_lead_downhill_from_anywhere(rng):
    known = together(tied(rng, BONES, 8))
    _, blocks, rows = known.model(rng.normal(scale=1.0, size=(200, 5, 3)))
    whole = np.zeros((200, 15, 15))
    for bone in range(5):
        own = slice(3 * bone, 3 * bone + 3)
        whole[:, own, own] = blocks[:, bone]
    rows = rows.reshape(200, -1, 15)
    assert np.linalg.eigvalsh(whole - rows.swapaxes(1, 2) @ rows)[:, 0].min() > 0


def test_blocks_are_no_less_than_the_second_derivatives_and_rows_make_up_for_it(rng):
    chosen = tied(rng, BONES)
    known = together(chosen)
    none = np.zeros((1, 5, 3))
    _, (blocks,), rows = known.model(none)
    rows = rows.reshape(-1, 15)
    whole = np.zeros((15, 15))
    for at, block in enumerate(blocks):
        whole[3 * at : 3 * at + 3, 3 * at : 3 * at + 3] = block
    exact = np.linalg.inv(covariance(chosen))
    assert np.linalg.eigvalsh(whole - exact)[0] > -1e-9 * np.linalg.norm(exact)
    assert whole - rows.T @ rows == pytest.approx(exact)


def test_one_joint_takes_another_along_by_what_they_are_correlated():
    """A joint that is turned from comfort has one like it turn by the share that they have in common."""
    ties = np.sqrt(0.6) * np.eye(3)
    chosen = together([Comfort(name, (1, 0, 0, 0), 0.3, None, ties) for name in ("left", "right")])
    strays = np.zeros((1, 2, 3))
    strays[0, 0] = 0.002, -0.001, 0.001
    strays[0, 1] = 0.6 * strays[0, 0]
    pulls = np.linalg.norm(chosen.model(strays)[0][0], axis=-1)
    assert pulls[1] < 1e-5 * pulls[0]


@pytest.mark.parametrize("shared", [0, 1, 8])
def test_the_plain_step_is_the_least_of_all_that_is_tied(rng, shared):
    """Against the same least written out, with J and its multipliers below, and along what is free."""
    bones, rows, batch = 10, 12, 5
    size = 3 * (bones + 1)
    jacobians, ties = rng.normal(size=(batch, rows, size)), rng.normal(size=(batch, shared, size))
    ties *= 0.9 / np.linalg.norm(ties, 2, axis=(1, 2), keepdims=True) if shared else 1.0
    roots = np.eye(3) + 0.2 * rng.normal(size=(batch, bones + 1, 3, 3))
    weights = np.eye(3) + roots @ np.swapaxes(roots, -1, -2)
    gradient, vector = rng.normal(size=(batch, bones + 1, 3)), rng.normal(size=(batch, rows))
    normals = quaternion_to_matrix(quaternions(rng, batch * bones, spread=1.0))[:, 0]
    normals = normals.reshape(batch, bones, 3) * (rng.uniform(size=(batch, bones, 1)) < 0.4)
    fixed = rng.normal(size=(batch, bones, 1)) * normals
    free = np.eye(3) - normals[..., :, None] * normals[..., None, :]
    of = RowsOf(np.arange(2).repeat(6), np.ones((2, bones), bool), 1)
    columns = np.append(jacobians, ties, axis=1).reshape(batch, -1, bones + 1, 3).transpose(0, 2, 3, 1)
    given = columns, np.append(vector, np.zeros((batch, shared)), axis=1), weights, gradient
    steps = _least(of, shared, *given), _held(of, shared, free, fixed, *given)
    for row in range(batch):
        whole = np.zeros((size, size))
        for at, block in enumerate(weights[row]):
            whole[3 * at : 3 * at + 3, 3 * at : 3 * at + 3] = block
        whole -= ties[row].T @ ties[row]
        along = np.zeros((bones, size))
        for at, normal in enumerate(normals[row]):
            along[at, 3 * at : 3 * at + 3] = normal
        along = along[along.any(axis=1)]
        for step, kept in zip(steps, (jacobians[row], np.append(jacobians[row], along, axis=0)), strict=True):
            flat, slope = step[row].ravel(), gradient[row].ravel()
            assert jacobians[row] @ flat == pytest.approx(-vector[row])
            slope = slope + whole @ flat
            assert np.allclose(slope - kept.T @ np.linalg.lstsq(kept.T, slope, rcond=None)[0], 0, atol=1e-8)
        assert along @ steps[1][row].ravel() == pytest.approx(along[:, : 3 * bones] @ fixed[row].ravel())


def test_solves_end_where_ties_are_least_too(rng):
    skeleton = human()
    names = [name for name, above in zip(skeleton.names, skeleton.parents, strict=True) if above >= 0]
    skeleton = replace(skeleton, comforts=tuple(tied(rng, names)))
    alone = replace(skeleton, comforts=tuple(replace(c, ties=None) for c in skeleton.comforts))
    goal = random_pose(rng, skeleton, 12, spread=0.15)
    targets = targets_at(skeleton, goal, HUMAN_EFFECTORS)
    start = rest_pose(skeleton, 12)
    found, other = (solve(each, start, HUMAN_EFFECTORS, targets) for each in (skeleton, alone))
    again = solve(skeleton, other.pose, HUMAN_EFFECTORS, targets)
    assert found.converged.all()
    assert again.converged.all()
    costs = [cost_of(skeleton, each.pose) for each in (found, again, other)]
    assert np.median(costs[0] / costs[2]) < 0.97
    assert costs[1] == pytest.approx(costs[0], rel=2e-2)


@pytest.mark.company
def test_rows_with_ties_are_the_same_in_any_company(rng):
    skeleton = human()
    names = [name for name, above in zip(skeleton.names, skeleton.parents, strict=True) if above >= 0]
    skeleton = replace(skeleton, comforts=tuple(tied(rng, names)))
    targets = targets_at(skeleton, random_pose(rng, skeleton, 5, spread=0.3), HUMAN_EFFECTORS)
    together = solve(skeleton, rest_pose(skeleton, 5), HUMAN_EFFECTORS, targets).pose.rotations
    for row in range(5):
        alone = solve(skeleton, rest_pose(skeleton, 1), HUMAN_EFFECTORS, targets.rows([row]))
        assert np.array_equal(alone.pose.rotations[0], together[row])


@pytest.mark.company
def test_rows_may_each_have_ties_of_their_own(rng):
    skeleton = human()
    names = [name for name, above in zip(skeleton.names, skeleton.parents, strict=True) if above >= 0]
    own = [replace(skeleton, comforts=tuple(tied(rng, names))) for _ in range(3)]
    several = zip(*(body.comforts for body in own), strict=True)
    comforts = (
        Comfort(
            comfort[0].bone,
            np.stack([one.rotation for one in comfort]),
            np.stack([one.spread for one in comfort]),
            None,
            np.stack([one.ties for one in comfort]),
        )
        for comfort in several
    )
    targets = targets_at(skeleton, random_pose(rng, skeleton, 3, spread=0.3), HUMAN_EFFECTORS)
    body = replace(skeleton, comforts=tuple(comforts))
    together = solve(body, rest_pose(body, 3), HUMAN_EFFECTORS, targets).pose.rotations
    for row in range(3):
        alone = solve(own[row], rest_pose(skeleton, 1), HUMAN_EFFECTORS, targets.rows([row]))
        assert np.array_equal(alone.pose.rotations[0], together[row])


def cost_of(skeleton, pose):
    place = {name: index for index, name in enumerate(skeleton.names)}
    count = len(place)
    known = comforts(skeleton.comforts, place, np.ones(count), np.ones((1, count)))
    return known.posture_cost(quaternion_to_matrix(pose.rotations).take(known.bones, axis=1))


def test_a_comfort_that_is_moved_keeps_a_share_of_its_ties(rng):
    (comfort, other) = tied(rng, BONES[:2])
    assert np.allclose(comfort.moved(comfort.rotation, 1.0, 0.25).ties, 0.25 * comfort.ties)
    loose = comfort.moved(comfort.rotation, 1.0, 0.0)
    alone = together([replace(comfort, ties=None), replace(other, ties=None)])
    strays = rng.normal(scale=0.2, size=(20, 2, 3))
    cost = together([loose, other]).posture_cost(turned(alone, strays))
    assert cost == pytest.approx(alone.posture_cost(turned(alone, strays)))


@pytest.mark.parametrize(
    "ties", [np.eye(3), np.zeros((2, 3)), np.zeros((3, 9)), np.full((3, 1), np.nan), "no"]
)
def test_ties_that_are_none_are_refused_by_name(ties):
    with pytest.raises(ComfortError, match="ties of 'hip'"):
        Comfort("hip", (1, 0, 0, 0), 0.3, None, ties)
