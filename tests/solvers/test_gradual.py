# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of some ranks give way gradually over a clip; frames that miss learn from their neighbours."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human, quaternions, rotations_apart, targets_at
from slow_motion import moving, waves

from solvers import (
    Comfort,
    Cones,
    Effector,
    Pose,
    Request,
    Settings,
    forward,
    give_way_in_parts,
    is_met,
    rest_pose,
    solve,
    solve_clip,
    solve_clip_in_parts,
    without_gradual,
)
from solvers.clip import one_way
from solvers.clip.descent import Patience
from solvers.clip.gradual import as_firm, shares_given
from solvers.clip.spread import regained, spread
from solvers.clip.windows import Part, parts_of
from solvers.geometry import multiply, normalised, rotation_vector_to_quaternion
from solvers.goals import Pole
from solvers.pauses import finished
from solvers.problem import make_problem

FRAMES, FEET, AROUND = 60, ("foot.L", "foot.R"), 12
PINNED = tuple(Effector(foot, rank=1) for foot in FEET)
REACHING, FOLLOWING = Effector("hand.L", rotation_weight=0.0), Effector("head", rotation_weight=0.0, rank=3)
GRADUALLY = Settings(gradual=(3,))
EFFECTORS = (*PINNED, REACHING, FOLLOWING)
# Metres: half of what is seen of a figure. How near frames come where something gives way differs from
# processor to processor, and with the number of threads.
UNSEEN = 4e-4


def reaching(out, frames=FRAMES):
    """A human whose feet stay while a hand is led down, where the head has to go along from some way on."""
    body, start = human(), rest_pose(human(), frames)
    asked = targets_at(body, start, EFFECTORS)
    places = asked.positions.copy()
    there_and_back = np.sin(np.linspace(0, np.pi, frames)) ** 2
    places[:, 2] += there_and_back[:, None] * np.array((-0.3, -0.3, -1.0)) * out
    return body, start, replace(asked, positions=places)


@pytest.fixture(scope="module")
def eased():
    """Of the whole clip that leads the hand so far that the head has to give way: it does so gradually."""
    body, start, targets = reaching(0.7)
    return solve_clip(body, start, EFFECTORS, targets, GRADUALLY)


def accelerations(body, pose):
    """How much the joints' velocities change from frame to frame, (frames - 2,), at most."""
    return np.linalg.norm(np.diff(forward(body, pose)[1], 2, axis=0), axis=-1).max(axis=1)


def test_what_gives_way_gradually_does_not_pop(eased):
    body, start, targets = reaching(0.7)
    held = solve_clip(body, start, EFFECTORS, targets)
    assert held.position_residuals[:, 3].max() > 0.1  # the head does give way
    for found in (held, eased):
        assert found.position_residuals[:, :3].max() < UNSEEN
    before, after = (accelerations(body, found.pose) for found in (held, eased))
    assert after.max() < 0.25 * before.max()
    given = [np.sqrt((found.position_residuals[:, 3] ** 2).mean()) for found in (held, eased)]
    assert given[1] < 1.05 * given[0]


@pytest.mark.parametrize(("frames", "out"), [(5, 0.7), (20, 0.65), (20, 0.7), (20, 0.72)])
def test_in_a_short_clip_no_more_is_given_way_than_the_last_step_tells(frames, out):
    """A step that is cut short may save as little as a last one."""
    body, start, targets = reaching(out, frames)
    given = [
        solve_clip(body, start, EFFECTORS, targets, GRADUALLY, patience=how).position_residuals[:, 3].max()
        for how in (None, Patience(steps=60, level=0.0))
    ]
    assert given[0] < 1.05 * given[1]


def test_gone_on_with_goals_give_way_around_frames_that_missed_them_where_all_was_held():
    body, start, targets = reaching(0.7)
    request = Request(body, start, EFFECTORS, targets, GRADUALLY)
    held = solve_clip(body, start, EFFECTORS, targets)
    missed = np.flatnonzero(~held.converged)
    assert len(missed)
    found = finished(give_way_in_parts(replace(request, pose=held.pose), held))
    away = np.abs(np.arange(FRAMES)[:, None] - missed).min(axis=1)
    assert found.converged[away >= AROUND].all()
    assert not found.converged[away < AROUND // 2].any()
    before, after = (accelerations(body, one.pose).max() for one in (held, found))
    assert after < 0.25 * before


def wrung(seed, frames=40):
    """A human at ease, whose hands are asked to turn to and fro by more than limits leave them."""
    rng, body = np.random.default_rng(seed), human()
    plain = moving(body, HUMAN_EFFECTORS, frames, seed, 0.4)
    comforts = tuple(Comfort(name, quaternions(rng, 1, spread=0.2)[0]) for name in body.names[1:])
    limits = tuple(Cones(name, (((0, 1, 0), 0.6),), -0.4, 0.4) for name in body.names[1:])
    angles = 1.8 * np.sin(2 * np.pi * np.arange(frames) / 16)
    turns = rotation_vector_to_quaternion(angles[:, None, None] * np.array((1.0, 0.3, 0.0)))
    hands = np.array(["hand" in effector.bone for effector in HUMAN_EFFECTORS])
    rotations = np.where(hands[:, None], multiply(plain.rotations, turns), plain.rotations)
    body = replace(body, comforts=comforts, limits=limits)
    return Request(body, rest_pose(body, frames), HUMAN_EFFECTORS, replace(plain, rotations=rotations))


@pytest.mark.parametrize("seed", [1, 3])
def test_firmly_frames_give_way_that_miss_alone_and_hardly(seed):
    """Held to the last a body turns far from frame to frame to be a tenth of a millimetre nearer."""
    request = wrung(seed)
    asked = request.skeleton, request.pose, request.effectors, request.targets
    held, gradually = solve_clip(*asked), Settings(gradual=(request.effectors[0].rank,))
    assert 0 < held.converged.sum() < len(request)
    gone_on = replace(request, pose=held.pose, settings=gradually)
    found = finished(give_way_in_parts(gone_on, held, firmly=held.converged))
    assert (found.converged == held.converged).all()
    assert (found.rmsd < held.rmsd + 0.001).all()
    before, after = (accelerations(request.skeleton, one.pose) for one in (held, found))
    assert after.max() < 0.7 * before.max()
    around = finished(give_way_in_parts(gone_on, held))
    assert not around.converged[held.converged].all()


def test_what_is_asked_gives_way_to_smooth_motion_where_others_give_way_too():
    body, start, targets = reaching(0.7)
    found = solve_clip(body, start, EFFECTORS, targets, GRADUALLY, smoothness=0.5)
    given = found.position_residuals[:, 2] > 1e-4
    assert given.any()
    assert (found.position_residuals[given, 3] > 0.1).any()
    assert (found.stopped[given] == "SMOOTHED").all()


def test_what_never_has_to_give_way_is_met_as_if_it_were_held():
    body, start, targets = reaching(0.2)
    held, eased = (solve_clip(body, start, EFFECTORS, targets, how) for how in (Settings(), GRADUALLY))
    assert held.converged.all()
    assert (held.pose.rotations == eased.pose.rotations).all()


@pytest.mark.parametrize("most", [8, 5], ids=["from coarse to fine", "all at once"])
def test_what_gives_way_in_all_frames_does_so_as_if_it_were_held(most):
    body, start, targets = reaching(0.7)
    middle = np.abs(np.arange(FRAMES) - FRAMES / 2) < most
    request = Request(body, start, EFFECTORS, targets).rows(middle)
    held, eased = (
        solve_clip(body, request.pose, EFFECTORS, request.targets, how) for how in (Settings(), GRADUALLY)
    )
    assert held.position_residuals[:, 3].min() > 0.05
    assert (held.pose.rotations == eased.pose.rotations).all()


def test_frames_far_from_those_that_miss_are_met(eased):
    body, start, targets = reaching(0.7)
    alone = solve(body, start, EFFECTORS, targets)
    misses = np.flatnonzero(~alone.converged)
    away = np.abs(np.arange(FRAMES)[:, None] - misses).min(axis=1)
    assert (away >= AROUND).any()
    assert eased.converged[away >= AROUND].all()


@pytest.mark.parametrize("stride", [1, 4])
def test_shares_fall_from_one_where_goals_are_missed_to_nothing(stride):
    body, start, targets = reaching(0.0)
    places = targets.positions.copy()
    places[20:23, 3] += (0, 0, 0.5)  # the head alone, in three frames
    request = Request(body, start, EFFECTORS, replace(targets, positions=places))
    problem, parts = make_problem(request), parts_of(FRAMES, 60, 10)
    shares = shares_given(problem, start, (3,), stride, parts)
    away = stride * np.abs(np.arange(FRAMES)[:, None] - np.arange(20, 23)).min(axis=1)
    assert (shares[away == 0] == 1).all()
    assert (shares[away >= AROUND] < 1e-12).all()
    assert (np.diff(shares[22:]) <= 0).all()
    assert (shares_given(problem, start, (4,), stride, parts) == np.zeros(1)).all()


def test_what_is_hardly_missed_hardly_gives_way():
    """Recorded bodies are a millimetre too long: they would be led centimetres off their targets."""
    body, start, targets = reaching(0.0)
    request = Request(body, start, EFFECTORS, targets)
    parts, length = parts_of(FRAMES, 60, 10), make_problem(request.rows(slice(1))).length[0]
    places = targets.positions.copy()
    places[20, 3, 2] += 0.002 * length
    places[24, 3, 2] += 0.008 * length
    places[50:53, 3, 2] += np.array((0.001, 0.02, 0.001)) * length
    problem = make_problem(replace(request, targets=replace(targets, positions=places)))
    shares = shares_given(problem, start, (3,), 1, parts)
    np.testing.assert_allclose(shares[24], 0.8, atol=1e-9)
    assert (np.diff(shares[10:25]) > 0).all()
    assert (np.diff(shares[24:36]) < 0).all()
    np.testing.assert_allclose(shares[50:53], 1.0, atol=1e-9)


def test_firmly_frames_that_miss_by_far_give_way_in_full():
    """Where targets contradict each other a body turned to and fro in all frames."""
    body, start, targets = reaching(0.0)
    request = Request(body, start, EFFECTORS, targets)
    parts, length = parts_of(FRAMES, 60, 10), make_problem(request.rows(slice(1))).length[0]
    places, firmly = targets.positions.copy(), np.zeros(FRAMES, bool)
    places[10:50:10, 3, 2] += length * np.array((0.001, 0.05, 0.2, 0.2))
    firmly[40] = True
    problem = make_problem(replace(request, targets=replace(targets, positions=places)))
    shares = shares_given(problem, start, (3,), 1, parts, firmly)
    np.testing.assert_allclose(shares[10:50:10], (0.3, 0.5, 1.0, 0.0), atol=1e-9)
    assert not np.delete(shares, range(10, 50, 10)).any()


def test_firmly_frames_that_are_met_are_steadier_beside_those_that_miss():
    """What nobody asks for in them, as how a wrist turns, would change all at once at the edge."""
    body, start, targets = reaching(0.0)
    request = Request(body, start, EFFECTORS, targets, Settings(gradual=(3,)))
    length, nothing = make_problem(request.rows(slice(1))).length[0], np.zeros(FRAMES, bool)
    places = targets.positions.copy()
    places[20:24, 3, 2] += 0.2 * length
    firmly = np.ones(FRAMES, bool)
    firmly[20:24] = False
    asked = replace(request, targets=replace(targets, positions=places))
    level = one_way.Level(asked, 0.0, 1, nothing, nothing).giving(start, firmly)
    assert not level.gives.shares[firmly].any()
    np.testing.assert_allclose(level.gives.steady[20:24], level.gives.shares[20:24], atol=1e-9)
    assert (np.diff(level.gives.steady[8:21]) > 0).all()
    assert not level.gives.steady[36:].any()
    beside = level.among(Part(10, 30, 10, 30))
    np.testing.assert_array_equal(beside.gives.steady, level.gives.steady[10:30])


def test_firmly_what_comes_first_is_hardly_missed_more_for_what_follows():
    """Counted from where it is asked for what follows would pull the hand off by three times as much.

    Of three motions: which way a body bends may differ from one processor to another.
    """
    off, accelerated, worst = [], [], []
    for out in (3.4, 3.6, 4.5):
        body, start, targets = reaching(out)
        held = solve_clip(body, start, EFFECTORS, targets, GRADUALLY)
        met, gradual = held.position_residuals[:, 2] < 1e-4, (REACHING.rank, FOLLOWING.rank)
        assert 0 < met.sum() < FRAMES
        gone_on = Request(body, held.pose, EFFECTORS, targets, Settings(gradual=gradual))
        found = finished(give_way_in_parts(gone_on, held, firmly=met))
        worst.append(found.position_residuals[met, :3].max())
        away = [np.sqrt((each.position_residuals[:, 2] ** 2).mean()) for each in (held, found)]
        off.append(away[1] / away[0])
        before, after = (accelerations(body, each.pose).max() for each in (held, found))
        accelerated.append(after / before)
    assert np.median(worst) < 1e-4
    assert np.median(off) < 1.01
    assert np.median(accelerated) < 1


def test_without_what_gives_way_gradually_other_goals_stay_as_they_are():
    body, start, targets = reaching(0.7)
    turned = Effector("head", rank=2, rotation_rank=3)
    poles = tuple(Pole("thigh.L", "shin.L", "foot.L", along=((0, -1, 0),), rank=rank) for rank in (2, 3))
    request = Request(body, start, (*PINNED, REACHING, turned), targets, goals=poles)
    for ranks in ((), (4, 5)):
        asked = replace(request, settings=Settings(gradual=ranks))
        assert without_gradual(asked) is asked
    firm = without_gradual(replace(request, settings=GRADUALLY))
    assert firm.effectors[:3] == request.effectors[:3]
    assert firm.effectors[3] == replace(turned, rotation_weight=0.0)
    assert firm.goals == poles[:1]


def test_frames_that_miss_learn_from_neighbours_that_do_not():
    body, start, targets = reaching(0.3)
    found = solve(body, start, EFFECTORS, targets)
    assert found.converged.all()
    lost = slice(20, 40)
    rotations = found.pose.rotations.copy()
    rotations[lost] = waves(np.random.default_rng(0), 20, len(body.names), 1.5)
    converged = found.converged.copy()
    converged[lost] = False
    astray = replace(
        found,
        pose=Pose(rotations, found.pose.translations),
        converged=converged,
        rmsd=np.where(converged, found.rmsd, 1.0),
    )
    request = Request(body, start, EFFECTORS, targets)
    learnt = finished(spread(request, astray))
    assert learnt.converged.all()
    kept = np.r_[0 : lost.start, lost.stop : FRAMES]
    assert (learnt.pose.rotations[kept] == found.pose.rotations[kept]).all()
    steps = [
        rotations_apart(each.pose.rows(slice(1, None)), each.pose.rows(slice(-1))) for each in (learnt, found)
    ]
    assert steps[0] < 2 * steps[1]


def test_frames_that_have_come_off_what_they_met_meet_it_again_where_they_are():
    body, start, targets = reaching(0.3)
    before = solve(body, start, EFFECTORS, targets)
    assert before.converged.all()
    off, stays = np.isin(np.arange(FRAMES), range(20, 40)), np.isin(np.arange(FRAMES), range(30, 40))
    near = normalised(before.pose.rotations + 0.005 * off[:, None, None])
    found = replace(before, pose=Pose(near, before.pose.translations), jumped_by=np.arange(FRAMES))
    request = Request(body, start, EFFECTORS, targets, GRADUALLY)
    again = finished(regained(request, found, before, stays))
    assert ((again.pose.rotations != near).any(axis=(1, 2)) == (off & ~stays)).all()
    assert as_firm(request, again)[1].converged[~stays].all()
    assert rotations_apart(again.pose, found.pose) < np.radians(5)
    assert (again.jumped_by == found.jumped_by).all()


def test_frames_that_nobody_can_meet_stay_as_they_were_found():
    body, start, targets = reaching(4.0)
    request, found = Request(body, start, EFFECTORS, targets), solve(body, start, EFFECTORS, targets)
    learnt = finished(spread(request, found))
    missed = ~learnt.converged
    assert missed.any()
    assert (learnt.pose.rotations[missed] == found.pose.rotations[missed]).all()


def test_a_clip_that_is_solved_again_from_where_it_ended_stays():
    body, start, targets = reaching(0.7)
    request = Request(body, start, EFFECTORS, targets, GRADUALLY)
    first = finished(solve_clip_in_parts(request))
    begins = is_met(without_gradual(replace(request, pose=first.pose)))
    assert begins.all()
    again = finished(solve_clip_in_parts(replace(request, pose=first.pose), begins=begins))
    assert rotations_apart(again.pose, first.pose) < np.radians(0.5)


def test_a_clip_solved_again_meets_where_what_gives_way_gradually_has_come_to_be_asked():
    body, start, targets = reaching(0.2)
    request = Request(body, start, EFFECTORS, targets, GRADUALLY)
    first = finished(solve_clip_in_parts(request))
    places = targets.positions.copy()
    places[:, 3] -= (0, 0.03, 0.03)
    moved = replace(request, pose=first.pose, targets=replace(targets, positions=places))
    begins = is_met(without_gradual(moved))
    assert begins.all()
    assert not is_met(moved).any()
    assert finished(solve_clip_in_parts(moved, begins=begins)).converged.all()


def test_where_a_clip_is_cut_makes_no_difference(monkeypatch, eased):
    body, start, targets = reaching(0.7)

    def cut(count, _ways, overlap):
        firsts = range(0, count, 25)
        return tuple(
            Part(first, min(first + 25, count), max(first - overlap, 0), min(first + 25 + overlap, count))
            for first in firsts
        )

    monkeypatch.setattr(one_way, "parts_of", cut)
    cut_up = solve_clip(body, start, EFFECTORS, targets, GRADUALLY)
    assert rotations_apart(cut_up.pose, eased.pose) < 1e-6


def test_a_part_between_frames_that_stay_goes_on_as_the_whole_clip_does():
    body, start, targets = reaching(0.7)
    whole = solve_clip(body, start, EFFECTORS, targets, GRADUALLY, patience=Patience(steps=60, level=1e-5))
    part = slice(18, 36)
    request = Request(body, whole.pose, EFFECTORS, targets, GRADUALLY).rows(part)
    beside = ~np.isin(np.arange(len(request)), range(2, len(request) - 2))
    stays = request.but_in(beside)
    found = finished(solve_clip_in_parts(stays, stays=beside, begins=is_met(without_gradual(stays))))
    before = whole.pose.rows(part)
    assert np.abs(found.pose.rotations - before.rotations)[beside].max() < 1e-12
    steps = [np.diff(forward(body, pose)[1], axis=0) for pose in (found.pose, before)]
    assert np.abs(steps[0] - steps[1]).max() < 0.01
