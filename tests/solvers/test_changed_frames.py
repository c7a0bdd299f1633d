# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of a clip of which a part has changed, the other frames stay, and hardly any of them is solved."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human
from slow_motion import moving

from solvers import Request, Targets, rest_pose, solve_clip, solve_clip_in_parts
from solvers.clip import changed, levels, with_worst_sought
from solvers.pauses import finished

FRAMES, CHANGED = 120, slice(50, 55)


@pytest.fixture(scope="module")
def baked():
    """What is asked of a clip that starts in what was found of it, and that."""
    body, effectors = human(), HUMAN_EFFECTORS
    targets = moving(body, effectors, FRAMES)
    found = solve_clip(body, rest_pose(body, FRAMES), effectors, targets)
    assert found.converged.all()
    return Request(body, found.pose, effectors, targets), found


def farther(request, rows, way):
    positions = request.targets.positions.copy()
    positions[rows, 3] += way
    return replace(request, targets=Targets(positions, request.targets.rotations))


def counted(monkeypatch):
    """The numbers of frames that are solved on their own from now on."""
    rows, solving = [], levels.solve_in_parts

    def noted(request, *args, **more):
        rows.append(len(request))
        return solving(request, *args, **more)

    for module in (changed, levels):
        monkeypatch.setattr(module, "solve_in_parts", noted)
    return rows


def test_a_clip_all_of_which_stays_is_told_as_it_is(baked, monkeypatch):
    request, found = baked
    rows = counted(monkeypatch)
    again = finished(solve_clip_in_parts(request, stays=np.ones(FRAMES, bool)))
    assert np.abs(again.pose.rotations - found.pose.rotations).max() < 1e-12
    assert np.allclose(again.rmsd, found.rmsd, atol=1e-12)
    assert again.converged.all()
    assert set(again.stopped) == {"CONVERGED"}
    assert not rows


def test_what_has_changed_is_found_and_the_rest_is_not_solved(baked, monkeypatch):
    request, found = baked
    asked, stays = farther(request, CHANGED, (0.03, 0, 0)), np.ones(FRAMES, bool)
    stays[CHANGED] = False
    rows = counted(monkeypatch)
    again = finished(solve_clip_in_parts(asked, stays=stays))
    assert np.abs(again.pose.rotations - found.pose.rotations)[stays].max() < 1e-12
    assert again.converged.all()
    assert max(rows) < 40


def test_smooth_motion_is_solved_whole(baked, monkeypatch):
    request, _ = baked
    rows = counted(monkeypatch)
    finished(solve_clip_in_parts(request, 0.1, stays=np.arange(FRAMES) > 5))
    assert sum(rows) >= FRAMES


def test_what_keeps_frames_that_stay_off_is_sought_where_they_are_farthest_off(baked):
    request, _ = baked
    off = np.arange(20, 60)
    asked = farther(farther(request, off, (3.0, 0, 0)), [45], (0.1, 0, 0))
    found = finished(solve_clip_in_parts(asked, stays=np.ones(FRAMES, bool)))
    assert np.flatnonzero(found.stopped == "UNSOUGHT").tolist() == off.tolist()
    told = finished(with_worst_sought(asked, found))
    assert told.stopped[45] == "OUT_OF_REACH"
    assert told.out_of_reach[45, 3] > 0.1
    assert (told.stopped[off] == "UNSOUGHT").sum() >= len(off) - 2 * len(HUMAN_EFFECTORS)
    assert np.array_equal(told.pose.rotations, found.pose.rotations)
    assert np.array_equal(told.position_residuals, found.position_residuals)
