# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons and poses: where bones are, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from limit_checks import euler_lock
from random_rigs import FREE, chain, matrices, names, random_pose, random_tree, unturned

from solvers import Hinge, Pose, Skeleton, SkeletonError, forward, rest_pose
from solvers.model import carried_on, joined_poses

NAN = float("nan")


def four_by_four(rotation, place):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, place
    return matrix


def by_recursion(skeleton, pose, row, bone):
    """Return the bone's matrix, bone to armature, by the definition in `solvers/model/skeleton.py`."""
    offset = skeleton.offsets[row if len(skeleton.offsets) > 1 else 0, bone]
    rest = skeleton.rests[row if len(skeleton.rests) > 1 else 0, bone]
    local = matrices(rest) @ matrices(pose.rotations[row, bone])
    parent = skeleton.parents[bone]
    if parent < 0:
        return four_by_four(local, offset + pose.translations[row, bone])
    above = by_recursion(skeleton, pose, row, parent)
    moved = four_by_four(np.eye(3), pose.translations[row, bone]) @ above @ four_by_four(np.eye(3), offset)
    if skeleton.inherits_rotation[bone]:
        return moved @ four_by_four(local, np.zeros(3))
    return four_by_four(local, moved[:3, 3])


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("aloof", [0.0, 0.4])
def test_forward_is_the_product_of_the_matrices_above(rng, batch, aloof):
    skeleton = random_tree(rng, 15, roots=2, aloof=aloof, freedom=FREE, batch=batch)
    pose = random_pose(rng, skeleton, batch=3, spread=1.0)
    rotations, heads = forward(skeleton, pose)
    for row in range(3):
        for bone in range(15):
            expected = by_recursion(skeleton, pose, row, bone)
            assert np.allclose(
                four_by_four(rotations[row, bone], heads[row, bone]), expected, rtol=0, atol=1e-13
            )


def test_quaternions_of_any_length_mean_the_same_pose(rng):
    """Blender's own channels hold such quaternions and show them normalised."""
    skeleton = random_tree(rng, 8)
    pose = random_pose(rng, skeleton, 2)
    longer = Pose(pose.rotations * rng.uniform(0.1, 5, size=(2, 8, 1)), pose.translations)
    for found, expected in zip(forward(skeleton, longer), forward(skeleton, pose), strict=True):
        assert np.allclose(found, expected, rtol=0, atol=1e-13)


def test_forward_leaves_no_trace_in_what_it_reads(rng):
    skeleton = random_tree(rng, 6)
    pose = random_pose(rng, skeleton)
    before = pose.rotations.copy(), skeleton.offsets.copy()
    forward(skeleton, pose)
    assert (pose.rotations == before[0]).all()
    assert (skeleton.offsets == before[1]).all()


def test_a_bone_that_inherits_no_rotation_is_carried_but_not_turned(rng):
    skeleton = Skeleton(
        names(2), [-1, 0], [[[0, 0, 0], [0, 1, 0]]], unturned(1, 2), inherits_rotation=[True, False]
    )
    pose = Pose([[[0, 0, 0, 1], [1, 0, 0, 0]]], np.zeros((1, 2, 3)))
    rotations, heads = forward(skeleton, pose)
    assert np.allclose(rotations[0, 1], np.eye(3))
    assert np.allclose(heads[0, 1], [0, -1, 0])


def test_the_rest_pose_turns_and_moves_nothing(rng):
    skeleton = random_tree(rng, 5)
    pose = rest_pose(skeleton, 4)
    assert len(pose) == 4
    assert (pose.rotations == [1, 0, 0, 0]).all()
    assert (pose.translations == 0).all()


def test_a_pose_keeps_translations_of_the_bones_that_are_moved_alone(rng):
    turns, moves = rng.normal(size=(6, 5, 4)), np.zeros((6, 5, 3))
    moves[:, 0], moves[4, 3, 1], moves[5, 2, 0] = rng.normal(size=(6, 3)), 1.0, -0.0
    pose = Pose(turns, moves)
    assert pose.shifts.values.shape == (6, 2, 3)
    assert np.array_equal(pose.translations, moves)
    assert np.array_equal(replace(pose, rotations=-turns).translations, moves)
    for keep in (slice(2, 5), [4, 0], moves[:, 3, 1] > 0):
        assert np.array_equal(pose.rows(keep).translations, moves[keep])


def test_poses_that_move_other_bones_are_joined(rng):
    turns, moves = rng.normal(size=(6, 5, 4)), np.zeros((6, 5, 3))
    moves[:2, 3], moves[4:, 1] = 1.0, 2.0
    rows = [slice(2), slice(2, 4), slice(4, 6)]
    joined = joined_poses([Pose(turns[some], moves[some]) for some in rows])
    assert np.array_equal(joined.rotations, turns)
    assert np.array_equal(joined.translations, moves)


def test_values_stay_values(rng):
    offsets = rng.normal(size=(1, 3, 3))
    skeleton = chain(3, offsets=offsets)
    offsets[:] = 0
    assert skeleton.offsets.any()
    with pytest.raises(ValueError, match="read-only"):
        skeleton.offsets[:] = 1
    with pytest.raises(ValueError, match="read-only"):
        rest_pose(skeleton).rotations[:] = 1


def test_rows_are_what_the_batch_holds(rng):
    skeleton = random_tree(rng, 5, batch=6)
    part = skeleton.rows(slice(2, 4))
    assert (part.offsets == skeleton.offsets[2:4]).all()
    assert (part.rests == skeleton.rests).all()


def spoiled(**values):
    """Return what a chain of three bones needs, with some of it replaced."""
    good = dict(names=names(3), parents=[-1, 0, 1], offsets=np.ones((1, 3, 3)), rests=unturned(1, 3))
    return good | values


def with_value(array, place, value):
    array = np.array(array, float)
    array[place] = value
    return array


BAD_BONES = {
    "an offset that is not finite": (
        dict(offsets=with_value(np.ones((1, 3, 3)), (0, 1, 2), NAN)),
        "bone.001",
    ),
    "a rest that is not finite": (dict(rests=with_value(unturned(1, 3), (0, 2, 0), NAN)), "bone.002"),
    "a rest that is no unit quaternion": (dict(rests=with_value(unturned(1, 3), (0, 1, 0), 2)), "bone.001"),
    "a child before its parent": (dict(parents=[-1, 2, 0]), "bone.001"),
    "its own parent": (dict(parents=[-1, 0, 2]), "bone.002"),
    "a parent that is not there": (dict(parents=[-1, 0, 7]), "bone.002"),
    "a parent below none": (dict(parents=[-1, -2, 1]), "bone.001"),
    "a negative stiffness": (dict(stiffness=[0, -0.1, 0]), "bone.001"),
    "a stiffness above one": (dict(stiffness=[0, 0, 1.1]), "bone.002"),
    "a stiffness that is no number": (dict(stiffness=[0, NAN, 0]), "bone.001"),
    "freedom below a root": (dict(freedom=np.stack([FREE, FREE, 0 * FREE])), "bone.001"),
    "freedom that is not finite": (dict(freedom=np.stack([NAN * FREE, 0 * FREE, 0 * FREE])), "bone.000"),
    "freedom that is no projector": (dict(freedom=np.stack([2 * FREE, 0 * FREE, 0 * FREE])), "bone.000"),
    "the name of another": (dict(names=["bone.000", "twin", "twin"]), "twin"),
    "a limit on a bone that is not there": (
        dict(limits=(euler_lock("ghost", "XYZ", (True, False, False), [0, 0, 0]),)),
        "ghost",
    ),
    "two limits": (
        dict(
            limits=(
                Hinge("bone.001", (1, 0, 0)),
                euler_lock("bone.001", "XYZ", (True, True, True), [0, 0, 0]),
            )
        ),
        "bone.001",
    ),
}


@pytest.mark.parametrize(("values", "bone"), BAD_BONES.values(), ids=list(BAD_BONES))
def test_a_bone_is_refused_by_name_for_having(values, bone):
    with pytest.raises(SkeletonError, match=bone):
        Skeleton(**spoiled(**values))


BAD_SHAPES = {
    "parents": dict(parents=[-1, 0]),
    "offsets": dict(offsets=np.zeros((3, 3))),
    "rests": dict(rests=unturned(1, 4)),
    "inherits_rotation": dict(inherits_rotation=[True]),
    "stiffness": dict(stiffness=0.5),
    "freedom": dict(freedom=np.zeros((3, 3))),
}


@pytest.mark.parametrize(("name", "values"), BAD_SHAPES.items(), ids=list(BAD_SHAPES))
def test_a_wrong_shape_is_refused_with_the_name_of_the_array(name, values):
    with pytest.raises(SkeletonError, match=name):
        Skeleton(**spoiled(**values))


def test_an_unknown_bone_is_named():
    with pytest.raises(SkeletonError, match="ghost"):
        chain(3).index("ghost")


@pytest.mark.parametrize(
    ("rotations", "translations"),
    [
        (unturned(3), np.zeros((3, 3))),
        (np.zeros((1, 3, 3)), np.zeros((1, 3, 3))),
        (unturned(1, 3), np.zeros((1, 2, 3))),
        (unturned(2, 3), np.zeros((1, 3, 3))),
        (np.full((1, 3, 4), NAN), np.zeros((1, 3, 3))),
        (unturned(1, 3), np.full((1, 3, 3), np.inf)),
    ],
)
def test_a_pose_that_cannot_be_is_refused(rotations, translations):
    with pytest.raises(SkeletonError, match=r"[Pp]ose"):
        Pose(rotations, translations)


def test_names_and_places_belong_together():
    skeleton = chain(4)
    assert [skeleton.index(name) for name in skeleton.names] == [0, 1, 2, 3]


def test_what_no_solve_changes_is_carried_on_as_it_is_in_the_rows_own_pose(rng):
    stiffness = np.array([1.0, 0.0, 0.5, 1.0, 0.9])
    skeleton = random_tree(rng, 5, freedom=np.diag([1.0, 0.0, 1.0]), stiffness=stiffness)
    pose, own = (random_pose(rng, skeleton, batch=3, spread=1.0) for _ in range(2))
    own = Pose(own.rotations, own.translations + rng.normal(size=(3, 1, 3)))
    found = carried_on(skeleton, pose, own)
    is_locked = (stiffness == 1)[:, None]
    assert np.array_equal(found.rotations, np.where(is_locked, own.rotations, pose.rotations))
    root = np.where([True, False, True], pose.translations[:, 0], own.translations[:, 0])
    assert np.allclose(found.translations[:, 0], root, rtol=0, atol=1e-15)
    assert np.array_equal(found.translations[:, 1:], own.translations[:, 1:])
