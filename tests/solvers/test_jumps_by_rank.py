# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where targets give way to others of a higher rank the way into a row that may jump is gone in haste."""

from dataclasses import replace
from functools import partial

import numpy as np
from random_rigs import HUMAN_EFFECTORS, human
from slow_motion import moving

from solvers import Hinge, Request, Settings, find_jumps, rest_pose, solve
from solvers.clip import jumps
from solvers.pauses import finished

FRAMES = 6
# Feet hold; hips, head and hands give way.
EFFECTORS = tuple(replace(one, rank=1 if one.bone.startswith("foot") else 2) for one in HUMAN_EFFECTORS)


def torn():
    """A clip whose hips are too far from its feet, and whose limited arms stay on no way."""
    rng, body = np.random.default_rng(0), human()
    hinges = (Hinge(bone, tuple(np.eye(3)[rng.integers(3)]), -1.2, 1.5) for bone in body.names[6:8])
    body = replace(body, limits=tuple(hinges))
    targets = moving(body, EFFECTORS, FRAMES, seed=0, size=1.2)
    positions = targets.positions.copy()
    positions[:, 0] += (0.0, 0.0, 0.4)
    request = Request(body, rest_pose(body, FRAMES), EFFECTORS, replace(targets, positions=positions))
    return request, solve(body, request.pose, EFFECTORS, request.targets, Settings(restarts=0))


def patiently(solving, request, follows):
    patient = replace(request, settings=replace(request.settings, haste=None))
    return (yield from solving(patient, follows=follows))


def counted(solving, steps, request, follows):
    found = yield from solving(request, follows=follows)
    steps.append(found.iterations.sum())
    return found


def test_haste_on_the_way_into_a_row_spares_steps_and_tells_its_jump(monkeypatch):
    request, solution = torn()
    solving, told, taken = jumps.solve_in_parts, [], []
    for way in (solving, partial(patiently, solving)):
        steps = []
        monkeypatch.setattr(jumps, "solve_in_parts", partial(counted, way, steps))
        told.append(finished(find_jumps(request, solution)).rows.tolist())
        taken.append(sum(steps))
    assert not solution.converged.all()
    assert told[0]
    assert told[0] == told[1]
    assert 0 < taken[0] < 0.6 * taken[1]
