# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: how time and memory grow with bones (one body of six limbs), with frames (25 bones) and with those of
a clip that is solved together (160 bones, of which 37 turn).
"""

import tracemalloc
from time import perf_counter, process_time

import numpy as np

import solvers
from solvers.geometry import matrix_to_quaternion, rotation_vector_to_quaternion

from .report import publish

LIMBS = 6
BONES = (25, 50, 100, 200, 400, 1000)
FRAMES = (100, 1000, 10000)
CLIP_FRAMES, SMOOTHNESS = (5000, 10000), (0.0, 0.5)
BONES_OF_CLIP, TURNING = 160, 37
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


def with_hair(skeleton, effectors):
    """The body with as many bones as a clip's: more that nothing turns, in strands on the effectors."""
    turning, tips = len(skeleton.names), [skeleton.index(effector.bone) for effector in effectors]
    extra = BONES_OF_CLIP - turning
    hung = [tips[one] if one < len(tips) else turning + one - len(tips) for one in range(extra)]
    rests = np.concatenate([skeleton.rests[0], np.tile([1.0, 0, 0, 0], (extra, 1))])
    return solvers.Skeleton(
        [f"bone {bone}" for bone in range(BONES_OF_CLIP)],
        [*skeleton.parents, *hung],
        np.concatenate([skeleton.offsets[0], np.tile([0, 0.05, 0], (extra, 1))])[None],
        rests[None],
        freedom=np.concatenate([skeleton.freedom, np.zeros((extra, 3, 3))]),
    )


def swinging(skeleton, effectors, frames):
    """Targets of a body whose bones swing slowly, made in blocks: what that takes is no part of a solve."""
    rng, times, found = np.random.default_rng(0), np.arange(frames) / 30, []
    size = len(skeleton.names), 3
    waves = [
        (rng.uniform(0.1, 0.6, size), rng.uniform(0, 6, size), rng.normal(0, 0.15, size)) for _ in range(3)
    ]
    for seconds in np.split(times, range(500, frames, 500)):
        at = 2 * np.pi * seconds[:, None, None]
        vectors = sum(height * np.sin(pace * at + phase) for pace, phase, height in waves)
        pose = solvers.Pose(rotation_vector_to_quaternion(vectors), np.zeros(vectors.shape))
        rotations, heads = solvers.forward(skeleton, pose)
        places = [skeleton.index(effector.bone) for effector in effectors]
        found.append((heads[:, places], matrix_to_quaternion(rotations[:, places])))
    return solvers.Targets(*map(np.concatenate, zip(*found, strict=True)))


def clip_row(frames, smoothness):
    """One line: so many frames as one motion; what is asked and what is found are in the memory, too."""
    bare, effectors = body(TURNING)
    targets, skeleton = swinging(bare, effectors, frames), with_hair(bare, effectors)
    tracemalloc.start()
    begin = process_time()
    start = solvers.rest_pose(skeleton, frames)
    solution = solvers.solve_clip(skeleton, start, effectors, targets, smoothness=smoothness)
    seconds, peak = process_time() - begin, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "grows with": f"frames of a clip, smoothness {smoothness}",
        "bones": BONES_OF_CLIP,
        "frames": frames,
        "ms per frame": 1e3 * seconds / frames,
        "ms per step": 1e3 * seconds / float(solution.iterations.sum()),
        "peak MiB": peak / 2**20,
        "solved %": 100 * float(solution.converged.mean()),
    }


def main():
    """Measure growth with bones and with frames."""
    rows = [bones_row(bones) for bones in BONES] + [frames_row(frames) for frames in FRAMES]
    publish("scaling", rows + [clip_row(frames, smooth) for smooth in SMOOTHNESS for frames in CLIP_FRAMES])
