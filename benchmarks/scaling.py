# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: how time and memory grow with bones (one body of six limbs) and with frames (21 bones)."""

import tracemalloc
from time import perf_counter

import numpy as np

import solvers
from solvers.geometry import matrix_to_quaternion, rotation_vector_to_quaternion

from .report import publish

LIMBS = 6
BONES = (25, 50, 100, 200, 400, 1000)
FRAMES = (100, 1000, 10000)
REPEATS = 15


def body(bones):
    """A free root with six straight limbs of unit length, spread like a star."""
    per_limb = (bones - 1) // LIMBS
    parents, offsets, rests = [-1], [np.zeros(3)], [np.zeros(3)]
    for limb in range(LIMBS):
        for joint in range(per_limb):
            parents.append(0 if joint == 0 else len(parents) - 1)
            offsets.append(np.array([0, 0.1 if joint == 0 else 1 / per_limb, 0]))
            rests.append(np.array([0, 0, 2 * np.pi * limb / LIMBS if joint == 0 else 0]))
    count, freedom = len(parents), np.zeros((len(parents), 3, 3))
    freedom[0] = np.eye(3)
    names = [f"bone {i}" for i in range(count)]
    quaternions = rotation_vector_to_quaternion(np.array(rests))
    skeleton = solvers.Skeleton(names, parents, [offsets], quaternions[None], freedom=freedom)
    tips = [1 + per_limb * (limb + 1) - 1 for limb in range(LIMBS)]
    return skeleton, [solvers.Effector(names[tip]) for tip in tips]


def reachable(skeleton, effectors, batch, bend):
    """Targets of random poses that bend a limb by ``bend`` radians in all, however many bones it has."""
    rng = np.random.default_rng(0)
    bones = len(skeleton.names)
    vectors = rng.normal(0, bend / np.sqrt(bones / LIMBS), (batch, bones, 3))
    pose = solvers.Pose(rotation_vector_to_quaternion(vectors), np.zeros((batch, bones, 3)))
    rotations, heads = solvers.forward(skeleton, pose)
    places = [skeleton.index(effector.bone) for effector in effectors]
    return solvers.Targets(heads[:, places], matrix_to_quaternion(rotations[:, places]))


def measured(skeleton, effectors, targets):
    """Return seconds, peak bytes beyond what was there, and the solution."""
    start = solvers.rest_pose(skeleton, len(targets.positions))
    begin = perf_counter()
    solution = solvers.solve(skeleton, start, effectors, targets)
    return perf_counter() - begin, solution


def peak_megabytes(skeleton, effectors, targets):
    """Return the most memory allocated during a solve."""
    tracemalloc.start()
    measured(skeleton, effectors, targets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def bones_row(bones):
    """One line: a single pose of a body of so many bones, the median over problems."""
    skeleton, effectors = body(bones)
    targets = reachable(skeleton, effectors, REPEATS, 0.6)
    runs = [measured(skeleton, effectors, targets.rows(slice(i, i + 1))) for i in range(REPEATS)]
    milliseconds = 1e3 * np.array([seconds for seconds, _ in runs])
    steps = np.array([solution.iterations[0] for _, solution in runs])
    return {
        "grows with": "bones",
        "bones": len(skeleton.names),
        "frames": 1,
        "ms per frame": float(np.median(milliseconds)),
        "ms per step": float(np.median(milliseconds / steps)),
        "peak MiB": peak_megabytes(skeleton, effectors, targets.rows(slice(0, 1))),
        "solved %": 100 * float(np.mean([solution.converged[0] for _, solution in runs])),
    }


def frames_row(frames):
    """One line: so many frames in one call."""
    skeleton, effectors = body(25)
    targets = reachable(skeleton, effectors, frames, 0.6)
    seconds, solution = measured(skeleton, effectors, targets)
    return {
        "grows with": "frames",
        "bones": len(skeleton.names),
        "frames": frames,
        "ms per frame": 1e3 * seconds / frames,
        "ms per step": 1e3 * seconds / float(solution.iterations.sum()),
        "peak MiB": peak_megabytes(skeleton, effectors, targets),
        "solved %": 100 * float(solution.converged.mean()),
    }


def main():
    """Measure growth with bones and with frames."""
    publish("scaling", [bones_row(bones) for bones in BONES] + [frames_row(frames) for frames in FRAMES])
