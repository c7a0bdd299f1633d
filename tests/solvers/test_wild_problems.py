# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds of every solve, however odd the problem."""

import re
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from limit_checks import violation
from random_rigs import started
from wild_problems import wild_problems

from solvers import Solution, SolverError, solve
from solvers.problem import forward_kinematics, measure, rmsd, snapped, state_from_pose

EVERY_CHECK = list(HealthCheck)
TWICE = 2 * hypothesis_settings().max_examples
FEW = hypothesis_settings(max_examples=TWICE, suppress_health_check=EVERY_CHECK)
MANY = hypothesis_settings(max_examples=10_000, suppress_health_check=EVERY_CHECK)
# Of the deviation, and of a characteristic length.
ROUNDING = 1e-9
# What comfort may cost where targets are missed, in characteristic lengths.
FOR_COMFORT = 0.021
IN_LIMITS = 1e-6  # radians, as docs/scripting.md promises


@pytest.mark.filterwarnings("error")
@FEW
@given(wild=wild_problems())
def test_odd_problems_are_solved_or_refused(wild):
    assert_lawful(wild)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@MANY
@given(wild=wild_problems())
def test_ten_thousand_odd_problems_are_solved_or_refused(wild):
    assert_lawful(wild)


def assert_lawful(wild):
    solution = solved(wild)
    if solution is None:
        return
    assert_finite(solution)
    assert_no_worse(wild, solution)
    assert_within_limits(wild, solution)
    assert_locked(wild, solution)
    for row in {0, len(wild.pose) - 1}:
        assert_same(solution, solve(*wild.row(row)), slice(row, row + 1))


def solved(wild):
    """Return the solution, or None where a sentence refuses the problem and names what is wrong with it."""
    try:
        return solve(*wild.given)
    except SolverError as error:
        message = str(error)
    assert re.search(r"'bone\.\d{3}'|weight", message), message
    return None


def arrays(solution):
    """Yield name and values of all that a solution tells."""
    yield from (("rotations", solution.pose.rotations), ("translations", solution.pose.translations))
    names = (field.name for field in fields(Solution) if field.name != "pose")
    yield from ((name, getattr(solution, name)) for name in names)


def assert_finite(solution):
    for name, values in arrays(solution):
        assert values.dtype.kind != "f" or np.isfinite(values).all(), name


def assert_same(whole, alone, rows):
    """Rows do not depend on their company, nor is anything of one solve left for the next."""
    for (name, a), (_, b) in zip(arrays(whole), arrays(alone), strict=True):
        assert (a[rows] == b).all(), name


def assert_no_worse(wild, solution):
    """What is missed is nowhere farther off than at the start, but for what comfort may cost."""
    if wild.settings.method not in ("SUPERPOSE", "SWEEP"):
        return
    problem, start, _ = started(*wild.given)
    start = forward_kinematics(problem, snapped(problem, start.rotations), start.translations)
    end = state_from_pose(problem, solution.pose)
    before, after = (rmsd(problem, measure(problem, state)) for state in (start, end))
    slack = ROUNDING * problem.length
    if problem.has_comfort and wild.settings.method == "SUPERPOSE":
        slack = slack + FOR_COMFORT * problem.length + problem.tolerance
    worse = (after > before * (1 + ROUNDING) + slack) & ~solution.converged
    assert not worse.any(), (before, after, problem.length)


def assert_within_limits(wild, solution):
    bones, (problem, _, _) = wild.skeleton.names, started(*wild.given)
    turning = {bones[bone] for bone in problem.tree.bones[problem.mobility > 0]}
    for limit in wild.skeleton.limits:
        if limit.bone in turning:
            off = violation(limit, solution.pose.rotations[:, bones.index(limit.bone)])
            assert off.max() <= IN_LIMITS, (limit, off)


def assert_locked(wild, solution):
    """Bones of full stiffness stay as they are."""
    locked = wild.skeleton.stiffness == 1
    given, found = (pose.rotations[:, locked] for pose in (wild.pose, solution.pose))
    given, found = (turns / np.linalg.norm(turns, axis=-1, keepdims=True) for turns in (given, found))
    apart = [np.abs(found + sign * given).max(axis=-1) for sign in (1, -1)]
    assert np.minimum(*apart).max(initial=0.0) < ROUNDING
