# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals that cannot be used are refused with one sentence that names the bone."""

import numpy as np
import pytest
from random_goals import group_of
from random_rigs import chain, human, names

from solvers import SkeletonError
from solvers.errors import GoalError
from solvers.goals import Aim, Balance, Plane, Pole, RelativeFrame, check_goals

NAN, INF = float("nan"), float("inf")
FLOOR = (("foot.L", (0, 0, 0)),)
MASSES = (("hips", (0, 0, 0), 10.0), ("head", (0, 0, 0), 4.0))


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (
            RelativeFrame,
            {"bone": "hand", "to_bone": "hand"},
            "The attachment of 'hand' is to the bone itself",
        ),
        (RelativeFrame, {"bone": "hand", "to_bone": "hip", "to_offset": (0, NAN, 0)}, "'hand'.*finite"),
        (
            RelativeFrame,
            {"bone": "hand", "to_bone": "hip", "to_rotation": (1, 1, 0, 0)},
            "'hand'.*quaternion",
        ),
        (RelativeFrame, {"bone": "hand", "to_bone": "hip", "to_rotation": (1, 0, 0)}, "'hand'.*shape"),
        (RelativeFrame, {"bone": "hand", "to_bone": "hip", "position_weight": -1}, "'hand'.*negative"),
        (RelativeFrame, {"bone": "hand", "to_bone": "hip", "offset": (0, 0)}, "'hand'.*3 long"),
        (RelativeFrame, {"bone": "hand", "to_bone": "hip", "rank": 0}, "'hand'.*rank 0"),
        (RelativeFrame, {"bone": "hand", "to_bone": "hip", "rank": 1.5}, "'hand'.*rank that is no whole"),
        (Aim, {"bone": "head"}, "'head' needs either"),
        (Aim, {"bone": "head", "at": (0, 0, 1), "along": (0, 0, 1)}, "'head' needs either"),
        (Aim, {"bone": "head", "at": (0, 0, NAN)}, "aim of 'head' has a target that is not finite"),
        (Aim, {"bone": "head", "at": np.zeros((2, 2))}, "'head'.*shape"),
        (Aim, {"bone": "head", "at": np.zeros((2, 3)), "weights": np.ones(3)}, "'head' has 2 rows of at"),
        (Aim, {"bone": "head", "along": (0, 0, 0)}, "'head' has a direction that is zero"),
        (Aim, {"bone": "head", "axis": (0, 0, 0), "at": (0, 0, 1)}, "'head' has an axis that is zero"),
        (
            Aim,
            {"bone": "head", "axis": (0, INF, 0), "at": (0, 0, 1)},
            "'head' has an axis that is not finite",
        ),
        (Aim, {"bone": "head", "at": (0, 0, 1), "weight": NAN}, "'head'.*weight that is not finite"),
        (Pole, {"upper": "arm", "middle": "elbow", "end": "hand"}, "'elbow' needs either"),
        (Pole, {"upper": "arm", "middle": "elbow", "end": "hand", "along": (0, 0, 0)}, "'elbow'.*zero"),
        (
            Pole,
            {"upper": "arm", "middle": "elbow", "end": "hand", "at": (0, 0, 1e31)},
            "has a target that is more",
        ),
        (Plane, {"points": FLOOR, "normals": (0, 0, 0)}, "'foot.L' has a normal that is zero"),
        (Plane, {"points": FLOOR, "heights": (NAN,)}, "'foot.L'.*finite"),
        (Plane, {"points": (("foot.L", (0, NAN, 0)),)}, "'foot.L'.*offset.*finite"),
        (Plane, {"points": FLOOR, "weights": (-1.0,)}, "'foot.L'.*negative weight"),
        (Plane, {"points": ()}, "no points"),
        (Balance, {"masses": MASSES}, "needs either"),
        (Balance, {"masses": (("hips", (0, 0, 0), 0.0),), "at": (0, 0, 0)}, "has no mass"),
        (Balance, {"masses": (), "at": (0, 0, 0)}, "has no mass"),
        (Balance, {"masses": (*MASSES, ("hand", (0, 0, 0), NAN)), "at": (0, 0, 0)}, "mass of 'hand'.*finite"),
        (
            Balance,
            {"masses": (*MASSES, ("hand", (0, 0, 0), -1)), "at": (0, 0, 0)},
            "mass of 'hand'.*negative",
        ),
        (Balance, {"masses": MASSES, "polygon": np.zeros((0, 3))}, "polygon"),
        (Balance, {"masses": MASSES, "at": (0, 0, NAN)}, "finite"),
        (Balance, {"masses": MASSES, "at": (0, 0, 0), "level": np.zeros((2, 3))}, "up that is zero"),
    ],
    ids=str,
)
def test_a_goal_is_refused_by_the_name_of_its_bone(kind, values, said):
    with pytest.raises(GoalError, match=said) as caught:
        kind(**values)
    assert len(str(caught.value).splitlines()) == 1


def test_relative_frames_may_not_go_in_a_circle():
    ring = [RelativeFrame(*pair) for pair in (("hand.L", "head"), ("head", "hips"), ("hips", "hand.L"))]
    check_goals(human(), ring[:2], 1)
    with pytest.raises(GoalError, match=r"The attachment of 'hand\.L' leads in a circle, by way of 'head'"):
        check_goals(human(), ring, 1)


@pytest.mark.parametrize(
    ("goal", "error", "said"),
    [
        (Aim("nose", at=(0, 0, 1)), SkeletonError, "'nose'"),
        (RelativeFrame("hand.L", "sword"), SkeletonError, "'sword'"),
        (Pole("arm.L", "hand.L", "forearm.L", at=(0, 0, 1)), GoalError, "'forearm.L' is not below 'hand.L'"),
        (Pole("arm.L", "forearm.L", "hand.R", at=(0, 0, 1)), GoalError, "'hand.R' is not below 'forearm.L'"),
        (Pole("arm.L", "arm.L", "hand.L", at=(0, 0, 1)), GoalError, "'arm.L' is not below 'arm.L'"),
        (Aim("head", at=np.ones((3, 3))), GoalError, "'head' has 3 rows for 2 poses"),
    ],
    ids=lambda value: getattr(value, "title", str(value)),
)
def test_a_goal_is_refused_that_the_skeleton_cannot_have(goal, error, said):
    with pytest.raises(error, match=said):
        check_goals(human(), [goal], 2)


def test_limbs_may_have_bones_between_their_joints():
    upper, middle, end = (names(9)[bone] for bone in (0, 4, 8))
    check_goals(chain(9), [Pole(upper, middle, end, along=(1, 0, 0))], 1)


def test_an_aim_at_its_own_point_is_refused():
    group = group_of([Aim("head", at=(0, 0, 1)), Aim("chest", at=(1, 2, 3)), Aim("hips", along=(0, 0, 1))])
    group.refuse(np.array([[[[0.0, 0, 0]], [[1, 2, 4]], [[0, 0, 1]]]]))
    with pytest.raises(GoalError, match="aim of 'chest'"):
        group.refuse(np.array([[[[0.0, 0, 0]], [[1, 2, 3]], [[0, 0, 1]]]]))


def test_rows_of_a_goal_are_taken_where_it_has_more_than_one():
    aim = Aim("head", at=np.arange(12.0).reshape(4, 3), weights=[0.5])
    assert aim.batch == 4
    part = aim.rows(slice(1, 3))
    assert (part.at == aim.at[1:3]).all()
    assert (part.weights == [0.5]).all()
    assert Aim("head", at=(0, 0, 1)).rows(slice(5, 6)).at.shape == (1, 3)
