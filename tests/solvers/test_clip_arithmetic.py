# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arithmetic of a clip: elimination, slopes and costs, checked otherwise, and starts between frames."""

import numpy as np
import pytest
from random_rigs import (
    chain,
    end_of,
    matrices,
    scipy_of,
    unturned,
    wxyz,
)
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from slow_motion import THOROUGH, jerks, moving, waves

from solvers import (
    Pose,
    Targets,
    forward,
    rest_pose,
    solve_clip,
)
from solvers.clip.acceleration import (
    believed,
    change_costs,
    change_slopes,
    changes_of,
    shift_slopes,
    velocities,
)
from solvers.clip.between import between
from solvers.clip.elimination import eliminated, eliminated_from_both_ends, second_differences
from solvers.clip.system import has_few_rows, make_system
from solvers.clip.ways import Ways
from solvers.geometry.rotations import rotation_vector_to_matrix
from solvers.pauses import finished


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 6, 7, 8, 13])
def test_elimination_solves_the_dense_system(frames):
    rng, size = np.random.default_rng(frames), 4
    weights = rng.uniform(1, 3, (frames, size))
    bands = second_differences(weights)
    second = np.diff(np.eye(frames), 2, axis=0) if frames > 2 else np.zeros((0, frames))
    roots = rng.normal(size=(frames, size, size))
    own = roots @ roots.swapaxes(1, 2) + 0.1 * np.eye(size)
    second = np.kron(second, np.eye(size))
    dense = second.T @ (weights[1:-1].ravel()[:, None] * second) if frames > 2 else 0 * second.T @ second
    for frame in range(frames):
        dense[frame * size :][:size, frame * size :][:, :size] += own[frame]
    blocks = own + bands[0][:, None] * np.eye(size)
    right = rng.normal(size=(frames, size))
    expected = np.linalg.solve(dense, right.ravel()).reshape(frames, size)
    one_by_one = finished(eliminated(blocks.copy()[:, None], bands[:, :, None]))
    assert np.allclose(one_by_one.solution(right[:, None])[:, 0], expected, rtol=0, atol=1e-9)
    both = finished(eliminated_from_both_ends(blocks, bands))
    assert np.allclose(both.solution(right), expected, rtol=0, atol=1e-9)


def clip_system(seed, frames, counts, rows, heavy, varies):
    """The parts of a system of bones with so many ways each, and its dense matrix and right side.

    What rows of the residual weigh varies from frame to frame, or not.
    """
    rng, of = np.random.default_rng(seed), np.repeat(np.arange(len(counts)), counts)
    size, pairs = len(of), np.stack(np.nonzero(np.equal.outer(of, of)))
    roots = rng.normal(size=(frames, size, size))
    own = (roots @ roots.swapaxes(1, 2) / size + np.eye(size)) * np.equal.outer(of, of)
    weights, columns = rng.uniform(1, heavy, (frames, size)), rng.normal(size=(frames, size, rows))
    columns[:, :, -1] = columns[:, :, 0]  # two rows that say the same
    trust = rng.uniform(50, 100, (frames if varies else 1, rows))
    residual, whole = rng.normal(size=(frames, rows)), np.broadcast_to(trust, (frames, rows))
    pull, second = rng.normal(size=(frames, size)), np.diff(np.eye(frames), 2, axis=0)
    dense = np.einsum("if,iq,ig,qp->fqgp", second, weights[1:-1], second, np.eye(size))
    each = np.arange(frames)
    dense[each, :, each] += own + whole[:, None] * columns @ columns.swapaxes(1, 2)
    right = -(pull + np.einsum("fqr,fr,fr->fq", columns, whole, residual)).ravel()
    ways = Ways(of, len(counts), size, np.zeros((size, 3)), pairs)
    parts = own[:, pairs[0], pairs[1]], np.zeros((frames, 0, size)), second_differences(weights)
    return (ways, *parts, columns, trust, residual, pull), dense.reshape(frames * size, -1), right


@pytest.mark.parametrize("varies", [True, False])
@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize(
    ("frames", "counts", "rows", "heavy"),
    [(3, [2, 3, 1], 2, 2), (4, [3] * 5, 6, 2), (9, [3, 1, 3], 12, 100), (70, [3, 2], 3, 1e4)],
)
def test_systems_are_solved_alike_by_ways_and_by_rows(frames, counts, rows, heavy, few, varies, monkeypatch):
    parts, dense, right = clip_system(rows, frames, counts, rows, heavy, varies)
    monkeypatch.setattr("solvers.clip.system.has_few_rows", lambda *_: few)
    expected, found = np.linalg.solve(dense, right), finished(make_system(*parts).solution())
    assert np.abs(found.ravel() - expected).max() < 1e-7 * np.abs(expected).max()


def reaching(bones, frames=6):
    """The motion of a chain whose end is led about within reach."""
    times = np.linspace(0, 1, frames)
    places = np.stack([0.5 * np.sin(2 * times), 0.6 + 0.1 * np.cos(3 * times), 0.3 * times], -1)[:, None]
    targets = Targets(places, unturned(frames, 1))
    return solve_clip(chain(bones), rest_pose(chain(bones), frames), [end_of(bones)], targets)


def test_chains_move_alike_by_ways_and_by_rows(monkeypatch):
    assert has_few_rows(6, 60, 6)
    by_rows = reaching(20)
    monkeypatch.setattr("solvers.clip.system.has_few_rows", lambda *_: False)
    assert np.allclose(by_rows.pose.rotations, reaching(20).pose.rotations, rtol=0, atol=1e-5)


def test_chains_of_hundreds_of_joints_move_together():
    assert reaching(300).converged.all()  # by ways this takes a minute


def test_bodies_of_few_bones_are_solved_by_ways():
    assert not has_few_rows(63, 66, 36)


@pytest.mark.parametrize("most", [np.inf, 0.5])
def test_slopes_of_acceleration_are_its_differences(most):
    rng = np.random.default_rng(1)
    weights, local = rng.uniform(1, 3, 4), matrices(waves(rng, 7, 4, size=1.0))
    velocity = velocities(local)
    changes = changes_of(velocity)
    pulls = believed(weights, changes, most)[..., None] * changes
    slopes = change_slopes(velocity, pulls)
    turns, step = rng.normal(size=slopes.shape), 1e-5
    ends = [
        change_costs(
            weights, changes_of(velocities(local @ rotation_vector_to_matrix(sign * step * turns))), most
        ).sum()
        for sign in (1, -1)
    ]
    assert np.isclose((ends[0] - ends[1]) / (2 * step), (slopes * turns).sum(), rtol=1e-7)
    assert (believed(weights, changes, 0.5) < weights - 1e-3).any()


@pytest.mark.parametrize("most", [np.inf, 0.5])
def test_slopes_of_shifts_are_their_differences(most):
    rng = np.random.default_rng(2)
    weights, shifts = rng.uniform(1, 3, 2), rng.normal(size=(6, 2, 3))
    changes = changes_of(np.diff(shifts, axis=0))
    slopes = shift_slopes(believed(weights, changes, most)[..., None] * changes)
    moves, step = rng.normal(size=shifts.shape), 1e-5
    ends = [
        change_costs(weights, changes_of(np.diff(shifts + sign * step * moves, axis=0)), most).sum()
        for sign in (1, -1)
    ]
    assert np.isclose((ends[0] - ends[1]) / (2 * step), (slopes * moves).sum(), rtol=1e-7)


def dense_least_squares(skeleton, effector, targets, found, give, change, stray, most):
    """The best rotations (frames, bones, 3, 3) near those ``found``, all at once and by differences, by
    scipy.

    One effector that counts by position, at the end of an anchored chain. Strays beyond one standard
    deviation count by their length, and changes where targets ``give`` way.
    """
    frames, bones = found.rotations.shape[:2]

    def pose_of(unknowns):
        turns = Rotation.from_rotvec(unknowns.reshape(-1, 3))
        turned = scipy_of(found.rotations) * turns
        return Pose(wxyz(turned).reshape(frames, bones, 4), found.translations)

    def counted(deviations, most):
        """What half the square of is Huber's cost."""
        lengths = np.maximum(np.linalg.norm(deviations, axis=-1, keepdims=True), 1e-12)
        return deviations / lengths * np.sqrt(lengths**2 - np.maximum(lengths - most, 0.0) ** 2)

    def residual(unknowns):
        pose = pose_of(unknowns)
        turned, heads = forward(skeleton, pose)
        ends = heads[:, -1] + turned[:, -1] @ np.array(effector.offset)
        strays = scipy_of(pose.rotations).as_rotvec().reshape(frames, bones, 3)
        missed = (ends - targets.positions[:, 0]) / give
        parts = missed, counted(strays / stray, 1.0), counted(jerks(pose) / change, most)
        return np.concatenate([part.ravel() for part in parts])

    ended = least_squares(residual, np.zeros(3 * frames * bones), xtol=1e-12, ftol=1e-14, gtol=1e-10)
    return pose_of(ended.x)


@pytest.mark.parametrize(
    ("frames", "smoothness", "give", "most"),
    [(5, 0.0, 0.25 * 3e-4, np.inf), (7, 0.3, 0.25 * 0.02 * 0.3, 1.0)],
)
def test_the_optimum_is_that_of_dense_least_squares(frames, smoothness, give, most):
    arm, effectors = chain(3), (end_of(3),)
    targets, start = moving(arm, effectors, frames), rest_pose(arm, frames)
    found = solve_clip(arm, start, effectors, targets, smoothness=smoothness, patience=THOROUGH)
    lengths = np.array([1.0, 1.0, 0.4])[:, None]  # of bones, in mean ones
    change, stray = 0.1 * 0.015**smoothness / lengths, 0.4 * lengths**0.75
    best = dense_least_squares(arm, effectors[0], targets, found.pose, give, change, stray, most)
    assert np.abs(matrices(best.rotations) - matrices(found.pose.rotations)).max() < 1e-4
    assert np.abs(jerks(best)).max() > 0.01


def test_a_start_between_frames_goes_through_those_that_were_found():
    given, found = (Pose(waves(np.random.default_rng(seed), 22, 3), np.zeros((22, 3, 3))) for seed in (1, 2))
    every = found.rows(slice(None, None, 4))
    start = between(given, every, 4)
    assert np.abs(matrices(start.rotations[::4]) - matrices(every.rotations)).max() < 1e-12
    kept = between(given, given.rows(slice(None, None, 4)), 4)
    assert np.abs(matrices(kept.rotations) - matrices(given.rotations)).max() < 1e-12


def test_what_is_lost_between_frames_falls_with_the_third_power_of_the_pace():
    times, inner, lost = np.arange(20), slice(4, 13), []
    for pace in (0.1, 0.05):
        turns = wxyz(Rotation.from_rotvec(pace * times[:, None] * [0.6, 0.0, 0.8]))[:, None]
        shifts = pace * (times**2)[:, None, None] * np.ones(3)
        start = between(rest_pose(chain(1), 20), Pose(turns[::4], shifts[::4]), 4)
        lost.append(np.abs(matrices(start.rotations) - matrices(turns))[inner].max())
        assert np.abs(start.translations - shifts)[inner].max() < 1e-12
    assert lost[1] < lost[0] / 8
