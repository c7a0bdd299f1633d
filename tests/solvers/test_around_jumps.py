# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a long clip jumps it is lowered again around there, which comes to what all of it would."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import chain, end_of
from slow_motion import moving
from test_clip_in_parts import SAME_WINDOW, cut_after

from solvers import Patience, Pose, Request, find_jumps, rest_pose, solve
from solvers.clip import one_way
from solvers.clip.windows import Part, parts_around
from solvers.geometry import multiply, normalised, rotation_vector_to_quaternion
from solvers.pauses import finished
from solvers.solve import in_pose

FRAMES, BRIEF, LONG = 700, Patience(40, level=3e-2), Patience(400, level=0.0)
SOME, OTHERS = range(150, 158), range(540, 549)


def turned_over(frames, *runs):
    """The last level of an arm in motion, and its frames alone, of which runs have the elbow elsewhere."""
    arm, hand = chain(2), (end_of(2),)
    request = Request(arm, rest_pose(arm, frames), hand, moving(arm, hand, frames, size=0.5))
    alone = solve(arm, request.pose, hand, request.targets)
    half = rotation_vector_to_quaternion(np.pi * normalised(request.targets.positions[:, 0]))
    rotations, rows = alone.pose.rotations.copy(), np.concatenate(runs)
    rotations[rows, 0] = multiply(half, rotations[:, 0])[rows]
    none = np.zeros(frames, dtype=bool)
    level = one_way.Level(request, 0.0, 1, none, none)
    return level, in_pose(request, alone, Pose(rotations, alone.pose.translations))


def mended(level, alone, patience=BRIEF):
    found, _ = finished(one_way.on_one_way(level, alone, patience))
    assert found.converged.all()
    return found


@pytest.fixture
def lowered(monkeypatch):
    """How many frames each descent has."""
    counts, descended = [], one_way.descended

    def noted(begun, *how):
        counts.append(len(begun.pose))
        return descended(begun, *how)

    monkeypatch.setattr(one_way, "descended", noted)
    return counts


def test_frames_far_from_a_jump_are_not_lowered_again(lowered):
    level, alone = turned_over(FRAMES, OTHERS)
    found = mended(level, alone)
    assert (found.jumped_by < 0).all()
    assert lowered[0] == FRAMES
    assert len(OTHERS) < max(lowered[1:]) < 0.8 * FRAMES
    descent, once, jumps = finished(one_way._looked_at(level, alone, BRIEF))
    assert len(jumps.rows)
    far = slice(0, min(OTHERS) - 5 * level.reach)
    assert np.array_equal(found.pose.rotations[far], once.pose.rotations[far])
    assert (found.iterations[far] == alone.iterations[far] + descent.taken).all()


def test_of_a_short_clip_all_frames_are(lowered):
    mended(*turned_over(200, SOME))
    assert set(lowered) == {200}


def test_it_comes_to_what_all_frames_lowered_again_come_to(lowered, monkeypatch):
    asked, found = turned_over(230, range(110, 118)), []
    for around in (1, 230):
        monkeypatch.setattr(one_way, "_AROUND", around)
        found.append(mended(*asked, LONG))
    assert min(lowered) < 230
    assert np.abs(found[0].pose.rotations - found[1].pose.rotations).max() < SAME_WINDOW


def test_where_a_clip_is_cut_makes_no_difference(lowered, monkeypatch):
    level, alone = turned_over(FRAMES, SOME, OTHERS)
    monkeypatch.setattr(one_way, "_AROUND", 1)
    whole = mended(level, alone)
    assert len(set(lowered)) == 3
    monkeypatch.setattr(one_way, "parts_of", cut_after(200))
    cut = mended(*turned_over(FRAMES, SOME, OTHERS))
    assert np.abs(whole.pose.rotations - cut.pose.rotations).max() < SAME_WINDOW
    assert np.array_equal(whole.iterations, cut.iterations)


def test_jumps_that_are_left_are_told_where_they_are(lowered, monkeypatch):
    def none_goes_over(_request, solution, _jumps, held):
        yield
        return solution.pose, np.zeros_like(held)

    level, alone = turned_over(FRAMES, SOME, OTHERS)
    monkeypatch.setattr(one_way, "_AROUND", 1)
    monkeypatch.setattr(one_way, "joined_up", none_goes_over)
    found = mended(level, alone, Patience(0, level=0.0))
    assert len(set(lowered)) == 3
    expected = finished(find_jumps(level.request, alone)).rows
    assert expected.tolist() == [150, 158, 540, 549]
    assert np.flatnonzero(found.jumped_by >= 0).tolist() == expected.tolist()


def test_parts_share_no_frame_that_moves_with_what_holds_another_part():
    marked = np.zeros(30, dtype=bool)
    marked[[1, 9, 21]] = True
    assert parts_around(marked, 2) == (Part(0, 4, 0, 6), Part(7, 12, 5, 14), Part(19, 24, 17, 26))
    assert parts_around(marked, 3) == (Part(0, 13, 0, 15), Part(18, 25, 16, 27))
    assert parts_around(marked, 30) == (Part(0, 30, 0, 30),)
    assert parts_around(np.zeros(30, dtype=bool), 2) == ()


def test_frames_that_stay_do_though_those_beside_them_go_over():
    """They are far from their targets, which would be met from where they are."""
    level, alone = turned_over(300, SOME)
    stays, rotations = np.zeros(300, dtype=bool), level.request.pose.rotations.copy()
    stays[max(SOME) + 1 : max(SOME) + 20] = True
    rotations[stays, 0] = rotation_vector_to_quaternion(np.array([0.0, 0.0, 2.0]))
    pose = Pose(rotations, level.request.pose.translations)
    level = replace(level, request=replace(level.request, pose=pose), stays=stays)
    found, _ = finished(one_way.on_one_way(level, alone, BRIEF))
    assert np.abs(found.pose.rotations - rotations)[stays].max() < 1e-12
