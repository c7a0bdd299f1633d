# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that share the twist of a limb, against the turn about its line that is nearest as a matrix."""

from dataclasses import replace

import numpy as np
import pytest
from limit_checks import violation
from random_rigs import FREE, random_pose, targets_at, unturned, wxyz
from scipy.spatial.transform import Rotation

from solvers import (
    Cones,
    Effector,
    Hinge,
    Skeleton,
    SkeletonError,
    Twist,
    forward,
    rest_pose,
    solve,
    solve_clip,
)
from solvers.finish import twists_gathered, twists_shared
from solvers.geometry import quaternion_to_matrix

# An upper arm of two bones, a forearm of two, a hand; beside them a bone on either, and one on that.
NAMES = ("trunk", "upper1", "upper2", "fore1", "fore2", "hand", "by_upper", "by_fore", "by_fore2")
PARENTS = (-1, 0, 1, 2, 3, 4, 1, 3, 7)
CARRIES = (
    Twist("upper2", 0.6, "upper1", "fore1", at_end=False, carries=True),
    Twist("fore2", 0.7, "fore1", "hand", carries=True),
)


def arm(rng, bend=0.0, twists=CARRIES, **values):
    """A straight arm along X whose bones have axes of their own; ``bend`` puts heads off the line."""
    heads = np.array([0.0, 0.2, 0.5, 0.8, 1.1, 1.4, 0.3, 0.9, 1.0])[:, None] * [1.0, 0.0, 0.0]
    heads[1:6] += bend * rng.normal(size=(5, 3))
    turned = Rotation.random(9, random_state=rng.integers(1 << 30)).as_matrix()
    offsets, rests = heads.copy(), turned.copy()
    for bone, parent in enumerate(PARENTS[1:], 1):
        offsets[bone] = turned[parent].T @ (heads[bone] - heads[parent])
        rests[bone] = turned[parent].T @ turned[bone]
    rests = wxyz(Rotation.from_matrix(rests))[None]
    return Skeleton(NAMES, PARENTS, offsets[None], rests, twists=twists, **values)


def nearest_turn(matrices, axes):
    """The angles of the turns about unit axes that are nearest to rotation matrices (..., 3, 3)."""
    odd = np.stack([matrices[..., i, j] - matrices[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=-1)
    along = np.einsum("...i,...ij,...j", axes, matrices, axes)
    return np.arctan2((odd * axes).sum(axis=-1), np.trace(matrices, axis1=-2, axis2=-1) - along)


def turn_of(skeleton, pose, bone, of, line):
    """The twist of a bone against another one's frame about a line there, from the frames that are shown."""
    turned, rested = (forward(skeleton, one)[0] for one in (pose, rest_pose(skeleton)))
    bone, of = NAMES.index(bone), NAMES.index(of)
    against = (np.swapaxes(frames[:, of], -1, -2) @ frames[:, bone] for frames in (turned, rested))
    now, before = against
    return nearest_turn(now @ np.swapaxes(before, -1, -2), line)


def line_of(skeleton, first, last):
    """The direction from one head to the other at rest, in the first one's parent's frame, and in its own."""
    frames, heads = (values[0] for values in forward(skeleton, rest_pose(skeleton)))
    first, last = NAMES.index(first), NAMES.index(last)
    along = (heads[last] - heads[first]) / np.linalg.norm(heads[last] - heads[first])
    return frames[PARENTS[first]].T @ along, frames[first].T @ along


def with_and_without(skeleton, *asked):
    return [solve(body, *asked) for body in (skeleton, replace(skeleton, twists=()))]


def wrapped(angles):
    return np.angle(np.exp(1j * np.asarray(angles)))


@pytest.mark.parametrize("bend", [0.0, 0.1])
def test_what_hangs_below_stays_where_it_is(rng, bend):
    skeleton = arm(rng, bend)
    pose = random_pose(rng, skeleton, 20)
    before, after = forward(skeleton, pose), forward(skeleton, twists_shared(skeleton, pose))
    kept = [NAMES.index(name) for name in ("trunk", "fore1", "hand")]
    for now, was in zip(after, before, strict=True):
        assert np.allclose(now[:, kept], was[:, kept], rtol=0, atol=1e-12)
    assert not np.allclose(after[0], before[0], rtol=0, atol=1e-2)


def test_bones_of_a_straight_limb_have_their_shares(rng):
    """The bones between turn about the limb alone; how its ends are turned is left to chance."""
    skeleton = arm(rng)
    pose = random_pose(rng, skeleton, 20, spread=0.6)
    rotations = pose.rotations.copy()
    for name in ("upper2", "fore2"):
        above, bone = NAMES[PARENTS[NAMES.index(name)]], NAMES.index(name)
        rest = quaternion_to_matrix(skeleton.rests[0, bone])
        axis = rest.T @ line_of(skeleton, above, name)[1]
        rotations[:, bone] = wxyz(Rotation.from_rotvec(rng.uniform(-0.5, 0.5, (20, 1)) * axis))
    shared = twists_shared(skeleton, replace(pose, rotations=rotations))
    of_trunk, of_upper = line_of(skeleton, "upper1", "fore1")
    of_fore = line_of(skeleton, "fore1", "hand")[1]
    first = turn_of(skeleton, shared, "upper1", "trunk", of_trunk)
    second = turn_of(skeleton, shared, "upper2", "upper1", of_upper)
    assert np.allclose(second, 0.6 * (first + second), rtol=0, atol=1e-9)
    third = turn_of(skeleton, shared, "fore2", "fore1", of_fore)
    whole = turn_of(skeleton, shared, "hand", "fore1", of_fore)
    assert np.allclose(third, 0.7 * whole, rtol=0, atol=1e-9)


def test_bones_beside_a_limb_turn_with_its_end_or_back_against_its_start(rng):
    twists = (
        Twist("by_upper", 0.5, "upper1", "upper2", at_end=False),
        Twist("by_fore", 0.3, "fore1", "fore2"),
        Twist("by_fore2", 0.4, "fore1", "fore2"),
    )
    skeleton = arm(rng, twists=twists)
    pose = random_pose(rng, skeleton, 20)
    shared = twists_shared(skeleton, pose)
    others = [bone for bone, name in enumerate(NAMES) if not name.startswith("by_")]
    assert np.array_equal(shared.rotations[:, others], pose.rotations[:, others])
    still = replace(shared, rotations=np.array(shared.rotations))
    of_trunk, of_upper = line_of(skeleton, "upper1", "upper2")
    of_fore = line_of(skeleton, "fore1", "fore2")[1]
    shoulder = turn_of(skeleton, pose, "upper1", "trunk", of_trunk)
    assert np.allclose(
        wrapped(turn_of(skeleton, still, "by_upper", "upper1", of_upper) + 0.5 * shoulder), 0, atol=1e-9
    )
    end = turn_of(skeleton, pose, "fore2", "fore1", of_fore)
    assert np.allclose(
        wrapped(turn_of(skeleton, still, "by_fore", "fore1", of_fore) - 0.3 * end), 0, atol=1e-9
    )


def test_shared_is_shared_and_nothing_to_share_changes_nothing(rng):
    beside = (Twist("by_fore", 0.3, "fore1", "fore2"),)
    skeleton = arm(rng, twists=(*CARRIES, *beside))
    shared = twists_shared(skeleton, random_pose(rng, skeleton, 20, spread=0.6))
    again = twists_shared(skeleton, shared)
    ends = forward(skeleton, shared)[0][:, 5], forward(skeleton, again)[0][:, 5]
    assert np.allclose(*ends, rtol=0, atol=1e-12)
    rested = twists_shared(skeleton, rest_pose(skeleton, 2))
    assert np.allclose(rested.rotations, unturned(2, len(NAMES)), rtol=0, atol=1e-12)


def test_limits_are_kept_and_the_rest_stays_with_the_others(rng):
    skeleton = arm(rng)
    limits = [Hinge("fore1", (1, 0, 0), -2, 2, play=0.1), Cones("hand", (((0, 1, 0), 1.0),), -0.5, 0.5)]
    limits += [Cones("upper2", (((0, 1, 0), 0.7),), -0.2, 0.3)]
    limited = replace(skeleton, limits=tuple(limits))
    start, wanted = (random_pose(rng, skeleton, 30, spread=0.7) for _ in range(2))
    effectors = (Effector("hand"),)
    found = solve(limited, start, effectors, targets_at(skeleton, wanted, effectors))
    for limit in limits:
        assert violation(limit, found.pose.rotations[:, NAMES.index(limit.bone)]).max() < 2e-6
    _, wholly = (twists_shared(body, found.pose) for body in (limited, skeleton))
    assert not np.allclose(wholly.rotations, found.pose.rotations, atol=1e-2)  # limits had a say


def test_effectors_are_met_as_without_shares_and_rows_do_not_depend_on_others(rng):
    skeleton = arm(rng, freedom=np.stack([FREE, *np.zeros((8, 3, 3))]))
    effectors = (Effector("hand"),)
    start, wanted = (random_pose(rng, skeleton, 9, spread=0.5) for _ in range(2))
    targets = targets_at(skeleton, wanted, effectors)
    found, plain = (
        solve(body, start, effectors, targets) for body in (skeleton, replace(skeleton, twists=()))
    )
    assert np.array_equal(found.converged, plain.converged)
    assert np.allclose(found.position_residuals, plain.position_residuals, rtol=0, atol=1e-12)
    assert not np.allclose(found.pose.rotations, plain.pose.rotations, atol=1e-3)
    alone = solve(skeleton, start.rows(slice(4, 5)), effectors, targets.rows(slice(4, 5)))
    assert np.array_equal(alone.pose.rotations[0], found.pose.rotations[4])


def test_a_bone_of_the_limb_that_is_asked_for_keeps_its_place(rng):
    skeleton = arm(rng)
    effectors = (Effector("fore2", rotation_weight=1.0),)
    start, wanted = (random_pose(rng, skeleton, 9, spread=0.5) for _ in range(2))
    targets = targets_at(skeleton, wanted, effectors)
    found, plain = (
        solve(body, start, effectors, targets) for body in (skeleton, replace(skeleton, twists=()))
    )
    assert np.array_equal(found.converged, plain.converged)
    assert (found.rmsd <= plain.rmsd + 1e-5).all()


def about_the_line(skeleton, bone, *bounds):
    """A hinge about the line from the head of the bone's parent to its own."""
    above, own = NAMES[PARENTS[NAMES.index(bone)]], NAMES.index(bone)
    axis = quaternion_to_matrix(skeleton.rests[0, own]).T @ line_of(skeleton, above, bone)[1]
    return Hinge(bone, tuple(axis), *bounds)


def only_twisting(rng, *limits):
    """The arm whose twist bones do not bend."""
    skeleton = arm(rng)
    hinges = [about_the_line(skeleton, bone) for bone in ("upper2", "fore2")]
    return replace(skeleton, limits=(*hinges, *limits))


def posed_alike(found, whole):
    turned = quaternion_to_matrix(found.rotations) - quaternion_to_matrix(whole.rotations)
    return np.abs(turned).max()


def test_what_is_gathered_is_shared_as_before(rng):
    skeleton = only_twisting(rng)
    pose = twists_shared(skeleton, rest_pose(skeleton, 20))
    turned = random_pose(rng, skeleton, 20, spread=0.6).rotations
    rotations = np.where(np.isin(NAMES, ["upper2", "fore2"])[:, None], pose.rotations, turned)
    whole = replace(pose, rotations=rotations)
    shared = twists_shared(skeleton, whole)
    assert posed_alike(shared, whole) > 0.1
    assert posed_alike(twists_gathered(skeleton, shared), whole) < 1e-9


def test_a_limb_that_shares_is_posed_as_one_of_whole_bones(rng):
    skeleton, effectors = only_twisting(rng), (Effector("hand", rotation_weight=1.0),)
    whole = replace(skeleton, twists=(), stiffness=np.isin(NAMES, ["upper2", "fore2"]).astype(float))
    start = rest_pose(skeleton, 9)
    targets = targets_at(skeleton, random_pose(rng, whole, 9, spread=0.5), effectors)
    found, plain = (solve(body, start, effectors, targets) for body in (skeleton, whole))
    assert posed_alike(found.pose, twists_shared(skeleton, plain.pose)) < 1e-6
    assert np.allclose(found.position_residuals, plain.position_residuals, rtol=0, atol=1e-9)


def test_twist_bones_add_nothing_to_what_a_joint_may_twist(rng):
    limit = about_the_line(arm(rng), "hand", -0.4, 0.4)
    skeleton, effectors = only_twisting(rng, limit), (Effector("hand", rotation_weight=1.0),)
    start = rest_pose(skeleton, 9)
    targets = targets_at(skeleton, random_pose(rng, skeleton, 9, spread=1.5), effectors)
    found = solve(skeleton, start, effectors, targets)
    gathered = twists_gathered(replace(skeleton, limits=()), found.pose)
    assert violation(limit, gathered.rotations[:, NAMES.index("hand")]).max() < 2e-6


def test_a_bone_with_a_range_of_its_own_adds_to_what_the_joint_may_twist(rng):
    plain = arm(rng)
    limits = [about_the_line(plain, "hand", -0.2, 0.2), about_the_line(plain, "fore2", -0.5, 0.5)]
    skeleton, effectors = replace(plain, limits=tuple(limits)), (Effector("hand", rotation_weight=1.0),)
    rotations = rest_pose(skeleton, 1).rotations.copy()
    for limit in limits:
        turn = limit.upper * np.array(limit.axis)
        rotations[0, NAMES.index(limit.bone)] = wxyz(Rotation.from_rotvec(turn))
    targets = targets_at(skeleton, replace(rest_pose(skeleton), rotations=rotations), effectors)
    assert solve(skeleton, rest_pose(skeleton), effectors, targets).converged.all()


def test_a_bone_twists_by_itself_where_its_joint_may_not(rng):
    """As of rigs whose upper arm is a bone that bends and one that twists."""
    skeleton, effectors = only_twisting(rng), (Effector("hand", rotation_weight=1.0),)
    across = [np.cross(about_the_line(skeleton, "hand").axis, rng.normal(size=3))]
    across.insert(0, np.cross(line_of(skeleton, "upper1", "upper2")[1], rng.normal(size=3)))
    limits = [Hinge(bone, tuple(axis)) for bone, axis in zip(("upper1", "hand"), across, strict=True)]
    rotations = rest_pose(skeleton, 9).rotations.copy()
    for limit in skeleton.limits:
        turn = rng.uniform(0.3, 0.8, (9, 1)) * np.array(limit.axis)
        rotations[:, NAMES.index(limit.bone)] = wxyz(Rotation.from_rotvec(turn))
    targets = targets_at(skeleton, replace(rest_pose(skeleton, 9), rotations=rotations), effectors)
    skeleton = replace(skeleton, limits=(*skeleton.limits, *limits))
    assert solve(skeleton, rest_pose(skeleton, 9), effectors, targets).converged.all()


def test_a_clip_shares_too(rng):
    skeleton, effectors = arm(rng), (Effector("hand"),)
    ends = random_pose(rng, skeleton, 2, spread=0.4)
    share = np.linspace(0, 1, 9)[:, None, None]
    rotations = (1 - share) * ends.rotations[:1] + share * ends.rotations[1:]
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    pose = replace(ends, rotations=rotations, translations=np.zeros((9, len(NAMES), 3)))
    found = solve_clip(skeleton, pose, effectors, targets_at(skeleton, pose, effectors))
    assert found.converged.all()
    again = twists_shared(skeleton, found.pose)
    turned = quaternion_to_matrix(again.rotations) - quaternion_to_matrix(found.pose.rotations)
    assert np.abs(turned[:, [1, 2]]).max() < 1e-9


@pytest.mark.parametrize(
    ("twist", "said"),
    [
        (Twist("fore2", 1.5, "fore1", "hand"), "outside 0 to 1"),
        (Twist("fore2", 0.5, "hand", "fore1", carries=True), "does not hang on"),
        (Twist("by_fore", 0.5, "fore1", "hand"), "'hand' does not hang on 'fore1'"),
        (Twist("hand", 0.5, "nose", "fore1"), "no bone 'nose'"),
        (Twist("upper1", 0.5, "fore1", "hand", carries=True), "no part of the limb"),
    ],
)
def test_shares_that_make_no_sense_are_refused_by_name(rng, twist, said):
    with pytest.raises(SkeletonError, match=said):
        arm(rng, twists=(twist,))
