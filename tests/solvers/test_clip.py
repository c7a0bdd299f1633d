# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip solved as one problem: exact where it is to be, smooth, the same however it is cut and played."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from random_rigs import (
    FREE,
    HUMAN_EFFECTORS,
    MET,
    chain,
    end_of,
    human,
    names,
    scipy_of,
    targets_at,
    unturned,
    wxyz,
)
from scipy.spatial.transform import Rotation
from slow_motion import THOROUGH, jerks, moving, swinging_over

from solvers import (
    Aim,
    Comfort,
    EffectorError,
    GoalError,
    Hinge,
    Pose,
    Request,
    Settings,
    SettingsError,
    Targets,
    find_jumps,
    forward,
    joints_at_limits,
    rest_pose,
    solve,
    solve_clip,
    solve_clip_in_parts,
)
from solvers.clip import branches, levels
from solvers.clip.clip import fade, make_clip
from solvers.clip.objective import costs as clip_costs
from solvers.clip.objective import counted, motion_of
from solvers.clip.windows import parts_of
from solvers.pauses import finished
from solvers.problem import make_problem, measure, state_from_pose

SAME_WINDOW = 1e-6  # the promise for windows, and for the other way round in time


def reversed_in_time(targets):
    return Targets(targets.positions[::-1], targets.rotations[::-1])


def test_where_targets_are_to_be_met_exactly_every_frame_is_as_near_as_on_its_own():
    for seed, size in ((0, 0.3), (1, 0.6), (2, 1.2)):
        body = human()
        targets, start = moving(body, HUMAN_EFFECTORS, 30, seed, size), rest_pose(body, 30)
        alone, clip = (act(body, start, HUMAN_EFFECTORS, targets) for act in (solve, solve_clip))
        assert clip.converged[alone.converged].all()
        assert (clip.rmsd <= alone.rmsd + MET).all()
        assert (jerks(clip.pose) ** 2).sum() < (jerks(alone.pose) ** 2).sum()


def test_targets_out_of_reach_are_missed_by_no_more_than_on_their_own():
    arm, effectors = chain(3), (end_of(3),)
    targets = moving(arm, effectors, 20, size=0.5)
    far = Targets(1.3 * targets.positions, targets.rotations)
    alone, clip = (act(arm, rest_pose(arm, 20), effectors, far) for act in (solve, solve_clip))
    assert 0 < (~alone.converged).sum()
    assert (clip.rmsd <= alone.rmsd + MET).all()
    assert (clip.converged == alone.converged).all()


def test_where_ways_are_joined_hardly_a_frame_that_misses_is_farther_off_than_on_its_own():
    frames, body, farther = 24, human(), []
    for seed in (3, 5):
        rng = np.random.default_rng(seed)
        axes = np.eye(3)[rng.integers(3, size=len(body.names))]
        hinges = (
            Hinge(name, tuple(axis), -float(rng.uniform(0, 1)), float(rng.uniform(0.1, 1.5)))
            for name, axis in zip(body.names[1:], axes, strict=False)
        )
        limited, near = replace(body, limits=tuple(hinges)), moving(body, HUMAN_EFFECTORS, frames, seed, 1.2)
        given = limited, rest_pose(body, frames), HUMAN_EFFECTORS
        far = Targets(1.6 * near.positions, near.rotations)
        alone, clip = (act(*given, far) for act in (solve, solve_clip))
        assert not alone.converged.any()
        farther.append(clip.rmsd / alone.rmsd)
    assert (np.stack(farther) > 1.02).mean() < 0.1
    assert np.max(farther) < 1.2


@pytest.mark.parametrize("seed", [1, 2])
def test_motion_becomes_smooth_where_targets_are_out_of_reach_too(seed):
    frames, body = 20, human()
    near = moving(body, HUMAN_EFFECTORS, frames, seed, 0.6)
    apart = np.random.default_rng(seed).normal(scale=0.15, size=(1, *near.positions.shape[1:]))
    given = body, rest_pose(body, frames), HUMAN_EFFECTORS, replace(near, positions=near.positions + apart)
    exact, smooth = (solve_clip(*given, smoothness=smoothness) for smoothness in (0.0, 0.4))
    assert (~exact.converged).mean() > 0.8
    assert smooth.rmsd.mean() < 1.05 * exact.rmsd.mean()
    assert (jerks(smooth.pose) ** 2).sum() < 0.5 * (jerks(exact.pose) ** 2).sum()


def test_what_was_found_at_first_stays_where_joining_it_ends_no_jump():
    frames, body = 51, human()
    near = moving(body, HUMAN_EFFECTORS, frames, 0, 0.6)
    given = body, rest_pose(body, frames), HUMAN_EFFECTORS, Targets(1.25 * near.positions, near.rotations)
    alone, clip = (act(*given) for act in (solve, solve_clip))
    told = [finished(find_jumps(Request(*given), found)).rows for found in (alone, clip)]
    assert len(told[1]) < 0.5 * len(told[0])
    assert (jerks(clip.pose) ** 2).sum() < 0.1 * (jerks(alone.pose) ** 2).sum()


def test_of_frames_that_miss_a_few_are_searched_for_and_none_solved_without_comfort_first(monkeypatch):
    """Where those around them miss, so that nothing of it would stay: the others begin between these few."""
    solved, frames = [], 41
    arm, effectors = chain(3), (end_of(3),)
    eased = replace(arm, comforts=tuple(Comfort(name, (1.0, 0.0, 0.0, 0.0)) for name in names(3)[1:]))
    targets = moving(arm, effectors, frames, size=0.5)
    far = Targets(3 * targets.positions, targets.rotations)
    solving = levels.solve_in_parts
    monkeypatch.setattr(
        levels, "solve_in_parts", lambda asked, **how: solved.append(asked) or solving(asked, **how)
    )
    clip, alone = (act(eased, rest_pose(arm, frames), effectors, far) for act in (solve_clip, solve))
    assert not clip.converged.any()
    assert (clip.rmsd <= alone.rmsd + MET).all()
    assert sum(len(asked) for asked in solved if not asked.skeleton.comforts) == len(range(0, frames, 4))
    assert sum(len(asked) for asked in solved if asked.settings.restarts) == len((0, 16, 32, 36, 40))


def test_motion_that_is_smooth_and_exact_already_stays():
    arm, effectors = chain(4), (end_of(4),)
    turns = np.linspace(0, 1, 12)[:, None, None] * np.array(
        [[0.3, 0.2, 0], [0.1, 0, 0.5], [0.7, 0, 0], [0, 0, 0.4]]
    )
    start = Pose(wxyz(Rotation.from_rotvec(turns.reshape(-1, 3))).reshape(12, 4, 4), np.zeros((12, 4, 3)))
    for smoothness in (0.0, 0.4, 1.0):
        found = solve_clip(arm, start, effectors, targets_at(arm, start, effectors), smoothness=smoothness)
        assert found.converged.all()
        assert np.abs(found.pose.rotations - start.rotations).max() < 1e-9


@pytest.mark.parametrize("smoothness", [0.0, 0.3, 0.6])
def test_the_other_way_round_in_time_the_motion_is_the_same(smoothness):
    body = human()
    frames = 33  # of these every fourth, and of them every other one, are the same from both ends
    targets, start = moving(body, HUMAN_EFFECTORS, frames), rest_pose(body, frames)
    there, back = (
        solve_clip(body, start, HUMAN_EFFECTORS, way, smoothness=smoothness).pose
        for way in (targets, reversed_in_time(targets))
    )
    assert np.abs(there.rotations - back.rotations[::-1]).max() < SAME_WINDOW
    assert np.abs(there.translations - back.translations[::-1]).max() < SAME_WINDOW


def test_limits_hold_where_the_smoothest_motion_would_leave_them():
    limits = (Hinge("bone.001", (1, 0, 0), 0.2, 1.0), Hinge("bone.002", (1, 0, 0), -0.05, 0.05))
    free, effectors = chain(3), (end_of(3),)
    targets, start = moving(free, effectors, 20, size=0.6), rest_pose(free, 20)
    limited = replace(free, limits=limits)
    for smoothness in (0.0, 0.5):
        asked = limited, start, effectors, targets, Settings(), smoothness
        found = solve_clip(*asked, patience=THOROUGH)
        turns = scipy_of(found.pose.rotations[:, 1:]).as_rotvec().reshape(20, 2, 3)
        assert np.abs(turns[..., 1:]).max() < 1e-6
        assert (turns[:, 0, 0] > 0.2 - 1e-6).all()
        assert (turns[:, 0, 0] < 1.0 + 1e-6).all()
        assert (np.abs(turns[:, 1, 0]) < 0.05 + 1e-6).all()
        assert joints_at_limits(limited, found.pose, 1e-6).any()
    alone = solve(limited, start, effectors, targets)
    assert (solve_clip(limited, start, effectors, targets).rmsd <= alone.rmsd + MET).all()


def test_a_clip_stays_on_one_way_where_frames_on_their_own_jump():
    arm, hand = chain(2), (end_of(2),)
    targets, start = swinging_over(40), rest_pose(arm, 40)
    rows = {}
    for act in (solve, solve_clip):
        found = act(arm, start, hand, targets)
        assert found.converged.all()
        rows[act] = finished(find_jumps(Request(arm, start, hand, targets), found)).rows
    assert len(rows[solve]) == 1
    assert len(rows[solve_clip]) == 0


@pytest.mark.parametrize("follows", [False, True], ids=["carried over", "followed"])
def test_a_run_goes_over_as_all_of_it_would_and_is_given_up_where_that_fails(monkeypatch, follows):
    arm, effectors, frames = chain(3), (end_of(3),), 61
    near, start = moving(arm, effectors, frames, size=0.3), rest_pose(arm, frames)
    far = Targets(3 * near.positions, near.rotations)
    asked = [Request(arm, start, effectors, targets) for targets in (near, far)]
    quick = asked[0].without_comfort().in_few_steps().settings
    expected = solve(arm, start, effectors, near, quick, in_sequence=follows, follows=not follows).pose
    alone = solve(arm, start, effectors, near)
    solved, solving = [], branches.solve_in_parts
    monkeypatch.setattr(
        branches,
        "solve_in_parts",
        lambda part, *how, **more: solved.append(part) or solving(part, *how, **more),
    )
    nowhere = np.zeros(frames - 1, dtype=bool)
    goes_over = branches._followed if follows else partial(branches._carried_over, before=nowhere)
    found, none = (finished(goes_over(part, start, alone)) for part in asked)
    assert np.array_equal(found.rotations, expected.rotations)
    assert none is None
    assert sum(map(len, solved)) <= frames + 2


def test_a_run_is_carried_over_no_farther_than_where_it_turns_far_anew():
    arm, effectors, frames = chain(3), (end_of(3),), 61
    near, start = moving(arm, effectors, frames, size=0.3), rest_pose(arm, frames)
    places = near.positions.copy()
    places[20:] = places[20:] @ Rotation.from_rotvec([0.0, 0.0, 1.2]).as_matrix().T
    asked = Request(arm, start, effectors, Targets(places, near.rotations))
    alone, nowhere = solve(arm, start, effectors, asked.targets), np.zeros(frames - 1, dtype=bool)
    assert alone.converged.all()
    cut = finished(branches._carried_over(asked, start, alone, nowhere))
    whole = finished(branches._carried_over(asked, start, alone, np.arange(1, frames) == 20))
    assert 20 < len(cut) < len(whole) == frames
    assert np.array_equal(cut.rotations, whole.rotations[: len(cut)])


def test_a_long_run_that_cannot_be_carried_over_is_not_followed(monkeypatch):
    arm, effectors, frames = chain(3), (end_of(3),), 12
    asked = Request(arm, rest_pose(arm, frames), effectors, moving(arm, effectors, frames))
    alone = solve(arm, asked.pose, effectors, asked.targets)
    monkeypatch.setattr(branches, "_carried_over", lambda *_: iter(()))
    for most, follows in ((frames, True), (frames - 1, False)):
        monkeypatch.setattr(branches, "_MOST_FOLLOWED", most)
        assert (finished(branches._gone_over(asked, alone.pose, alone)) is not None) == follows


def test_smoothness_takes_noise_out_of_targets():
    body, rng = human(), np.random.default_rng(5)
    clean, start = moving(body, HUMAN_EFFECTORS, 90, size=0.4), rest_pose(body, 90)
    noise = 0.005 / np.sqrt(3) * rng.normal(size=clean.positions.shape)
    noisy = Targets(clean.positions + noise, clean.rotations)
    found = solve_clip(body, start, HUMAN_EFFECTORS, noisy, smoothness=0.9)
    _, heads = forward(body, found.pose)
    places = heads[:, [body.index(effector.bone) for effector in HUMAN_EFFECTORS]]
    changes = [
        np.linalg.norm(np.diff(points, 2, axis=0), axis=-1).mean() for points in (places, clean.positions)
    ]
    assert changes[0] < 1.3 * changes[1]
    assert np.linalg.norm(places - clean.positions, axis=-1).mean() < 0.006
    alone = solve(body, start, HUMAN_EFFECTORS, noisy)
    assert (found.stopped[alone.converged & ~found.converged] == "SMOOTHED").all()


def test_a_little_smoothness_takes_the_jerk_out_of_limbs_that_get_straight():
    """Hips rise evenly over feet that stay, past what the legs reach: exactly met, knees pop."""
    body, frames = human(), 40
    start = rest_pose(body, frames)
    stays = np.array(["foot" in effector.bone for effector in HUMAN_EFFECTORS])
    rising, places = np.linspace(-0.15, 0.05, frames), targets_at(body, start, HUMAN_EFFECTORS)
    up = np.where(stays, 0.0, rising[:, None])[..., None] * (0.0, 0.0, 1.0)
    targets = Targets(places.positions + up, places.rotations)
    exact, smooth = (solve_clip(body, start, HUMAN_EFFECTORS, targets, smoothness=by) for by in (0.0, 0.1))
    pops = [
        np.linalg.norm(np.diff(forward(body, of.pose)[1], 2, axis=0), axis=-1).max() for of in (exact, smooth)
    ]
    assert 0.5 < exact.converged.mean() < 1
    assert pops[1] < 0.3 * pops[0]
    assert smooth.position_residuals[exact.converged].max() < 5e-4


def test_short_clips_are_solved():
    arm, effectors = chain(3), (end_of(3),)
    for frames in (0, 1, 2):
        targets, start = moving(arm, effectors, frames), rest_pose(arm, frames)
        alone, clip = (act(arm, start, effectors, targets) for act in (solve, solve_clip))
        assert (alone.pose.rotations == clip.pose.rotations).all()
    assert solve_clip(arm, rest_pose(arm, 3), effectors, moving(arm, effectors, 3)).converged.all()


def test_a_free_body_and_a_locked_bone():
    body = replace(human(FREE), stiffness=np.arange(23) == 3)
    targets, start = moving(human(), HUMAN_EFFECTORS[1:4], 15), rest_pose(body, 15)
    found = solve_clip(body, start, HUMAN_EFFECTORS[1:4], targets)
    assert np.abs(found.pose.rotations[:, 3] - start.rotations[:, 3]).max() < 1e-12
    assert (found.rmsd <= solve(body, start, HUMAN_EFFECTORS[1:4], targets).rmsd + MET).all()


@pytest.mark.parametrize("smoothness", [0.0, 0.5])
def test_a_body_that_nothing_may_move_stays(smoothness):
    held = chain(3, stiffness=np.ones(3))
    solution = solve_clip(held, rest_pose(held, 5), [end_of(3)], swinging_over(5), smoothness=smoothness)
    assert np.array_equal(solution.pose.rotations, rest_pose(held, 5).rotations)
    assert not solution.converged.any()


def test_bad_input_is_refused_by_name():
    arm, effectors = chain(3), (end_of(3),)
    targets, start = moving(arm, effectors, 5), rest_pose(arm, 5)
    broken = targets.positions.copy()
    broken[2] = np.nan
    with pytest.raises(EffectorError, match=r"'bone\.002' is not finite"):
        solve_clip(arm, start, effectors, Targets(broken, targets.rotations))
    at = np.tile([0.0, 9.0, 0.0], (13, 1))
    at[6] = 0.0
    targets, start = moving(arm, effectors, 13), rest_pose(arm, 13)
    with pytest.raises(GoalError, match=r"aim of 'bone\.000' is at the bone's own point"):
        solve_clip(arm, start, effectors, targets, goals=[Aim("bone.000", at=at)])
    with pytest.raises(SettingsError, match=r"smoothness must be from 0 to 1, not 1\.5"):
        solve_clip(arm, start, effectors, targets, smoothness=1.5)


def test_it_pauses_says_how_far_it_is_and_is_the_same_every_time():
    body = human()
    targets, start = moving(body, HUMAN_EFFECTORS, 40), rest_pose(body, 40)
    work, told = solve_clip_in_parts(Request(body, start, HUMAN_EFFECTORS, targets)), []
    while True:
        try:
            told.append(next(work))
        except StopIteration as end:
            found = end.value
            break
    assert told == sorted(told)
    assert len(told) > 5
    assert 0 <= told[0] <= told[-1] <= 40
    assert {10, 20} <= set(told)  # a quarter, of a first level, and half
    assert (found.pose.rotations == solve_clip(body, start, HUMAN_EFFECTORS, targets).pose.rotations).all()


def test_frames_that_are_left_out_do_not_make_the_others_jump():
    """What is solved of a longer clip is on one way too, wherever it ends."""
    arm, hand = chain(2), (end_of(2),)
    for frames in (13, 26, 40, 79):
        targets, start = swinging_over(80).rows(slice(frames)), rest_pose(arm, frames)
        found = solve_clip(arm, start, hand, targets)
        assert found.converged.all()
        assert len(finished(find_jumps(Request(arm, start, hand, targets), found)).rows) == 0


def test_where_frames_miss_from_between_they_are_as_near_as_on_their_own():
    """Targets leave reach for some frames at a time, so the frames between know nothing of it."""
    body, effectors = human(), HUMAN_EFFECTORS
    targets, start = moving(body, effectors, 31, size=0.5), rest_pose(body, 31)
    positions = targets.positions.copy()
    positions[[6, 7, 18, 19, 30], 1] += (0.0, 3.0, 0.0)
    asked = body, start, effectors, Targets(positions, targets.rotations)
    alone, clip = (act(*asked) for act in (solve, solve_clip))
    assert (~alone.converged).any()
    assert (clip.rmsd <= alone.rmsd + MET).all()
    assert (clip.converged >= alone.converged).all()


def test_motion_that_is_level_is_not_lowered_further_but_thoroughly():
    """The last level is left where it costs what the first one does; so nearly all is saved all the same."""
    body, start = human(), rest_pose(human(), 60)
    targets = moving(body, HUMAN_EFFECTORS, 60, size=0.3)
    asked = body, start, HUMAN_EFFECTORS, targets
    alone, level, thorough = solve(*asked), solve_clip(*asked), solve_clip(*asked, patience=THOROUGH)
    costs = [cost(body, targets, start, alone, of.pose) for of in (alone, level, thorough)]
    assert costs[2] <= costs[1] < costs[0]
    assert costs[1] - costs[2] < 0.04 * costs[2]


def cost(skeleton, targets, start, alone, pose):
    """What the clip is to have least of, at smoothness 0."""
    problem = make_problem(Request(skeleton, start, HUMAN_EFFECTORS, targets))
    state, parts = state_from_pose(problem, pose), parts_of(len(pose), 69, fade(0.0))
    clip = make_clip(problem, start, alone.pose, 0.0, 1, parts)
    residual = counted(clip, measure(problem, state))
    return clip_costs(clip, state, motion_of(clip, state), residual).sum()


def test_quick_motion_is_not_taken_for_noise():
    """A hand that is lifted within four frames and stays gets there, however smooth the motion is to be."""
    body, start = human(), rest_pose(human(), 12)
    _, heads = forward(body, start)
    bones = [body.index(effector.bone) for effector in HUMAN_EFFECTORS]
    positions = heads[:, bones].copy()
    hand = [effector.bone for effector in HUMAN_EFFECTORS].index("hand.L")
    shares = np.clip((np.arange(12) - 3) / 4, 0, 1)
    positions[:, hand] += (shares**2 * (3 - 2 * shares))[:, None] * (-0.2, -0.3, 0.3)
    targets = Targets(positions, unturned(12, len(bones)))
    for smoothness in (0.3, 0.6, 1.0):
        found = solve_clip(body, start, HUMAN_EFFECTORS, targets, smoothness=smoothness)
        assert found.position_residuals.max() < 0.1 * np.linalg.norm((-0.2, -0.3, 0.3))
