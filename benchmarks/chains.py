# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: chains of equal bones, straight at the start, one position target, within and out of reach."""

from time import perf_counter

import numpy as np

import solvers

from .report import publish

LENGTHS = (10, 50, 100)
PROBLEMS = 200


def chain(bones):
    """A straight anchored chain of length 1 along +Y."""
    offsets = np.zeros((1, bones, 3))
    offsets[0, 1:, 1] = 1 / bones
    rests = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (1, bones, 4))
    return solvers.Skeleton([f"bone {i}" for i in range(bones)], np.arange(bones) - 1, offsets, rests)


def goals(nearest, farthest, problems=PROBLEMS):
    """Targets (problems, 1, 3) spread evenly over the shell between two distances, in chain lengths."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(problems, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    cubes = rng.uniform(nearest**3, farthest**3, problems)
    return (directions * np.cbrt(cubes)[:, None])[:, None]


def row(bones, name, nearest, farthest, tolerance):
    """One line of the table; ``tolerance`` is how much farther than the least distance counts as solved."""
    skeleton, positions = chain(bones), goals(nearest, farthest)
    effector = solvers.Effector(f"bone {bones - 1}", offset=(0.0, 1 / bones, 0.0), rotation_weight=0.0)
    still = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (1, 1, 4))
    start, seconds, distances, steps = solvers.rest_pose(skeleton), [], [], []
    for position in positions:
        begin = perf_counter()
        solution = solvers.solve(skeleton, start, [effector], solvers.Targets(position[None], still))
        seconds.append(perf_counter() - begin)
        distances.append(solution.position_residuals[0, 0])
        steps.append(solution.iterations[0])
    excess = np.array(distances) - np.maximum(np.linalg.norm(positions[:, 0], axis=-1) - 1, 0)
    return {
        "bones": bones,
        "targets": name,
        "solved %": 100 * float((excess < tolerance).mean()),
        "worst excess": float(excess.max()),
        "steps": float(np.mean(steps)),
        "ms": 1e3 * float(np.median(seconds)),
        "ms, mean": 1e3 * float(np.mean(seconds)),
    }


def main():
    """Measure every chain within reach (to 1e-4) and out of reach (to 1e-3 of the least distance)."""
    kinds = (("within reach", 0.0, 0.999, 1e-4), ("out of reach", 1.05, 1.5, 1e-3))
    publish("chains", [row(bones, *kind) for bones in LENGTHS for kind in kinds])
