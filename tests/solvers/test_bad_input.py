# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What no solve can start from is refused with one error that names the bone, the effector or the setting."""

import numpy as np
import pytest
from random_rigs import chain, end_of, random_targets, random_tree, unturned

from solvers import (
    Comfort,
    ComfortError,
    Cones,
    Effector,
    EffectorError,
    Ellipse,
    EulerLimit,
    Haste,
    Hinge,
    LimitError,
    Pose,
    Settings,
    SettingsError,
    Skeleton,
    SkeletonError,
    SolverError,
    Targets,
    rest_pose,
    solve,
)

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "values",
    [
        {"offset": (0, NAN, 0)},
        {"offset": (0, 0)},
        {"position_weight": -1.0},
        {"position_weight": INF},
        {"rotation_weight": -0.1},
        {"rotation_weight": NAN},
        {"rotation_axes": (1, 1)},
        {"rotation_axes": (1, -1, 1)},
        {"falloff": 1.5},
        {"falloff": -0.5},
        {"falloff": NAN},
        {"offset": (0, "1", 0)},
        {"offset": None},
        {"offset": 1.0},
        {"position_weight": "heavy"},
        {"position_weight": "1"},
        {"rotation_weight": None},
        {"rotation_axes": "xyz"},
        {"falloff": 1j},
        {"rank": 1.5},
        {"rank": NAN},
        {"rotation_rank": INF},
        {"rotation_rank": "1"},
    ],
    ids=str,
)
def test_an_effector_is_refused_by_the_name_of_its_bone(values):
    with pytest.raises(EffectorError, match="hand"):
        Effector("hand", **values)


@pytest.mark.parametrize(
    "values",
    [
        {"method": "MAGIC"},
        {"tolerance": 0.0},
        {"tolerance": NAN},
        {"angle_tolerance": -1.0},
        {"dampening": 0.0},
        {"dampening": INF},
        {"iterations": 0},
        {"restarts": -1},
        {"sweeps": -1},
        {"stabilisation": -1},
        {"iterations": 1.5},
        {"iterations": None},
        {"iterations": "many"},
        {"restarts": 2.0},
        {"sweeps": NAN},
        {"tolerance": None},
        {"tolerance": "fine"},
        {"step_length": "1"},
        {"haste": True},
        {"worth": -1.0},
        {"worth": NAN},
        {"worth": None},
        {"method": None},
        {"kernel": None},
    ],
    ids=str,
)
def test_a_setting_is_refused_by_its_name(values):
    name = next(iter(values)).replace("_", " ")
    with pytest.raises(SettingsError, match=name):
        Settings(**values)


@pytest.mark.parametrize(
    "values",
    [{"pace": 0.0}, {"pace": NAN}, {"slack": 0.0}, {"slack": "soft"}, {"springs": -1}, {"lost": 1.5}],
    ids=str,
)
def test_what_haste_goes_by_is_refused_by_its_name(values):
    with pytest.raises(SettingsError, match=next(iter(values))):
        Haste(**values)


def solve_with(effectors=None, targets=None, pose=None, skeleton=None):
    skeleton = skeleton or chain(3)
    effectors = (end_of(3),) if effectors is None else effectors
    targets = targets or Targets(np.zeros((1, 1, 3)), unturned(1, 1))
    return solve(skeleton, pose or rest_pose(skeleton), effectors, targets)


def test_no_effectors_are_refused():
    with pytest.raises(EffectorError, match="no effectors"):
        solve_with(effectors=(), targets=Targets(np.zeros((1, 0, 3)), unturned(1, 0)))


def test_an_effector_on_a_bone_that_is_not_there_is_named():
    with pytest.raises(SkeletonError, match="ghost"):
        solve_with(effectors=(Effector("ghost"),))


@pytest.mark.parametrize(
    "values",
    [
        {"position_weight": 0.0, "rotation_weight": 0.0},
        {"position_weight": 0.0, "rotation_axes": (0, 0, 0)},
    ],
    ids=str,
)
def test_effectors_that_ask_for_nothing_are_refused(values):
    with pytest.raises(EffectorError, match="weight"):
        solve_with(effectors=(end_of(3, **({"rotation_weight": 1.0} | values)),))


def two(position=(0, 0, 0), rotation=(1, 0, 0, 0), axes=None):
    """Return targets for two effectors, the second as given."""
    return Targets([[[0, 0, 0], position]], [[[1, 0, 0, 0], rotation]], axes)


BAD_AXES = np.stack([np.eye(3), np.full((3, 3), NAN)])[None]


@pytest.mark.parametrize(
    "targets",
    [
        two(position=(0, NAN, 0)),
        two(position=(0, INF, 0)),
        two(rotation=(NAN, 0, 0, 0)),
        two(rotation=(0, 0, 0, 0)),
        two(rotation=(2, 0, 0, 0)),
        two(axes=BAD_AXES),
    ],
    ids=["nan place", "infinite place", "nan rotation", "no rotation", "long quaternion", "nan axes"],
)
def test_a_target_that_cannot_be_used_is_named_by_its_effector(targets):
    with pytest.raises(EffectorError, match=r"bone\.002"):
        solve_with(effectors=(Effector("bone.001"), Effector("bone.002")), targets=targets)


@pytest.mark.parametrize(
    "values",
    [
        {"positions": 1.0},
        {"positions": np.zeros((1, 3))},
        {"positions": np.zeros((1, 1, 2))},
        {"rotations": unturned(2, 1)},
        {"rotations": unturned(1, 2)},
        {"rotations": np.zeros((1, 1, 3))},
        {"axes": np.zeros((1, 1, 3))},
        {"axes": np.zeros((1, 2, 3, 3))},
        {"axes": np.zeros((5, 1, 3, 3))},
    ],
    ids=lambda values: f"{next(iter(values))} {np.shape(next(iter(values.values())))}",
)
def test_targets_of_the_wrong_shape_are_refused(values):
    with pytest.raises(EffectorError, match=r"[Tt]arget"):
        Targets(**({"positions": np.zeros((1, 1, 3)), "rotations": unturned(1, 1)} | values))


def test_targets_and_effectors_must_be_as_many():
    with pytest.raises(EffectorError, match="1 effectors but 2 targets"):
        solve_with(targets=two())


def test_rows_of_poses_and_targets_must_be_as_many(rng):
    with pytest.raises(SkeletonError, match="2 poses but 1 rows of targets"):
        solve_with(pose=rest_pose(chain(3), 2))


def test_rows_of_the_skeleton_must_be_one_or_as_many_as_the_poses(rng):
    skeleton = random_tree(rng, 3, batch=4)
    effectors = (end_of(3),)
    with pytest.raises(SkeletonError, match="4 rows of offsets for 2 poses"):
        solve(skeleton, rest_pose(skeleton, 2), effectors, random_targets(rng, effectors, 2))


def test_a_pose_of_another_skeleton_is_refused():
    with pytest.raises(SkeletonError, match="5 bones, the skeleton 3"):
        solve_with(pose=rest_pose(chain(5)))


def test_a_pose_whose_quaternion_is_zero_is_refused_with_its_bone():
    rotations = np.array(unturned(1, 3))
    rotations[0, 1] = 0
    with pytest.raises(SkeletonError, match=r"bone\.001"):
        solve_with(pose=Pose(rotations, np.zeros((1, 3, 3))))


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ({"offsets": [[[0, 0, 0], [0, 1]]]}, "offsets"),
        ({"offsets": [[[0, 0, 0], [0, "up", 0]]]}, "offsets"),
        ({"offsets": None}, "offsets"),
        ({"rests": [[None, None]]}, "rests"),
        ({"parents": [-1, 0.5]}, "parents"),
        ({"parents": [-1, NAN]}, "parents"),
        ({"parents": ["root", "a"]}, "parents"),
        ({"stiffness": ["soft", 0]}, "stiffness"),
        ({"names": ["a", None]}, "None"),
        ({"names": ["a", 7]}, "7"),
        ({"offsets": [[[0, 0, 0], [0, 1e-160, 0]]]}, "'b'.*less than"),
    ],
    ids=str,
)
def test_bones_that_are_no_numbers_or_none_to_reckon_with_are_refused(values, match):
    given = {
        "names": ["a", "b"],
        "parents": [-1, 0],
        "offsets": [[[0, 0, 0], [0, 1, 0]]],
        "rests": unturned(1, 2),
    }
    with pytest.raises(SkeletonError, match=match):
        Skeleton(**(given | values))


def test_bones_without_any_length_only_turn():
    skeleton = Skeleton(["a", "b"], [-1, 0], np.zeros((1, 2, 3)), unturned(1, 2))
    effector = Effector("b", position_weight=0.0)
    solution = solve(skeleton, rest_pose(skeleton), [effector], Targets([[[0, 0, 0]]], [[[0, 1, 0, 0]]]))
    assert solution.converged.all()


@pytest.mark.parametrize(
    "values", [{"rotations": "x"}, {"rotations": [[[1, 0], [1]]]}, {"translations": None}]
)
def test_a_pose_that_is_no_numbers_is_refused(values):
    with pytest.raises(SkeletonError, match=next(iter(values))):
        Pose(**({"rotations": unturned(1, 2), "translations": np.zeros((1, 2, 3))} | values))


@pytest.mark.parametrize("values", [{"positions": [[["a", 0, 0]]]}, {"rotations": None}, {"axes": "xyz"}])
def test_targets_that_are_no_numbers_are_refused(values):
    with pytest.raises(EffectorError, match=next(iter(values))):
        Targets(**({"positions": np.zeros((1, 1, 3)), "rotations": unturned(1, 1)} | values))


@pytest.mark.parametrize(
    "limit",
    [
        lambda: Hinge("hand", axis=(1, "0", 0)),
        lambda: Hinge("hand", (1, 0, 0), lower=None),
        lambda: Hinge("hand", (1, 0, 0), play="wide"),
        lambda: Cones("hand", (((0, 1, 0), "wide"),)),
        lambda: Ellipse("hand", (1, 1, 1, None)),
        lambda: EulerLimit("hand", "XYZ", [0, 0], "none"),
        lambda: Hinge("hand", (1, 0, 0), cushion=None),
    ],
)
def test_a_limit_that_is_no_numbers_is_refused(limit):
    with pytest.raises(LimitError, match="hand"):
        limit()


@pytest.mark.parametrize(
    "values", [{"rotation": "x"}, {"rotation": None}, {"spread": "wide"}, {"spread": [[1], [1, 2]]}]
)
def test_a_comfort_that_is_no_numbers_is_refused(values):
    with pytest.raises(ComfortError, match="hand"):
        Comfort("hand", **({"rotation": (1, 0, 0, 0)} | values))


def test_every_error_is_a_value_error_of_the_solver():
    for kind in (SkeletonError, EffectorError, SettingsError):
        assert issubclass(kind, SolverError)
        assert issubclass(kind, ValueError)
