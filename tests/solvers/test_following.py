# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip whose frames follow each other stays on one way of meeting its targets."""

from dataclasses import replace

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from random_rigs import chain, end_of, matrices, random_pose, random_tree, targets_at, unturned

from solvers import (
    Comfort,
    Effector,
    Hinge,
    Pose,
    Request,
    Settings,
    Skeleton,
    Targets,
    find_jumps,
    forward,
    learn_comforts,
    rest_pose,
    solve,
)
from solvers.geometry.rotations import angle_between, matrix_to_quaternion

SLACK = np.radians(0.5)  # what meeting the targets to the last digit may add
MOST = np.radians(15)  # that comfort adds where little moves


def turns(pose):
    """How far bones turn from row to row, (rows - 1, bones), radians."""
    turned = matrices(pose.rotations)
    return angle_between(turned[1:], turned[:-1])


@few
@given(seed=st.integers(0, 2**32 - 1))
def test_only_the_first_frame_is_tried_from_other_starts(seed):
    rng = np.random.default_rng(seed)
    free = random_tree(rng, bones=5, branching=0.1)
    limits = [Hinge(name, tuple(rng.normal(size=3)), -1.2, 1.2) for name in free.names]
    skeleton, effectors = replace(free, limits=limits), (Effector(free.names[-1], rotation_weight=0.0),)
    pose = random_pose(rng, skeleton, 6, spread=1.0)
    rotations = pose.rotations.copy()
    rotations[0] = rest_pose(skeleton).rotations[0]  # so that the first frame needs no other starts
    targets = targets_at(skeleton, Pose(rotations, pose.translations), effectors)
    problem = skeleton, rest_pose(skeleton, 6), effectors, targets
    found = solve(*problem, Settings(restarts=9), in_sequence=True)
    same = solve(*problem, Settings(restarts=0), in_sequence=True)
    assert (found.pose.rotations == same.pose.rotations).all()


def swinging_over(frames=60):
    """A chain that likes to point along +Y, its end led past the other side: to one hand, then the other."""
    arm = chain(4)
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.4) for name in arm.names)
    places = np.stack([np.linspace(0.3, -0.3, frames), np.full(frames, -0.8), np.full(frames, 0.02)], axis=-1)
    return arm, replace(arm, comforts=comforts), Targets(places[:, None], unturned(frames, 1))


def beside_a_post(arm):
    """The arm beside a locked bone."""
    return replace(
        arm,
        names=(*arm.names, "post"),
        parents=np.append(arm.parents, -1),
        offsets=np.append(arm.offsets, [[[3, 0, 0]]], axis=1),
        rests=np.append(arm.rests, unturned(1, 1), axis=1),
        inherits_rotation=np.append(arm.inherits_rotation, True),
        stiffness=np.append(arm.stiffness, 1),
        freedom=np.append(arm.freedom, np.zeros((1, 3, 3)), axis=0),
    )


@pytest.mark.parametrize("misses", [False, True])
def test_comfort_swings_a_body_over_in_several_frames(misses):
    """The targets alone turn it little; also where one is missed, of a bone that cannot move."""
    plain, easy, targets = swinging_over()
    effectors = (end_of(4),)
    if misses:
        plain, easy = beside_a_post(plain), beside_a_post(easy)
        effectors = *effectors, Effector("post", rotation_weight=0)
        places = np.append(targets.positions, np.broadcast_to([3.0, 2.0, 0.0], (60, 1, 3)), axis=1)
        targets = Targets(places, unturned(60, 2))
    start = rest_pose(easy, 60)
    found = solve(easy, start, effectors, targets, in_sequence=True)
    assert (found.converged != misses).all()
    assert (found.position_residuals[:, 0] < 2e-3).all()
    turned = turns(found.pose)
    for row in range(1, 60):
        before = found.pose.rows(slice(row - 1, row))
        alone = solve(plain, before, effectors, targets.rows(slice(row, row + 1)), Settings(restarts=0))
        needed = angle_between(matrices(before.rotations), matrices(alone.pose.rotations))[0]
        assert (turned[row - 1] <= needed + max(MOST, needed.max()) + SLACK).all()
    cold = solve(easy, start, effectors, targets)
    assert turns(cold.pose).max() > 2 * turned.max()  # which swings over at once


@pytest.fixture(scope="module")
def motion(shared_data):
    """A skeleton, its motion, which rows are which clip's, and its six effectors."""
    data = np.load(shared_data / "human_motion" / "cmu_human_motion.npz")
    names, heads, parents = data["joints"].tolist(), data["heads"].astype(float), data["parents"]
    offsets = np.where(parents[:, None] < 0, heads, heads - heads[parents])
    freedom = np.where(parents[:, None, None] < 0, np.eye(3), 0.0)
    skeleton = Skeleton(names, parents, offsets[None], unturned(1, len(names)), freedom=freedom)
    rotations = data["local_rotations"].astype(float)
    translations = np.zeros((*rotations.shape[:2], 3))
    translations[:, 0] = data["root"]
    rows = np.split(np.arange(len(rotations)), data["first_row"][1:])
    return skeleton, Pose(rotations, translations), dict(zip(data["clips"].tolist(), rows, strict=True))


def asked(skeleton, pose):
    """Effectors and the targets that a pose meets."""
    effectors = tuple(map(Effector, ("hip", "head", "lHand", "rHand", "lFoot", "rFoot")))
    rotations, heads = forward(skeleton, pose)
    own = [skeleton.index(effector.bone) for effector in effectors]
    return effectors, Targets(heads[:, own], matrix_to_quaternion(rotations[:, own]))


def jumps_in(request, solution):
    steps = find_jumps(request, solution)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_real_motion_with_learned_comfort_stays_continuous(motion):
    """Comfort is learned from the other clips; without it no frame jumps either."""
    skeleton, pose, rows = motion
    clip = "01_01"
    others = np.setdiff1d(np.arange(len(pose)), rows[clip])[::20]
    habits = learn_comforts(skeleton.names[1:], pose.rotations[others, 1:])
    easy = replace(skeleton, comforts=tuple(bone.comfort for bone in habits))
    own = pose.rows(rows[clip][:120])
    effectors, targets = asked(skeleton, own)
    start = rest_pose(skeleton, len(own))
    for body in (skeleton, easy):
        found = solve(body, start, effectors, targets, in_sequence=True)
        assert found.converged.all()
        assert not len(jumps_in(Request(body, start, effectors, targets), found).rows)
