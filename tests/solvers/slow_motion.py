# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow motion of bodies to test clips with, and how even it is."""

import numpy as np
from random_rigs import (
    scipy_of,
    targets_at,
    unturned,
    wxyz,
)
from scipy.spatial.transform import Rotation

from solvers import (
    Patience,
    Pose,
    Targets,
)

THOROUGH = Patience(400, still=1e-9, level=0.0)


def waves(rng, frames, bones, size=0.3):
    """Rotations (frames, bones, 4) that swing slowly."""
    times = np.linspace(0, 2 * np.pi, frames)[:, None, None]
    swings = np.sin(times * rng.uniform(0.3, 1.2, (1, bones, 3)) + rng.uniform(0, 6, (1, bones, 3)))
    return wxyz(Rotation.from_rotvec(size * swings.reshape(-1, 3))).reshape(frames, bones, 4)


def moving(skeleton, effectors, frames, seed=0, size=0.3):
    """Targets that a slow motion of the skeleton reaches."""
    count = len(skeleton.names)
    pose = Pose(waves(np.random.default_rng(seed), frames, count, size), np.zeros((frames, count, 3)))
    return targets_at(skeleton, pose, effectors)


def jerks(pose):
    """How much turns change from frame to frame, (frames - 2, bones, 3), by scipy."""
    frames, bones = pose.rotations.shape[:2]
    turns = scipy_of(pose.rotations[:-1]).inv() * scipy_of(pose.rotations[1:])
    return np.diff(turns.as_rotvec().reshape(frames - 1, bones, 3), axis=0)


def swinging_over(frames):
    """An arm whose hand passes in front of it, so that its elbow has two sides to be on."""
    angles = np.linspace(-0.5, 0.5, frames)
    places = 0.6 * np.stack([-np.sin(angles), np.cos(angles), np.zeros_like(angles)], axis=-1)
    return Targets(places[:, None], unturned(frames, 1))
