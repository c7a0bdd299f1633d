"""Part: one pose at a time on the human metarig, from rest (cold) and along a smooth path (warm)."""

from time import process_time

import numpy as np

from . import blender_ik, own
from .metrics import residuals, solved
from .problems import SPREADS, reachable_poses, smooth_poses, targets_of
from .report import publish
from .rigs import add_human_metarig, remove_other_bones


def row(rig, solver, problem, targets, poses, seconds):
    """One line of the table; seconds (batch,) per pose."""
    metres, degrees = residuals(rig, poses, targets)
    return {
        "solver": solver,
        "problem": problem,
        "ms": 1e3 * float(np.median(seconds)),
        "solved %": 100 * float(solved(rig, poses, targets).mean()),
        "median worst mm": 1e3 * float(np.median(metres.max(axis=1))),
        "median worst deg": float(np.median(degrees.max(axis=1))),
    }


def one_by_one(rig, matrices, warm):
    """Superpose as a drag uses it: poses (batch, bones, 4, 4) and seconds (batch,) of single solves."""
    poses, seconds, start = [], [], own.pose_from_rest(rig)
    for target in matrices:
        goals = own.targets(target[None])
        begin = process_time()
        solution = own.solve(rig, start, goals)
        seconds.append(process_time() - begin)
        poses.append(own.matrices(rig, solution.pose)[0])
        start = solution.pose if warm else start
    return np.array(poses), np.array(seconds)


def in_batch(rig, matrices):
    """Superpose as a bake uses it: poses and the mean seconds per pose, once per row."""
    start, goals = own.pose_from_rest(rig, len(matrices)), own.targets(matrices)
    begin = process_time()
    solution = own.solve(rig, start, goals)
    seconds = (process_time() - begin) / len(matrices)
    return own.matrices(rig, solution.pose), np.full(len(matrices), seconds)


def problem_sets(rig):
    """Name, target matrices (batch, effectors, 4, 4) and whether each solve starts at the last."""
    for spread in SPREADS:
        yield f"cold {spread} rad", targets_of(rig, reachable_poses(rig, spread)), False
    yield "warm 0.4 rad", targets_of(rig, smooth_poses(rig, 0.4)), True


def main():
    """Measure every contender on every problem set."""
    armature_object, rig = add_human_metarig()
    remove_other_bones(armature_object, rig)
    rows = []
    for problem, targets, warm in problem_sets(rig):
        for solver in blender_ik.SOLVERS:
            result = blender_ik.solve(armature_object, rig, targets, solver, warm)
            rows.append(row(rig, solver, problem, targets, *result))
        rows.append(row(rig, "superpose", problem, targets, *one_by_one(rig, targets, warm)))
    targets = targets_of(rig, reachable_poses(rig, 0.4, count=1000))
    rows.append(row(rig, "superpose", "batch of 1000, 0.4 rad", targets, *in_batch(rig, targets)))
    publish("single_pose", rows)
