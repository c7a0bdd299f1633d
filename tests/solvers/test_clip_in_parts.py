# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A long clip, which is worked on in parts: where it is cut makes no difference."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    HUMAN_EFFECTORS,
    MET,
    chain,
    end_of,
    human,
    quaternions,
)
from slow_motion import THOROUGH, jerks, moving, swinging_over

from solvers import (
    Hinge,
    Pose,
    Request,
    Settings,
    find_jumps,
    rest_pose,
    solve,
    solve_clip,
    solve_clip_in_parts,
)
from solvers.clip import one_way, windows
from solvers.clip.clip import fade
from solvers.clip.windows import Part, parts_of
from solvers.pauses import finished

SAME_WINDOW = 1e-6  # the promise for windows


@pytest.mark.parametrize(("smoothness", "frames"), [(0.0, 480), (0.5, 800)])
@pytest.mark.parametrize(
    "patience",
    [pytest.param(None, id="by default"), pytest.param(THOROUGH, id="to the end", marks=pytest.mark.slow)],
)
def test_windows_make_no_difference(smoothness, frames, patience, monkeypatch):
    arm, effectors = chain(2), (end_of(2),)
    targets, start = moving(arm, effectors, frames, size=0.5), rest_pose(arm, frames)
    asked = arm, start, effectors, targets, Settings(), smoothness, patience
    whole = solve_clip(*asked)
    monkeypatch.setattr(windows, "_MOST_ENTRIES", 1)
    cut = solve_clip(*asked)
    assert len(parts_of(frames, 6, fade(smoothness))) > 1
    assert np.abs(whole.pose.rotations - cut.pose.rotations).max() < SAME_WINDOW


def cut_after(frames):
    """What cuts every level of a clip after so many frames; parts look as far around them as ever."""

    def parts(count, _ways, overlap):
        ends = ((first, min(first + frames, count)) for first in range(0, count, frames))
        return tuple(
            Part(first, last, max(first - overlap, 0), min(last + overlap, count)) for first, last in ends
        )

    return parts


@pytest.mark.parametrize("smoothness", [0.0, 0.5])
def test_where_a_clip_is_cut_tells_neither_when_it_ends_nor_which_way_bones_bend(smoothness, monkeypatch):
    """Frames jump on their own, limits hold, steps are refused, and some targets are out of reach."""
    hinges = tuple(Hinge(name, (1.0, 0.0, 0.0), -0.6, 0.6) for name in human().names[2::5])
    body, frames = replace(human(), limits=hinges), 36
    near = moving(body, HUMAN_EFFECTORS, frames, 0, 0.8)
    targets = replace(near, positions=1.2 * near.positions)
    asked = body, rest_pose(body, frames), HUMAN_EFFECTORS, targets
    found = []
    for most in (frames, 9):
        monkeypatch.setattr(one_way, "parts_of", cut_after(most))
        found.append(solve_clip(*asked, smoothness=smoothness))
    whole, cut = found
    assert np.abs(whole.pose.rotations - cut.pose.rotations).max() < SAME_WINDOW
    assert np.array_equal(whole.iterations, cut.iterations)
    assert np.array_equal(whole.jumped_by, cut.jumped_by)


@pytest.mark.parametrize("cut", [False, True], ids=["whole", "in parts"])
def test_frames_that_are_to_stay_do_and_the_others_meet_their_targets_between_them(cut, rng, monkeypatch):
    arm, hand, frames = chain(5), (end_of(5),), 160
    targets, start = moving(arm, hand, frames, size=0.5), rest_pose(arm, frames)
    stays = np.zeros(frames, dtype=bool)
    stays[[0, 7, 8, 41, 139, 158]] = True
    bent = Pose(quaternions(rng, frames, 5, spread=0.3), np.zeros((frames, 5, 3)))
    kept = solve(arm, bent, hand, targets)
    given = np.where(stays[:, None, None], kept.pose.rotations, start.rotations)
    asked = Request(arm, Pose(given, start.translations), hand, targets)
    if cut:
        monkeypatch.setattr(one_way, "parts_of", cut_after(60))
    found, free = (finished(solve_clip_in_parts(asked, stays=which)) for which in (stays, None))
    assert np.abs(found.pose.rotations - given)[stays].max() < MET
    assert np.abs(free.pose.rotations - given)[stays].max() > 0.1
    assert found.converged.all()


@pytest.mark.parametrize("smoothness", [0.0, 0.5])
def test_a_clip_in_parts_stays_on_the_way_that_it_began_on(smoothness, monkeypatch):
    arm, hand, targets = chain(2), (end_of(2),), swinging_over(400)
    monkeypatch.setattr(one_way, "parts_of", cut_after(60))
    found = solve_clip(arm, rest_pose(arm, 400), hand, targets, smoothness=smoothness)
    assert len(finished(find_jumps(Request(arm, rest_pose(arm, 400), hand, targets), found)).rows) == 0
    assert np.abs(jerks(found.pose)).max() < 0.01
