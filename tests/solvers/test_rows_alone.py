# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a batch give what they give alone, to the last bit, whatever BLAS kernels the processor has."""

import os
from dataclasses import fields, replace

import numpy as np
import pytest
from limit_checks import RANDOM
from openblas import kernels_in_use
from random_rigs import (
    ANCHORED,
    FREE,
    quaternions,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    reachable,
    targets_at,
)

from solvers import (
    METHODS,
    Aim,
    Balance,
    Comfort,
    EulerLimit,
    Haste,
    Place,
    Plane,
    RelativeFrame,
    Settings,
    Solution,
    Targets,
    solve,
)
from solvers.geometry.products import gram, matvec, vecmat

pytestmark = pytest.mark.company

SIZES = (1, 2, 3, 9, 12, 21, 63)


def random_joint(rng, bone, batch):
    """A limit of any kind, soft or hard, or none; of Euler angles at times one for each row."""
    if rng.random() < 0.4:
        return ()
    if rng.random() < 0.1:
        lower = -rng.uniform(0, 1, size=(batch, 3))
        return (EulerLimit(bone, "XYZ", lower, lower + rng.choice([0.0, 1.0], size=(batch, 3))),)
    limit = RANDOM[str(rng.choice(list(RANDOM)))](rng, bone)
    return (replace(limit, cushion=float(rng.choice([0.0, 0.2]))),)


def random_skeleton(rng, batch):
    """Bones of every kind; rigs differ from row to row or are one for all."""
    freedom = (FREE, ANCHORED, np.diag([1.0, 0.0, 1.0]))[rng.integers(3)]
    rows = batch if rng.random() < 0.3 else 1
    bones = int(rng.integers(1, 14))
    values = dict(roots=min(bones, int(rng.integers(1, 3))), aloof=rng.choice([0.0, 0.2]), freedom=freedom)
    skeleton = random_tree(rng, bones, batch=rows, **values)
    names = skeleton.names
    limits = (
        [limit for name in names for limit in random_joint(rng, name, batch)] if rng.random() < 0.6 else ()
    )
    spreads = (
        None,
        0.3,
        np.diag([0.01, 0.04, 0.09]),
        np.array([np.diag([0.01, n, 0.09]) for n in range(batch)]),
    )
    comforts = [
        Comfort(name, quaternions(rng, rng.choice([1, batch]), spread=0.4), spreads[rng.integers(4)])
        for name in names
        if rng.random() < 0.5
    ]
    stiffness = np.where(rng.random(bones) < 0.2, rng.choice([0.5, 1.0], size=bones), 0.0)
    return replace(
        skeleton, stiffness=stiffness, limits=tuple(limits), comforts=tuple(comforts[: 99 * rng.integers(2)])
    )


def random_company(rng, batch):
    """A batch of problems: met, within reach, anywhere; axes of positions plain, skewed, of each row."""
    skeleton = random_skeleton(rng, batch)
    values = dict(rotation_weight=float(rng.choice([0.0, 1.0])), falloff=float(rng.choice([0.5, 1.0])))
    effectors = random_effectors(rng, skeleton, int(rng.integers(1, 6)), **values)
    effectors = tuple(replace(effector, rank=int(rng.integers(1, 4))) for effector in effectors)
    pose = random_pose(rng, skeleton, batch)
    kinds = (
        targets_at(skeleton, pose, effectors),
        reachable(rng, skeleton, effectors, batch),
        random_targets(rng, effectors, batch),
    )
    kind = rng.integers(3, size=(batch, 1, 1))
    positions, rotations = (
        np.choose(kind, [getattr(targets, name) for targets in kinds]) for name in ("positions", "rotations")
    )
    axes = (None, rng.normal(size=(1, len(effectors), 3, 3)), rng.normal(size=(batch, len(effectors), 3, 3)))
    weights = None if rng.random() < 0.7 else rng.choice([0.0, 0.3, 7.0], size=(batch, len(effectors), 2))
    targets = Targets(positions, rotations, axes[rng.choice(3, p=[0.6, 0.2, 0.2])], weights)
    return skeleton, pose, effectors, targets


def random_goals(rng, skeleton, batch):
    """Goals of other kinds, some with a row for each problem, some with one for all."""
    rows = (1, batch)[rng.integers(2)]
    first, second = rng.choice(skeleton.names, size=2)
    values = dict(weights=rng.choice([0.0, 0.5, 3.0], size=rows))
    at, offset = 2 * rng.normal(size=(rows, 3)), tuple(rng.normal(size=3))
    masses = tuple((name, tuple(rng.normal(size=3)), rng.uniform(0.1, 1)) for name in skeleton.names)
    goals = [
        Aim(first, along=at, **values),
        Aim(second, axis=(1.0, 2.0, 3.0), offset=offset, at=at, rank=1),
        Plane(((first, offset), (second, offset)), heights=rng.normal(size=rows), **values),
        Balance(masses, at=at, **values),
        Balance(masses, polygon=rng.normal(size=(rows, 5, 3)), rank=3),
    ]
    if first != second:
        goals.append(RelativeFrame(first, second, to_offset=at, to_rotation=quaternions(rng, rows)))
    goals.append(Place(second, at, offset, **values))
    return [goal for goal in goals if rng.random() < 0.5]


def random_settings(rng, method):
    return Settings(
        method=method,
        iterations=int(rng.choice([3, 20])),
        restarts=int(rng.choice([0, 2])),
        sweeps=int(rng.choice([0, 4])),
        stabilisation=int(rng.choice([0, 3])),
        kernel=str(rng.choice(["QCP", "KABSCH"])),
        averaging=str(rng.choice(["TURNS", "POINTS"])),
        rest_pull=float(rng.choice([0.0, 0.1])),
        step_length=float(rng.choice([0.0, 0.5])),
    )


def arrays_of(solution):
    values = {field.name: getattr(solution, field.name) for field in fields(Solution)}
    pose = values.pop("pose")
    return values | {"rotations": pose.rotations, "translations": pose.translations}


def assert_rows_are_the_same(problem, settings, whole, rows, goals=()):
    """Compare what ``rows``, an index array, give by themselves with what they gave in the whole."""
    skeleton, pose, effectors, targets = problem
    own = [goal.rows(rows) for goal in goals]
    part = solve(skeleton.rows(rows), pose.rows(rows), effectors, targets.rows(rows), settings, goals=own)
    for name, value in arrays_of(whole).items():
        assert np.array_equal(arrays_of(part)[name], value[rows]), name


def check(seed, method, batch, with_goals=False, haste=None):
    rng = np.random.default_rng(seed)
    problem, settings = random_company(rng, batch), random_settings(rng, method)
    settings = replace(settings, haste=haste)
    goals = random_goals(rng, problem[0], batch) if with_goals else ()
    whole = solve(*problem, settings, goals=goals)
    for row in range(batch):
        assert_rows_are_the_same(problem, settings, whole, np.array([row]), goals)
    # In another order and in smaller company at once.
    assert_rows_are_the_same(problem, settings, whole, rng.permutation(batch)[: max(2, batch - 1)], goals)


# Problems that every method finds otherwise as soon as vectors are left to BLAS, and finds soon.
@pytest.mark.parametrize("seed", [4, 6, 8, 9])
@pytest.mark.parametrize("method", METHODS)
def test_rows_give_in_company_what_they_give_alone(method, seed):
    check(seed, method, batch=(3, 5, 8)[seed % 3])


@pytest.mark.parametrize("method", METHODS)
def test_rows_with_goals_of_all_kinds_give_in_company_what_they_give_alone(method):
    """Among them goals of all kinds, limits, comfort, and both values of each setting that counts steps."""
    for seed in (2, 4, 6, 22):
        check(seed, method, batch=3, with_goals=True)


def test_goals_of_some_rows_are_to_the_bit_what_they_are_of_all(rng):
    """Of a unit quaternion that is brought to unit length once more the last bit may change."""
    rotations = quaternions(rng, 200)
    given = dict(to_offset=rng.normal(size=(200, 3)), to_rotation=rotations * (1 + 1e-8))
    goal = RelativeFrame("first", "second", **given)
    whole = type(goal).grouped([goal], np.array([[0, 1]]), np.ones(1))
    for row in range(200):
        part = type(goal).grouped([goal.rows(slice(row, row + 1))], np.array([[0, 1]]), np.ones(1))
        assert np.array_equal(part.rests, whole.rests[row : row + 1])


def test_rows_that_are_sought_by_rank_count_their_steps_alone():
    """Of two rows one misses what the other meets, in one rank and not in the next."""
    check(888, "SUPERPOSE", batch=2, with_goals=True)


@pytest.mark.parametrize("with_goals", [False, True], ids=["", "goals"])
def test_rows_in_haste_give_in_company_what_they_give_alone(with_goals):
    for seed in (1, 2, 4):
        check(seed, "SUPERPOSE", 5, with_goals, haste=Haste())


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(20))
def test_rows_of_thousands_of_problems_give_in_company_what_they_give_alone(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        check(seed, METHODS[seed % len(METHODS)], (2, 3, 5, 17)[seed % 4], with_goals=seed % 3 == 0)


@pytest.mark.once  # so that it runs in either half
def test_kernels_are_those_that_the_ring_is_named_after():
    if not (asked := os.environ.get("SUPERPOSE_KERNELS")):
        pytest.skip("in the kernel rings only")
    assert kernels_in_use() == asked


@pytest.mark.parametrize("columns", SIZES)
@pytest.mark.parametrize("rows", SIZES)
def test_products_of_a_row_are_the_same_to_the_bit_wherever_it_lies(rng, rows, columns):
    batch = 17
    matrices, one = rng.normal(size=(batch, rows, columns)), rng.normal(size=(rows, columns))
    right, left = rng.normal(size=(batch, columns)), rng.normal(size=(batch, rows))
    for product, values in (
        (matvec, (matrices, right)),
        (vecmat, (left, matrices)),
        (lambda vectors: matvec(one, vectors), (right,)),
        (lambda vectors: vecmat(vectors, one), (left,)),
        (gram, (matrices,)),
    ):
        whole = product(*values)
        for row in range(batch):
            assert np.array_equal(product(*(value[row : row + 1].copy() for value in values))[0], whole[row])
