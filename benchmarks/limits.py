# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: bodies and robots with joint limits, on targets that poses within the limits meet."""

from dataclasses import replace
from math import radians
from time import perf_counter

import numpy as np

import solvers
from solvers import Cones, Hinge, Settings
from solvers.geometry import multiply, rotation_vector_to_quaternion

from . import blender_ik, own
from .metrics import SOLVED_DEGREES, SOLVED_METRES, solved
from .report import publish
from .rigs import add_human_metarig, remove_other_bones
from .robots import ROBOTS, read_robot

SETTINGS = {"one go": Settings(restarts=0), "default": Settings()}
ROBOT_METRES, ROBOT_RADIANS = 1e-4, 1e-3

# Degrees: hinges about X, and cones about +Y with their twist either way, by bone without its side.
HINGES = {"forearm": (-5, 140), "shin": (-5, 140)}
CONES = {
    **dict.fromkeys(("spine.001", "spine.002", "spine.003"), (20, 20)),
    **dict.fromkeys(("spine.004", "spine.005"), (25, 30)),
    "spine.006": (30, 30),
    "shoulder": (20, 10),
    "upper_arm": (80, 60),
    "hand": (60, 20),
    "thigh": (70, 40),
    "foot": (40, 20),
}


def human_limits(names):
    """Plausible limits for every bone of the human metarig but the hips."""
    limits = []
    for name in names:
        part = name.removesuffix(".L").removesuffix(".R")
        if part in HINGES:
            limits.append(Hinge(name, (1, 0, 0), *map(radians, HINGES[part])))
        elif part in CONES:
            swing, twist = map(radians, CONES[part])
            limits.append(Cones(name, (((0, 1, 0), swing),), -twist, twist))
    return tuple(limits)


def drawn(random, limit, count):
    """Quaternions (count, 4) drawn uniformly: angle of a hinge, area of a single cone, twist."""
    if isinstance(limit, Hinge):
        axis = np.array(limit.axis, float) / np.linalg.norm(limit.axis)
        return rotation_vector_to_quaternion(random.uniform(limit.lower, limit.upper, (count, 1)) * axis)
    lean = np.arccos(random.uniform(np.cos(limit.cones[0][1]), 1, count))
    around = random.uniform(0, 2 * np.pi, count)
    swing = np.stack([np.cos(around) * lean, 0 * lean, np.sin(around) * lean], axis=-1)
    twist = random.uniform(limit.lower, limit.upper, (count, 1)) * np.array([0.0, 1.0, 0.0])
    return multiply(rotation_vector_to_quaternion(swing), rotation_vector_to_quaternion(twist))


def drawn_pose(random, skeleton, count):
    """Poses with every limited bone drawn within its limit, the others at rest."""
    pose = solvers.rest_pose(skeleton, count)
    rotations = pose.rotations.copy()
    for limit in skeleton.limits:
        rotations[:, skeleton.index(limit.bone)] = drawn(random, limit, count)
    return replace(pose, rotations=rotations)


def violation(skeleton, pose):
    """The worst violation of any limit in radians, worked out from the definitions."""
    worst = 0.0
    for limit in skeleton.limits:
        q = pose.rotations[:, skeleton.index(limit.bone)]
        if isinstance(limit, Hinge):
            axis = np.array(limit.axis, float) / np.linalg.norm(limit.axis)
            along = q[:, 1:] @ axis
            angle = 2 * np.arctan2(along, q[:, 0])
            excess = 2 * np.linalg.norm(q[:, 1:] - along[:, None] * axis, axis=-1)
        else:
            angle = 2 * np.arctan2(q[:, 2], q[:, 0])
            leaning = np.hypot(q[:, 1], q[:, 3])
            excess = 2 * np.arctan2(leaning, np.hypot(q[:, 0], q[:, 2])) - limit.cones[0][1]
        worst = max(worst, excess.max(), out_of_range(angle, limit.lower, limit.upper).max())
    return float(worst)


def out_of_range(angles, lower, upper):
    """How far angles are out of range modulo a turn, never negative."""
    off = (angles - (lower + upper) / 2 + np.pi) % (2 * np.pi) - np.pi
    return np.maximum(np.abs(off) - (upper - lower) / 2, 0.0)


def one_by_one(skeleton, start, effectors, targets, settings):
    """Whether row after row is solved as a drag would: joined solution and seconds (batch,)."""
    parts, seconds = [], []
    for row in range(len(start)):
        keep = slice(row, row + 1)
        given = start.rows(keep), effectors, targets.rows(keep)
        begin = perf_counter()
        parts.append(solvers.solve(skeleton, *given, settings))
        seconds.append(perf_counter() - begin)
    return parts, np.array(seconds)


def human_row(skeleton, scale, problem, name, settings):
    """One line: a human, one pose at a time."""
    parts, seconds = one_by_one(skeleton, *problem, settings)
    metres = scale * np.array([part.position_residuals.max() for part in parts])
    degrees = np.degrees([part.rotation_residuals.max() for part in parts])
    return {
        "problem": "human metarig",
        "settings": name,
        "solved %": 100 * float(((metres < SOLVED_METRES) & (degrees < SOLVED_DEGREES)).mean()),
        "worst violation rad": max(violation(skeleton, part.pose) for part in parts),
        "median ms": 1e3 * float(np.median(seconds)),
        "95th ms": 1e3 * float(np.percentile(seconds, 95)),
        "ms in a batch": in_batch(skeleton, problem, settings)[1],
    }


def in_batch(skeleton, problem, settings):
    """The solution of the whole batch and the milliseconds each row took."""
    begin = perf_counter()
    solution = solvers.solve(skeleton, *problem, settings)
    return solution, 1e3 * (perf_counter() - begin) / len(problem[0])


def limit_in_blender(armature_object, limits):
    """Give Blender's inverse kinematics the same limits, as near as its boxes of angles come."""
    for limit in limits:
        bone = armature_object.pose.bones[limit.bone]
        if isinstance(limit, Hinge):
            bone.lock_ik_y = bone.lock_ik_z = True
            ranges = {"x": (limit.lower, limit.upper)}
        else:
            swing = limit.cones[0][1]
            ranges = {"x": (-swing, swing), "y": (limit.lower, limit.upper), "z": (-swing, swing)}
        for axis, (lower, upper) in ranges.items():
            setattr(bone, f"use_ik_limit_{axis}", True)
            setattr(bone, f"ik_min_{axis}", lower)
            setattr(bone, f"ik_max_{axis}", upper)


def blender_row(armature_object, rig, limits, targets):
    """One line: Blender's standard solver on the same problems."""
    limit_in_blender(armature_object, limits)
    poses, seconds = blender_ik.solve(armature_object, rig, targets)
    return {
        "problem": "human metarig",
        "settings": "Blender, standard",
        "solved %": 100 * float(solved(rig, poses, targets).mean()),
        "worst violation rad": None,
        "median ms": 1e3 * float(np.median(seconds)),
        "95th ms": 1e3 * float(np.percentile(seconds, 95)),
        "ms in a batch": None,
    }


def human_rows(count=200):
    """The human metarig from rest."""
    armature_object, rig = add_human_metarig()
    remove_other_bones(armature_object, rig)
    skeleton = replace(own.skeleton(rig), limits=human_limits(rig.names))
    random = np.random.default_rng(0)
    pose = drawn_pose(random, skeleton, count)
    rotations, translations = pose.rotations.copy(), pose.translations.copy()
    rotations[:, 0] = rotation_vector_to_quaternion(random.normal(0, 0.4, (count, 3)))
    translations[:, 0] = random.normal(0, 0.1, (count, 3))
    matrices = own.matrices(rig, solvers.Pose(rotations, translations))[:, rig.effectors]
    problem = own.pose_from_rest(rig, count), own.effectors(rig), own.targets(matrices)
    yardstick = blender_row(armature_object, rig, skeleton.limits, matrices)
    return [yardstick] + [human_row(skeleton, rig.scale, problem, *item) for item in SETTINGS.items()]


def robot_row(robot, skeleton, problem, name, settings):
    """One line: a robot, all problems as one batch, some one by one for the clock."""
    solution, milliseconds = in_batch(skeleton, problem, settings)
    start, effectors, goals = problem
    few = slice(0, 200)
    seconds = one_by_one(skeleton, start.rows(few), effectors, goals.rows(few), settings)[1]
    met = solution.position_residuals.max(axis=1) < ROBOT_METRES
    met &= solution.rotation_residuals.max(axis=1) < ROBOT_RADIANS
    return {
        "problem": robot,
        "settings": name,
        "solved %": 100 * float(met.mean()),
        "worst violation rad": violation(skeleton, solution.pose),
        "median ms": 1e3 * float(np.median(seconds)),
        "95th ms": 1e3 * float(np.percentile(seconds, 95)),
        "ms in a batch": milliseconds,
    }


def robot_rows(robot, tip, count=1000):
    """A robot from the middle of its ranges to random reachable poses."""
    skeleton = read_robot(robot, tip)
    pose = drawn_pose(np.random.default_rng(0), skeleton, count)
    middle = drawn_pose(None, replace(skeleton, limits=()), count)
    rotations = middle.rotations.copy()
    for limit in skeleton.limits:
        half_way = 0.5 * (limit.lower + limit.upper) * np.array(limit.axis, float)
        rotations[:, skeleton.index(limit.bone)] = rotation_vector_to_quaternion(half_way)
    end = len(skeleton.names) - 1
    turned, heads = solvers.forward(skeleton, pose)
    matrices = np.broadcast_to(np.eye(4), (count, 1, 4, 4)).copy()
    matrices[:, 0, :3, :3], matrices[:, 0, :3, 3] = turned[:, end], heads[:, end]
    effectors = (solvers.Effector(skeleton.names[end]),)
    problem = replace(middle, rotations=rotations), effectors, own.targets(matrices)
    return [robot_row(robot, skeleton, problem, *item) for item in SETTINGS.items()]


def main():
    """Measure the human and the robots."""
    rows = human_rows()
    for robot, tip in ROBOTS.items():
        rows += robot_rows(robot, tip)
    publish("limits", rows)
