# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: the methods of the field beside each other, with what others have published beside them."""

import json
import tempfile
from dataclasses import replace
from math import radians
from pathlib import Path
from time import thread_time

import numpy as np

import solvers
from solvers import METHODS, Request, Settings
from solvers.methods import STEPS
from solvers.problem import make_problem, measure, residuals, state_from_pose

from . import own
from .chains import chain, goals
from .limits import CONES, HINGES
from .report import publish
from .rigs import METARIG_EFFECTORS, add_human_metarig

# Mean iterations and milliseconds (Matlab) of A. Aristidou and J. Lasenby, FABRIK, Graphical Models 73, 243
# (2011), table 1, as it is usually cited: ten joints without limits, one target within reach, 20 runs.
PUBLISHED = {
    "FABRIK": (15.461, 13.28),
    "CCD": (26.308, 123.56),
    "TRANSPOSE, fixed step": (1311.19, 12989.47),
    "DLS, lambda 1": (998.648, 10480.51),
}
# Beside the customary parameters, those that make small steps.
VARIANTS = {name: Settings(method=name) for name in METHODS} | {
    "TRANSPOSE, fixed step": Settings(method="TRANSPOSE", step_length=0.1),
    "DLS, lambda 1": Settings(method="DLS", damping_constant=1.0),
}
TARGETS, TIMED = 1000, 50
NEAR = 1e-3  # 0.01 on a chain of ten bones one unit long
MOST = 2000
# Distances of targets in lengths of the chain.
WITHIN, BEYOND = {"up to 0.8": 0.8, "up to 0.999": 0.999}, (1.05, 1.5)
LENGTHS = (10, 50, 100)
FAR_TARGETS, SETTLING, MORE = 100, 500, 50
HUMAN_PROBLEMS, HUMAN_ITERATIONS = 20, 200
UNHURRIED = 600.0  # seconds, the time limit: nobody needs as much


def problem(bones, positions):
    """What ``solve`` takes: a straight chain of length 1 and its tip's targets (batch, 1, 3)."""
    skeleton, batch = chain(bones), len(positions)
    effector = solvers.Effector(f"bone {bones - 1}", offset=(0.0, 1 / bones, 0.0), rotation_weight=0.0)
    still = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (batch, 1, 4))
    return skeleton, solvers.rest_pose(skeleton, batch), (effector,), solvers.Targets(positions, still)


def seconds_each(skeleton, start, effectors, targets, settings):
    """Processor seconds of the first problems, solved one by one in one thread."""
    seconds = []
    for row in range(TIMED):
        keep = slice(row, row + 1)
        given = skeleton, start.rows(keep), effectors, targets.rows(keep), settings
        begin = thread_time()
        solvers.solve(*given)
        seconds.append(thread_time() - begin)
    return np.array(seconds)


def reachable_row(distances, name):
    """One line: a method on ten bones and many targets, until it is within a thousandth of the length."""
    given = problem(10, goals(0.0, WITHIN[distances], TARGETS))
    settings = replace(VARIANTS[name], iterations=MOST, tolerance=NEAR, restarts=0)
    solution = solvers.solve(*given, settings)
    steps, seconds = solution.iterations[solution.converged], seconds_each(*given, settings)
    return {
        "targets": distances,
        "method": name,
        "solved %": 100 * float(solution.converged.mean()),
        "iterations, mean of solved": float(steps.mean()),
        "median": float(np.median(solution.iterations)),
        "95th": float(np.percentile(solution.iterations, 95)),
        "ms, median": 1e3 * float(np.median(seconds)),
        "ms, mean": 1e3 * float(seconds.mean()),
        "published iterations": PUBLISHED.get(name, (None, None))[0],
        "published ms": PUBLISHED.get(name, (None, None))[1],
    }


def unreachable_row(bones, name):
    """One line: a method on targets out of reach; how far from the optimum it ends, and whether at rest."""
    given = problem(bones, goals(*BEYOND, FAR_TARGETS))
    settings = replace(VARIANTS[name], restarts=0)
    best = np.linalg.norm(given[3].positions[:, 0], axis=-1) - 1
    ends = [solvers.solve(*given, replace(settings, iterations=count)) for count in (100, SETTLING)]
    early, last = (end.position_residuals[:, 0] - best for end in ends)
    return {
        "bones": bones,
        "method": name,
        "within 1e-3 %": 100 * float((last < 1e-3).mean()),
        "worst excess": float(last.max()),
        "after 100": float(early.max()),
        "iterations": float(ends[1].iterations.mean()),
        "rise in 50 more": largest_rise(given, settings, ends[1].pose) if name in STEPS else None,
    }


def largest_rise(given, settings, pose):
    """The most by which a tip gets farther off in one of more steps from a pose, as the method takes them.

    What ``solve`` returns cannot oscillate, because it keeps the best pose; the bare steps may.
    """
    whole = make_problem(Request(*given, settings))
    state, distances = state_from_pose(whole, pose), []
    for _ in range(MORE):
        residual = measure(whole, state)
        distances.append(residuals(whole, residual)[0][:, 0])
        state = STEPS[settings.method](whole, state, residual, settings)
    return float(np.maximum(np.diff(distances, axis=0), 0.0).max())


def add_human(limited):
    """The metarig with six effectors and targets, and, where limited, IK limits that Blender knows too."""
    import bpy

    armature_object, _ = add_human_metarig()
    own.enable_extension()
    for bone in armature_object.pose.bones:
        if limited:
            limit_bone(bone)
    for order, name in enumerate(METARIG_EFFECTORS):
        effector = armature_object.pose.bones[name].superpose
        effector.is_effector, effector.order = True, order
    bpy.ops.superpose.create_targets()
    bpy.context.view_layer.update()


def limit_bone(bone):
    """Give the bone plausible limits of Blender's IK."""
    part = bone.name.removesuffix(".L").removesuffix(".R")
    if part in HINGES:
        bone.lock_ik_y = bone.lock_ik_z = bone.use_ik_limit_x = True
        bone.ik_min_x, bone.ik_max_x = map(radians, HINGES[part])
    elif part in CONES:
        swing, twist = map(radians, CONES[part])
        for axis, most in (("x", swing), ("y", twist), ("z", swing)):
            setattr(bone, f"use_ik_limit_{axis}", True)
            setattr(bone, f"ik_min_{axis}", -most)
            setattr(bone, f"ik_max_{axis}", most)


def human_rows(limited):
    """The table of Compare Solvers itself."""
    import bpy

    add_human(limited)
    with tempfile.TemporaryDirectory() as folder:
        bpy.ops.superpose.compare_solvers(
            problems="RANDOM",
            count=HUMAN_PROBLEMS,
            iterations=HUMAN_ITERATIONS,
            seconds=UNHURRIED,
            directory=folder,
            show=False,
        )
        document = json.loads(next(Path(folder).glob("*.json")).read_text(encoding="utf-8"))
    return [{"limits": "yes" if limited else "no", **row} for row in document["rows"]]


def main():
    """Measure the chain within reach, chains out of reach, and the human."""
    publish("methods_reachable", [reachable_row(*pair) for pair in pairs(WITHIN, VARIANTS)])
    publish("methods_unreachable", [unreachable_row(*pair) for pair in pairs(LENGTHS, METHODS)])
    publish("methods_human", [row for limited in (False, True) for row in human_rows(limited)])


def pairs(first, second):
    """Every one of the first with every one of the second."""
    return [(one, other) for one in first for other in second]
