# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: targets of two ranks that contradict each other, on the human metarig with and without limits.

Those of the first rank are where one random pose has them, those of the second where another has them. Marks:
the first rank is met in every problem; where not all targets are, the second is no more than a hundredth
farther off than the least that a thousand more steps find, or an optimiser that knows nothing of ours; time
against the same targets in one rank.
"""

from dataclasses import replace
from time import process_time

import numpy as np

import solvers
from solvers import Request, Settings, Targets
from solvers.geometry import (
    matrix_to_quaternion,
    multiply,
    quaternion_to_rotation_vector,
    rotation_vector_to_quaternion,
)
from solvers.problem import make_problem

from . import own
from .limits import drawn_pose, human_limits
from .report import publish
from .rigs import add_human_metarig

# Which effectors are of the first rank: hips, head, left hand, right hand, left foot, right foot.
PATTERNS = ((0,), (0, 4, 5), (2,), (1, 4), (0, 2), (2, 3, 4), (4, 5), (3, 5))
EACH = 125  # problems of each pattern
SPREAD = 0.35  # radians, of bones without limits
PATIENT = Settings(iterations=1000, restarts=0)


def random_targets(random, rig, skeleton, count):
    """Where poses at random have the effectors."""
    drawn = drawn_pose(random, skeleton, count).rotations
    turns = rotation_vector_to_quaternion(SPREAD * random.normal(size=(*drawn.shape[:2], 3)))
    limited = [skeleton.index(limit.bone) for limit in skeleton.limits]
    turns[:, limited] = drawn[:, limited]
    pose = solvers.Pose(turns, np.zeros((*drawn.shape[:2], 3)))
    return own.targets(own.matrices(rig, pose)[:, rig.effectors])


def problems(random, rig, skeleton, first):
    """Effectors of two ranks, and targets that contradict each other."""
    is_first = np.isin(np.arange(len(rig.effectors)), first)
    effectors = tuple(
        replace(effector, rank=1 if chosen else 2)
        for effector, chosen in zip(own.effectors(rig), is_first, strict=True)
    )
    met, others = (random_targets(random, rig, skeleton, EACH) for _ in range(2))
    pairs = ((getattr(met, name), getattr(others, name)) for name in ("positions", "rotations"))
    return effectors, Targets(*(np.where(is_first[:, None], *pair) for pair in pairs))


def distance(lengths, angles, arm, chosen):
    """The root of the objective of the ``chosen`` effectors (batch,), a length."""
    squares = lengths**2 + (2 * arm * np.sin(0.5 * angles)) ** 2
    return np.sqrt(squares[:, chosen].sum(axis=-1))


def lowered_by_another(skeleton, pose, effectors, targets, arm):
    """The second rank's distance where SLSQP ends, from the same start; None where the first rank is lost."""
    from scipy.optimize import minimize  # not in Blender's own Python

    bones, second = len(skeleton.names), np.array([effector.rank == 2 for effector in effectors])
    places = [skeleton.index(effector.bone) for effector in effectors]
    goal_turns = targets.rotations[0] * np.array([1, -1, -1, -1])
    root = np.flatnonzero(skeleton.freedom.any(axis=(-2, -1)))
    begin = np.concatenate(
        [quaternion_to_rotation_vector(pose.rotations[0]).ravel(), pose.translations[0, root].ravel()]
    )

    def rows(values):
        """Rows (batch, E, 6) of values (batch, 3 n + 3 k)."""
        turns = rotation_vector_to_quaternion(values[:, : 3 * bones].reshape(-1, bones, 3))
        moves = np.zeros((len(values), bones, 3))
        moves[:, root] = values[:, 3 * bones :].reshape(len(values), -1, 3)
        rotations, heads = solvers.forward(skeleton, solvers.Pose(turns, moves))
        turned = matrix_to_quaternion(rotations[:, places])
        off = multiply(goal_turns, turned)
        return np.concatenate([heads[:, places] - targets.positions, 2 * arm * off[..., 1:]], axis=-1)

    def part(chosen):
        step = 1e-6 * np.eye(len(begin))

        def slopes(values):
            around = rows(np.concatenate([values + step, values - step]))[:, chosen].reshape(
                2, len(values), -1
            )
            return ((around[0] - around[1]) / 2e-6).T

        return (lambda values: rows(values[None])[0, chosen].ravel()), slopes

    (held, held_slopes), (free, free_slopes) = part(~second), part(second)
    found = minimize(
        lambda values: free(values) @ free(values),
        begin,
        jac=lambda values: 2 * free_slopes(values).T @ free(values),
        constraints={"type": "eq", "fun": held, "jac": held_slopes},
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-12},
    )
    return np.sqrt(found.fun) if np.abs(held(found.x)).max() < 1e-4 else None


def row(name, rig, skeleton, checked):
    """One line: all patterns of ranks on one body; ``checked``: problems of each for the other optimiser."""
    random, start = np.random.default_rng(0), own.pose_from_rest(rig, EACH)
    missed, beyond, against, seconds = [], [], [], np.zeros(2)
    for first in PATTERNS:
        effectors, targets = problems(random, rig, skeleton, first)
        one_rank = own.effectors(rig)
        begin = process_time()
        found = solvers.solve(skeleton, start, effectors, targets)
        between = process_time()
        solvers.solve(skeleton, start, one_rank, targets)
        seconds += between - begin, process_time() - between
        problem = make_problem(Request(skeleton, start, effectors, targets))
        of_first = np.array([effector.rank == 1 for effector in effectors])
        lengths, angles = (part[:, of_first] for part in (found.position_residuals, found.rotation_residuals))
        missed.append(((lengths > problem.tolerance) | (angles > problem.angle_tolerance)).any(axis=1))
        more = solvers.solve(skeleton, found.pose, effectors, targets, PATIENT)
        ends = (
            distance(one.position_residuals, one.rotation_residuals, problem.arm, ~of_first)
            for one in (found, more)
        )
        own_end, patient_end = ends
        apart = np.flatnonzero(~more.converged)
        beyond.append(own_end[apart] / patient_end[apart] - 1)
        for case in apart[:checked]:
            keep = slice(case, case + 1)
            given = skeleton, found.pose.rows(keep), effectors, targets.rows(keep), problem.arm
            other = lowered_by_another(*given)
            against += [] if other is None else [own_end[case] / other - 1]
    beyond, each = np.concatenate(beyond), EACH * len(PATTERNS)
    return {
        "body": name,
        "problems": each,
        "that contradict each other": len(beyond),
        "first rank missed": int(np.concatenate(missed).sum()),
        "second rank, worst % above 1000 more steps": 100 * float(beyond.max()),
        "more than 1 %": int((beyond > 0.01).sum()),
        "worst % above SLSQP": 100 * max(against) if against else None,
        "ms each, in a batch": 1e3 * seconds[0] / each,
        "in one rank": 1e3 * seconds[1] / each,
    }


def main():
    """Measure the human metarig, without limits and with."""
    _, rig = add_human_metarig()
    free = own.skeleton(rig)
    limited = replace(free, limits=human_limits(rig.names))
    publish("ranks", [row("free", rig, free, 2), row("limited", rig, limited, 0)])
