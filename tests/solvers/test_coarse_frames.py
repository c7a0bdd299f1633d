# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse frames are lowered before it is looked for where they jump."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human
from slow_motion import moving

from solvers import Hinge, Patience, Request, find_jumps, rest_pose, solve, solve_clip
from solvers.clip import descent as clip_descent
from solvers.clip import levels, one_way
from solvers.clip.clip import make_clip
from solvers.clip.descent import descended
from solvers.clip.places import Places
from solvers.pauses import finished
from solvers.problem import make_problem

STRIDE, PATIENCE = 4, Patience(40, level=1e-3)
HINGES = tuple(Hinge(name, (1.0, 0.0, 0.0), -0.6, 0.6) for name in human().names[2::5])


def coarse(size, seed, body, stride=STRIDE, reach=1.0):
    """Coarse frames of a body in motion, and where each of them was found alone."""
    targets = moving(body, HUMAN_EFFECTORS, 60, seed, size).rows(slice(None, None, stride))
    targets = replace(targets, positions=reach * targets.positions)
    request = Request(body, rest_pose(body, len(targets.positions)), HUMAN_EFFECTORS, targets)
    alone = solve(body, request.pose, HUMAN_EFFECTORS, targets)
    none = np.zeros(len(request), dtype=bool)
    return one_way.Level(request, 0.0, stride, none, none), alone


def begun(level, alone):
    given, how = level.request.pose, (level.smoothness, level.stride, level.parts)
    clip = make_clip(make_problem(level.request), given, alone.pose, *how)
    return Places(clip, alone.pose, level.parts)


def lowered(level, alone):
    """The descent from the frames alone."""
    return finished(descended(begun(level, alone), PATIENCE, level.stays, 0.0))


def watched(monkeypatch):
    """Note of each look for jumps the stride of the frames, after how many steps it is, how many jump."""
    taken, looked = [0], []
    ending, jumping = one_way._ended, one_way._jumps

    def ended(level, alone, descent):
        taken.append(descent.taken)
        return (yield from ending(level, alone, descent))

    def jumps(level, found):
        jumps = yield from jumping(level, found)
        looked.append((level.stride, taken[-1], len(jumps.rows)))
        return jumps

    monkeypatch.setattr(one_way, "_ended", ended)
    monkeypatch.setattr(one_way, "_jumps", jumps)
    return looked


def limited(body):
    return replace(body, limits=HINGES)


@pytest.mark.parametrize("smoothness", [0.0, 0.5])
def test_frames_that_were_damped_stay_so_for_the_step_that_is_taken_next_where_targets_are_held(
    smoothness, monkeypatch
):
    level, alone = coarse(0.8, 0, limited(human()), reach=1.3)
    level = replace(level, smoothness=smoothness)
    steps, step = [], clip_descent._step

    def noted(places, ways, faces, damping):
        steps.append((places, damping.copy()))
        return step(places, ways, faces, damping)

    monkeypatch.setattr(clip_descent, "_step", noted)
    lowered(level, alone)
    seen = 0
    for (refused, first), (taken, second), (after, third) in zip(steps, steps[1:], steps[2:], strict=False):
        if refused is taken and after is not taken:
            stay = (second > first) & (smoothness == 0)
            assert np.array_equal(third[stay], second[stay])
            assert (third[~stay] < second[~stay]).all()
            seen += 1
    assert seen


def test_frames_that_do_not_jump_are_lowered_and_looked_at_once(monkeypatch):
    level, alone = coarse(0.3, 0, human())
    looked, whole = watched(monkeypatch), lowered(level, alone)
    found, cost = finished(one_way.on_one_way(level, alone, PATIENCE))
    assert looked == [(STRIDE, whole.taken, 0)]
    assert found.iterations.tolist() == (alone.iterations + whole.taken).tolist()
    assert whole.taken > 1
    assert cost == whole.cost


def test_jumps_of_coarse_frames_are_joined_once_they_are_lowered_and_none_is_left(monkeypatch):
    body, frames = human(), 60
    targets, start = moving(body, HUMAN_EFFECTORS, frames, 0, 1.0), rest_pose(body, frames)
    looked = watched(monkeypatch)
    found = solve_clip(body, start, HUMAN_EFFECTORS, targets)
    of_coarse = [(taken, jumps) for stride, taken, jumps in looked if stride > 1]
    assert found.converged.all()
    assert len(of_coarse) == 1
    assert of_coarse[0][0] > 1
    assert of_coarse[0][1] > 0
    assert not len(finished(find_jumps(Request(body, start, HUMAN_EFFECTORS, targets), found)).rows)


def test_where_joining_them_is_not_worth_it_they_stay_as_they_were_lowered(monkeypatch):
    level, alone = coarse(0.8, 0, human())
    whole = lowered(level, alone)
    monkeypatch.setattr(one_way, "_WORTH", 0.0)
    found, cost = finished(one_way.on_one_way(level, alone, PATIENCE))
    assert whole.taken > 1
    assert cost == whole.cost
    assert found.iterations.tolist() == (alone.iterations + whole.taken).tolist()


@pytest.mark.parametrize(("smoothness", "stride"), [(0.5, STRIDE), (0.0, 1)])
def test_where_targets_give_way_and_on_the_last_level_jumps_are_looked_for_at_the_end(
    smoothness, stride, monkeypatch
):
    level, alone = coarse(0.8, 0, human(), stride)
    level = replace(level, smoothness=smoothness)
    looked, whole = watched(monkeypatch), lowered(level, alone)
    finished(one_way.on_one_way(level, alone, PATIENCE))
    assert whole.taken > 1
    assert looked[0][:2] == (stride, whole.taken)


def test_frames_that_begin_between_others_jump_less_and_take_fewer_steps():
    sums = np.zeros((2, 2))
    for seed in range(4):
        level, alone = coarse(0.8, seed, human())
        few = finished(levels._from_few(level.request, level.begins))
        assert few.converged.all()
        sums += [
            [found.iterations.sum(), len(finished(one_way._jumps(level, found)).rows)]
            for found in (few, alone)
        ]
    assert (sums[0] < 0.7 * sums[1]).all()


def test_frames_that_begin_in_their_pose_do_so_whatever_those_around_them_are_found_in():
    level, alone = coarse(0.8, 0, human())
    begins = np.arange(len(level.request)) == 7
    few = finished(levels._from_few(level.request, begins))
    assert np.array_equal(few.pose.rotations[7], alone.pose.rotations[7])
    assert not np.array_equal(few.pose.rotations[9], alone.pose.rotations[9])
