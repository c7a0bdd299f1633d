# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that is only measured stays, and leaves what its joints say it leaves."""

import numpy as np
from random_rigs import HUMAN_EFFECTORS, human, places, random_pose, targets_at

from solvers import Request, unsought


def test_a_pose_that_is_only_measured_stays_and_misses_by_what_it_is_off(rng):
    skeleton = human()
    pose, other = (random_pose(rng, skeleton, 7, spread=0.3) for _ in range(2))
    request = Request(skeleton, pose, HUMAN_EFFECTORS, targets_at(skeleton, other, HUMAN_EFFECTORS))
    found = unsought(request)
    np.testing.assert_array_equal(found.pose.rotations, pose.rotations)
    (_, here), (_, there) = (places(skeleton, each, HUMAN_EFFECTORS) for each in (pose, other))
    np.testing.assert_allclose(found.position_residuals, np.linalg.norm(here - there, axis=-1), atol=1e-9)
    assert set(found.stopped) == {"UNSOUGHT"}
    assert not found.converged.any()
    assert (found.held_by == -1).all()


def test_what_is_met_is_met(rng):
    skeleton = human()
    pose = random_pose(rng, skeleton, 3, spread=0.3)
    found = unsought(Request(skeleton, pose, HUMAN_EFFECTORS, targets_at(skeleton, pose, HUMAN_EFFECTORS)))
    assert found.converged.all()
    assert found.position_residuals.max() < 1e-12
