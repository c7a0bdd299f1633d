# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones between regions that their limits keep apart go to the one that comes nearest."""

import numpy as np
import pytest
from limit_checks import UP, directions, outside
from random_rigs import chain, end_of, random_pose, unturned

from solvers import Cones, Targets, solve

WORSE = 0.01  # farther from the target than the nearest allowed place, in lengths of the bone


@pytest.mark.parametrize("distance", [0.5, 1.02])
def test_one_bone_with_three_cones_ends_nearest_to_what_is_out_of_reach(rng, distance):
    """But for few: sweeps, each of which is one direct turn, end elsewhere in 3 of 100."""
    worse = []
    for _ in range(20):
        centres, radii = UP + rng.uniform(-1.5, 1.5, size=(3, 3)), rng.uniform(0.05, 0.6, size=3)
        cones = tuple(zip(map(tuple, centres.tolist()), radii.tolist(), strict=True))
        skeleton = chain(1, limits=(Cones("bone.000", cones),))
        places = distance * directions(rng, 10)
        pose, targets = random_pose(rng, skeleton, 10, spread=1.0), Targets(places[:, None], unturned(10, 1))
        allowed = directions(rng, 20000)
        allowed = allowed[outside(cones, allowed) <= 0]
        least = np.linalg.norm(allowed - places[:, None], axis=-1).min(axis=1)
        left = solve(skeleton, pose, (end_of(1),), targets).position_residuals[:, 0]
        worse.extend(left > least + WORSE)
    assert np.mean(worse) <= 0.03
