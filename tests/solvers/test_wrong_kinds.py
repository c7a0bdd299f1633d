# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Things of the wrong kind, and things that do not belong together, are refused by the solver's own errors.

None is an exception of Python's from somewhere within, and none is taken for something else.
"""

from functools import partial

import numpy as np
import pytest
from random_rigs import chain, end_of, unturned

from solvers import (
    Aim,
    Balance,
    Comfort,
    Cones,
    Effector,
    Ellipse,
    EulerLimit,
    Hinge,
    OneWay,
    Patience,
    Place,
    Plane,
    Pole,
    Pose,
    RelativeFrame,
    Request,
    Settings,
    Skeleton,
    SolverError,
    Targets,
    Twist,
    find_jumps,
    forward,
    in_pose,
    joints_at_limits,
    learn_comforts,
    learn_limits,
    prepare,
    qcp_rmsd,
    rest_pose,
    solve,
    solve_clip,
    solve_clip_in_parts,
    twists_beside,
    with_lag,
    with_opposition_told,
    with_shared_twists,
)
from solvers.keys import Bound
from solvers.pauses import finished

FRAMES = 4
WRONG = {
    "nothing": None,
    "text": "hand",
    "complex": 1j,
    "several": [1.0, 2.0],
    "none of several": np.zeros(0),
    "ragged": [[1], [1, 2]],
    "objects": np.array([None, 1], dtype=object),
    "a mapping": {"a": 1},
    "a table": np.zeros((2, 2)),
    "nan": float("nan"),
    "a thing": object(),
}
LIMB = {"upper": "bone", "middle": "bone.001", "end": "bone.002"}
# What makes each thing, a value that it takes, and which of its fields are to be anything else.
MADE = {
    "aim": (
        Aim,
        {"bone": "hand", "axis": (0, 1, 0), "offset": (0, 0, 0), "at": (0, 3, 3), "weight": 1.0},
        (),
    ),
    "pole": (Pole, LIMB | {"along": (0, 0, 1), "weight": 1.0, "weights": [1.0]}, LIMB),
    "place": (Place, {"bone": "hand", "positions": (0, 1, 0), "axes": np.eye(3), "weight": 1.0}, ()),
    "plane": (Plane, {"points": [("hand", (0, 0, 0))], "normals": (0, 0, 1), "weight": 1.0}, ()),
    "balance": (Balance, {"masses": [("hand", (0, 0, 0), 1.0)], "at": (0, 0, 0), "level": np.eye(3)[:2]}, ()),
    "frame": (
        RelativeFrame,
        {"bone": "hand", "to_bone": "b", "offset": (0, 0, 0), "position_weight": 1.0, "to_offset": (0, 0, 0)},
        ("to_bone",),
    ),
    "hinge": (Hinge, {"bone": "hand", "axis": (1, 0, 0), "lower": 0.0, "cushion": 0.1, "play": 0.1}, ()),
    "cones": (Cones, {"bone": "hand", "cones": (((0, 1, 0), 0.5),), "upper": 1.0, "limb": (0, 1, 0)}, ()),
    "ellipse": (Ellipse, {"bone": "hand", "radii": (1, 1, 1, 1), "lower": 0.0, "cushion": 0.1}, ()),
    "euler": (EulerLimit, {"bone": "hand", "order": "XYZ", "lower": (0, 0, 0), "upper": (1, 1, 1)}, ()),
    "comfort": (Comfort, {"bone": "hand", "rotation": (1, 0, 0, 0)}, ()),
    "way": (OneWay, {"limb": (0, 1, 0), "towards": (0, 0, 1)}, ()),
    "settings": (Settings, {"gradual": (3,), "iterations": 5}, ()),
    "patience": (Patience, {"steps": 5, "level": 0.1, "still": 0.0}, ()),
    "bound": (Bound, {"distance": 0.1, "angle": 0.1, "shell": 0.1}, ()),
    "learned": (learn_limits, {"names": ["a", "b"], "rotations": unturned(5, 2), "margin": 0.1}, ()),
    "comforts": (learn_comforts, {"names": ["a", "b"], "rotations": unturned(5, 2), "outliers": 0.1}, ()),
    "deviation": (qcp_rmsd, {"covariance": np.eye(3), "squares": 6.0, "weights": 1.0}, ()),
}
FIELDS = [
    (of, name) for of, (_, values, but) in MADE.items() for name in values if name not in ("bone", *but)
]
FINE = {("settings", "gradual", "none of several"), ("pole", "weights", "several")}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(("of", "name"), FIELDS)
def test_a_value_of_the_wrong_kind_is_refused(of, name, wrong):
    make, values, _ = MADE[of]
    make(**values)
    if (of, name, wrong) not in FINE:
        with pytest.raises(SolverError):
            make(**(values | {name: WRONG[wrong]}))


ARM, HAND = chain(3), end_of(3)
TARGETS = Targets(np.zeros((FRAMES, 1, 3)), unturned(FRAMES, 1))
ASKED = {"skeleton": ARM, "pose": rest_pose(ARM, FRAMES), "effectors": [HAND], "targets": TARGETS}


@pytest.mark.parametrize("ask", [solve, solve_clip], ids=["frames", "a clip"])
@pytest.mark.parametrize("name", [*ASKED, "settings", "goals"])
@pytest.mark.parametrize("wrong", [*(set(WRONG) - {"a mapping", "none of several"}), "itself alone"])
def test_what_is_asked_of_the_wrong_kind_is_refused_by_what_it_is(ask, name, wrong):
    several = {"effectors": HAND, "goals": Aim("bone", at=(0, 0, 3))}
    alone = several.get(name, [ASKED.get(name)])
    with pytest.raises(SolverError, match=name.removesuffix("s")):
        ask(**(ASKED | {name: WRONG.get(wrong, alone)}))


@pytest.mark.parametrize("wrong", [HAND, "hand", None, 1.0, ["hand"], [None]], ids=str)
def test_what_is_prepared_of_the_wrong_kind_is_refused(wrong):
    with pytest.raises(SolverError, match="effectors"):
        prepare(ARM, wrong)
    with pytest.raises(SolverError, match="skeleton"):
        prepare(wrong, [HAND])


def test_nothing_is_prepared_of_nothing():
    with pytest.raises(SolverError, match="There are no effectors"):
        prepare(ARM, [])
    assert prepare(ARM, [], goals=[Aim(ARM.names[1], at=(0, 0, 3))]).frames


@pytest.mark.parametrize("what", ["limits", "comforts", "twists"])
@pytest.mark.parametrize("wrong", [None, 1.0, "hand", Hinge("bone", (1, 0, 0)), [HAND], ["bone"]], ids=str)
def test_what_bones_have_of_the_wrong_kind_is_refused(what, wrong):
    with pytest.raises(SolverError, match=what):
        Skeleton(["bone"], [-1], np.zeros((1, 1, 3)), unturned(1, 1), **{what: wrong})


@pytest.mark.parametrize("share", [None, "half", float("nan"), [0.5]], ids=str)
def test_shares_that_are_none_are_refused(share):
    twist = Twist(ARM.names[1], share, ARM.names[0], ARM.names[2], at_end=False, carries=True)
    with pytest.raises(SolverError, match=r"share of twist of 'bone\.001'"):
        Skeleton(ARM.names, ARM.parents, ARM.offsets, ARM.rests, twists=[twist])
    with pytest.raises(SolverError, match="share"):
        ARM.drawn_to(rest_pose(ARM), share=share)


@pytest.mark.parametrize("name", [["bone"], None, 7], ids=str)
def test_names_that_are_no_text_are_refused(name):
    with pytest.raises(SolverError, match="name of a bone must be text"):
        Skeleton([name], [-1], np.zeros((1, 1, 3)), unturned(1, 1))
    with pytest.raises(SolverError, match="no bone"):
        solve(**(ASKED | {"effectors": [Effector(name)]}))


def other_rows(count, bones=3):
    return rest_pose(chain(bones), count)


REQUEST = Request(**ASKED)
FOUND = solve(**ASKED)
ELSEWHERE = {
    "with_lag": partial(with_lag, speeds=np.ones(3), seconds=0.1),
    "with_opposition_told": with_opposition_told,
    "with_shared_twists": with_shared_twists,
    "find_jumps": lambda *of: finished(find_jumps(*of)),
    "in_pose": lambda *of: in_pose(*of, REQUEST.pose),
}


@pytest.mark.parametrize("function", ELSEWHERE.values(), ids=ELSEWHERE)
@pytest.mark.parametrize("rows", [slice(1), slice(1, FRAMES)])
def test_a_solution_of_other_rows_is_refused(function, rows):
    function(REQUEST, FOUND)
    with pytest.raises(SolverError, match="4 of 3 were asked for"):
        function(REQUEST, FOUND.rows(rows))


@pytest.mark.parametrize("pose", [other_rows(FRAMES, 5), other_rows(FRAMES, 1), None, np.zeros((4, 3, 4))])
def test_a_pose_of_another_skeleton_is_refused(pose):
    limited = Skeleton(
        ARM.names, ARM.parents, ARM.offsets, ARM.rests, limits=[Hinge(ARM.names[0], (1, 0, 0))]
    )
    for function in (forward, joints_at_limits, partial(twists_beside, but=()), Skeleton.drawn_to):
        with pytest.raises(SolverError, match="pose"):
            function(limited, pose)
    with pytest.raises(SolverError, match="pose"):
        in_pose(REQUEST, FOUND, pose)
    with pytest.raises(SolverError, match="pose"):
        with_lag(REQUEST, FOUND, np.ones(3), 0.1, pose if pose is not None else other_rows(2))


def test_a_rotation_of_no_length_is_nowhere():
    with pytest.raises(SolverError, match="has a rotation of length zero"):
        forward(ARM, Pose(np.zeros((1, 3, 4)), np.zeros((1, 3, 3))))


@pytest.mark.parametrize("batch", [-1, 1.5, None, "1", [1]], ids=str)
def test_a_batch_that_is_none_is_refused(batch):
    with pytest.raises(SolverError, match="batch"):
        rest_pose(ARM, batch)


@pytest.mark.parametrize("name", ["stays", "begins"])
@pytest.mark.parametrize("rows", [[True], [0, 1, 0, 1], np.ones((4, 1), bool), "all", [[True], []]], ids=str)
def test_frames_that_are_no_mask_are_refused(name, rows):
    with pytest.raises(SolverError, match=f"'{name}' must be true or false for each of the 4 frames"):
        finished(solve_clip_in_parts(REQUEST, **{name: rows}))
    finished(solve_clip_in_parts(REQUEST, **{name: [True, False, False, True]}))


@pytest.mark.parametrize("smoothness", WRONG.values(), ids=WRONG)
def test_a_smoothness_that_is_no_number_is_refused(smoothness):
    with pytest.raises(SolverError, match="smoothness"):
        solve_clip(**ASKED, smoothness=smoothness)


@pytest.mark.parametrize("values", [{"speeds": [0.1] * 3}, {"seconds": np.float32(0.1)}], ids=str)
def test_speeds_may_be_any_numbers(values):
    asked = {"speeds": np.full(3, 0.1), "seconds": 0.1}
    found = [with_lag(REQUEST, FOUND, **given).pose.rotations for given in (asked, asked | values)]
    assert np.allclose(*found, atol=1e-6)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("name", ["speeds", "seconds"])
def test_speeds_that_are_no_numbers_are_refused(name, wrong):
    with pytest.raises(SolverError):
        with_lag(REQUEST, FOUND, **({"speeds": np.ones(3), "seconds": 0.1} | {name: wrong}))
