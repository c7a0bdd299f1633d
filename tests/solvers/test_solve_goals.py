# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of every kind in a solve: what some pose meets is met, alone and together, within limits too."""

from dataclasses import replace
from math import radians

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, MET, human, matrices, quaternions, random_pose, targets_at, wxyz
from scipy.spatial.transform import Rotation

from solvers import (
    UNSUPPORTED,
    Aim,
    Balance,
    Cones,
    Effector,
    GoalError,
    Hinge,
    Plane,
    Pole,
    RelativeFrame,
    Request,
    Settings,
    SkeletonError,
    Targets,
    forward,
    rest_pose,
    solve,
)
from solvers.pauses import finished
from solvers.problem import make_problem, measure, state_from_pose
from solvers.steps import DescentOptions, descend, levenberg_marquardt_step, step_along_edges

BATCH = 12
HANDS_AND_FEET = ("hand.L", "hand.R", "foot.L", "foot.R")
LIMITS = (
    *(Hinge(f"shin.{side}", (1, 0, 0), radians(-140), radians(5)) for side in "LR"),
    *(Cones(f"thigh.{side}", (((0, 1, 0), radians(80)),), radians(-40), radians(40)) for side in "LR"),
    *(Cones(f"arm.{side}", (((0, 1, 0), radians(90)),), radians(-60), radians(60)) for side in "LR"),
    Cones("spine", (((0, 1, 0), radians(40)),), radians(-30), radians(30)),
)
SKELETONS = {"free": human(), "limited": replace(human(), limits=LIMITS)}
every_skeleton = pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=SKELETONS)


class Scene:
    """A pose that the skeleton can take, and goals that it meets."""

    def __init__(self, rng, skeleton, batch=BATCH):
        self.rng, self.skeleton, self.batch = rng, skeleton, batch
        self.pose = random_pose(rng, skeleton, batch, spread=0.3, shift=0.1)
        if skeleton.limits:
            self.pose = replace(self.pose, rotations=within(skeleton, self.pose.rotations, rng))
        self.rotations, self.heads = forward(skeleton, self.pose)

    def of(self, values, name):
        return values[:, self.skeleton.index(name)]

    def point(self, name, offset=(0.0, 0.0, 0.0)):
        return self.of(self.heads, name) + self.of(self.rotations, name) @ np.array(offset)

    def frames(self, *names):
        """Effectors on the named bones, by default the usual six, and their targets."""
        effectors = tuple(e for e in HUMAN_EFFECTORS if not names or e.bone in names)
        return effectors, targets_at(self.skeleton, self.pose, effectors)

    def relative_frame(self):
        """The right hand, a part of it, beside the left one."""
        offset, to = (0.05, 0.0, 0.01), self.of(self.rotations, "hand.L")
        back = np.swapaxes(to, -1, -2)
        away = self.point("hand.R", offset) - self.point("hand.L")
        turn = Rotation.from_matrix(back @ self.of(self.rotations, "hand.R"))
        apart = np.einsum("bij,bj->bi", back, away)
        return RelativeFrame("hand.R", "hand.L", apart, wxyz(turn), offset=offset)

    def aim(self):
        return Aim("head", axis=(0, -1, 0), at=self.point("head", (0, -2.0, 0)))

    def direction(self):
        return Aim("chest", axis=(1, 0, 1), along=self.of(self.rotations, "chest") @ np.array([1.0, 0, 1]))

    def poles(self):
        """Both elbows towards points, both knees towards directions."""
        limbs = [("arm", "forearm", "hand"), ("thigh", "shin", "foot")]
        return [self.pole(*(f"{part}.{side}" for part in limb)) for limb in limbs for side in "LR"]

    def pole(self, upper, middle, end):
        root, joint, tip = map(self.point, (upper, middle, end))
        out = joint - 0.5 * (root + tip)
        where = {"at": joint + 8 * out} if "arm" in upper else {"along": out}
        return Pole(upper, middle, end, **where)

    def plane(self):
        """A floor, or any other plane, that the nearest of hands, elbows, feet and knees touches."""
        names = (*HANDS_AND_FEET, *(f"{part}.{side}" for part in ("forearm", "shin") for side in "LR"))
        normals = self.rng.normal(size=(self.batch, 3))
        heights = np.min([(normals * self.point(name)).sum(axis=-1) for name in names], axis=0)
        return Plane([(name, (0, 0, 0)) for name in names], normals, heights)

    def masses(self):
        return [(name, (0, 0, 0), mass) for name, mass in (("hips", 30), ("chest", 30), ("head", 5))] + [
            (f"{part}.{side}", (0, 0, 0), 2) for part in ("forearm", "shin", "hand", "foot") for side in "LR"
        ]

    def centre(self):
        weighed = [mass * self.point(name) for name, _, mass in self.masses()]
        return sum(weighed) / sum(mass for _, _, mass in self.masses())

    def balance_at(self):
        return Balance(self.masses(), at=self.centre() + np.array([0.0, 0.0, 5.0]))

    def balance_over(self):
        """Over three corners; the centre of mass is over one of the edges."""
        a, b, c = self.rng.normal(size=(3, self.batch, 3))
        return Balance(
            self.masses(), polygon=np.stack([a, b, c], axis=1) + (self.centre() - (a + b) / 2)[:, None]
        )


def within(skeleton, rotations, rng):
    """Return the rotations with limited bones drawn within their limits."""
    drawn = rotations.copy()
    for limit in skeleton.limits:
        if isinstance(limit, Hinge):
            turn = rng.uniform(limit.lower, limit.upper, (len(drawn), 1)) * limit.axis
            found = Rotation.from_rotvec(turn)
        else:
            (_, radius), lean = limit.cones[0], rng.uniform(-1, 1, (len(drawn), 3)) * (1, 0, 1)
            twist = rng.uniform(limit.lower, limit.upper, (len(drawn), 1)) * (0, 1, 0)
            found = Rotation.from_rotvec(0.7 * radius * lean) * Rotation.from_rotvec(twist)
        drawn[:, skeleton.index(limit.bone)] = wxyz(found)
    return drawn


def goals_of(scene, kind):
    found = getattr(scene, kind)()
    return found if isinstance(found, list) else [found]


# Each kind with the frames that leave it something to do.
KINDS = {
    "relative_frame": ("hips", "head", "hand.L", "foot.L", "foot.R"),
    "aim": HANDS_AND_FEET,
    "direction": HANDS_AND_FEET,
    "poles": (),
    "plane": (),
    "balance_at": ("head", *HANDS_AND_FEET),
    "balance_over": ("head", *HANDS_AND_FEET),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def solved(scene, kind, **values):
    goals = goals_of(scene, kind)
    start = rest_pose(scene.skeleton, scene.batch)
    return solve(scene.skeleton, start, *scene.frames(*KINDS[kind]), goals=goals, **values), goals


@every_kind
@every_skeleton
def test_what_a_pose_meets_is_met(kind, skeleton, rng):
    solution, goals = solved(Scene(rng, skeleton), kind)
    assert solution.converged.mean() >= (1 if not skeleton.limits else 11 / 12)
    assert solution.goals_met.shape == (BATCH, len(goals))
    assert (solution.goals_met.all(axis=1) | ~solution.converged).all()


@every_skeleton
def test_goals_of_all_kinds_are_met_together(skeleton, rng):
    scene = Scene(rng, skeleton)
    kinds = ("relative_frame", "aim", "poles", "plane", "balance_at")
    goals = [goal for kind in kinds for goal in goals_of(scene, kind)]
    start = rest_pose(skeleton, BATCH)
    solution = solve(skeleton, start, *scene.frames("head", "hand.L", "foot.L", "foot.R"), goals=goals)
    assert solution.converged.mean() >= 11 / 12


def test_goals_may_be_all_that_is_asked(rng):
    scene = Scene(rng, human())
    none = Targets(np.zeros((BATCH, 0, 3)), np.zeros((BATCH, 0, 4)))
    goals = [scene.aim(), scene.direction(), scene.balance_at(), *scene.poles()]
    solution = solve(scene.skeleton, rest_pose(scene.skeleton, BATCH), (), none, goals=goals)
    assert solution.converged.all()


@pytest.mark.company
@every_skeleton
def test_rows_with_goals_are_what_they_are_alone(skeleton, rng):
    scene = Scene(rng, skeleton, batch=5)
    goals = [goal for kind in KINDS for goal in goals_of(scene, kind)]
    (effectors, targets), start = scene.frames("head", "foot.L", "foot.R"), rest_pose(skeleton, 5)
    together = solve(skeleton, start, effectors, targets, goals=goals)
    for row in range(5):
        keep = slice(row, row + 1)
        own = [goal.rows(keep) for goal in goals]
        alone = solve(skeleton, start.rows(keep), effectors, targets.rows(keep), goals=own)
        assert (alone.pose.rotations == together.pose.rotations[keep]).all()
        assert (alone.pose.translations == together.pose.translations[keep]).all()
        assert (alone.goal_residuals == together.goal_residuals[keep]).all()


def test_the_order_of_goals_makes_no_difference(rng):
    scene = Scene(rng, human())
    goals = [scene.aim(), *scene.poles(), scene.direction()]
    start, asked = rest_pose(scene.skeleton, BATCH), scene.frames(*HANDS_AND_FEET)
    there, back = (solve(scene.skeleton, start, *asked, goals=some) for some in (goals, goals[::-1]))
    assert np.allclose(there.pose.rotations, back.pose.rotations, atol=1e-6)
    assert np.allclose(there.goal_residuals, back.goal_residuals[:, ::-1], atol=1e-6)


def test_a_goal_of_one_row_is_for_all_rows(rng):
    scene = Scene(rng, human(), batch=3)
    (effectors, targets), start = scene.frames("hips", "foot.L", "foot.R"), rest_pose(scene.skeleton, 3)
    once, often = Aim("head", at=(1, -3, 2)), Aim("head", at=np.tile([1.0, -3, 2], (3, 1)))
    found = [solve(scene.skeleton, start, effectors, targets, goals=[goal]) for goal in (once, often)]
    assert (found[0].pose.rotations == found[1].pose.rotations).all()


def test_what_is_left_is_what_the_pose_shows(rng):
    """With goals out of reach as well."""
    scene = Scene(rng, human())
    far = Aim("head", axis=(0, 1, 0), at=scene.rng.normal(size=(BATCH, 3)) * 3)
    wall = Plane((("hand.L", (0, 0, 0)), ("foot.R", (0, 0, 0))), (0, 1, 0), 0.4)
    solution = solve(
        scene.skeleton,
        rest_pose(scene.skeleton, BATCH),
        *scene.frames(),
        goals=[far, scene.balance_at(), wall],
    )
    rotations, heads = forward(scene.skeleton, solution.pose)
    shown = Scene.__new__(Scene)
    shown.skeleton, shown.rotations, shown.heads = scene.skeleton, rotations, heads
    ways = far.at - shown.point("head")
    cosine = (shown.of(rotations, "head")[..., 1] * ways).sum(axis=-1) / np.linalg.norm(ways, axis=-1)
    assert np.allclose(solution.goal_residuals[:, 0, 1], np.arccos(np.clip(cosine, -1, 1)), atol=1e-6)
    away = (shown.centre() - scene.centre())[:, :2]
    assert np.allclose(solution.goal_residuals[:, 1, 0], np.linalg.norm(away, axis=-1), atol=1e-9)
    beyond = np.maximum(0.4 - np.minimum(shown.point("hand.L"), shown.point("foot.R"))[:, 1], 0)
    assert np.allclose(solution.goal_residuals[:, 2, 0], beyond, atol=1e-9)


def test_a_plane_in_reach_is_never_crossed(rng):
    """The start is on the wrong side."""
    scene = Scene(rng, human(), batch=40)
    (effectors, targets), floor = scene.frames(), scene.plane()
    start = random_pose(rng, scene.skeleton, 40, spread=0.5, shift=0.5)
    solution = solve(scene.skeleton, start, effectors, targets, goals=[floor])
    assert solution.converged.all()
    _, heads = forward(scene.skeleton, solution.pose)
    points = heads[:, [scene.skeleton.index(name) for name, _ in floor.points]]
    length = np.linalg.norm(floor.normals, axis=-1)
    beyond = (floor.heights[:, None] - np.einsum("bi,bpi->bp", floor.normals, points)) / length[:, None]
    assert beyond.max() < 1e-6


def test_a_second_hand_stays_on_what_the_first_one_carries(rng):
    """The first hand goes where its target is, which nothing tells the second."""
    skeleton = human()
    hold = RelativeFrame("hand.R", "hand.L", to_offset=(-0.2, -0.1, 0), rotation_weight=0.0)
    effectors = (Effector("hand.L"), Effector("foot.L"), Effector("foot.R"))
    rest = targets_at(skeleton, rest_pose(skeleton), effectors)
    places = np.repeat(rest.positions, 20, axis=0)
    places[:, 0] = [0.2, -0.3, 1.2] + rng.normal(size=(20, 3)) * 0.1
    turned = np.repeat(rest.rotations, 20, axis=0)
    turned[:, 0] = quaternions(rng, 20, spread=0.4)
    solution = solve(skeleton, rest_pose(skeleton, 20), effectors, Targets(places, turned), goals=[hold])
    assert solution.converged.all()
    rotations, heads = forward(skeleton, solution.pose)
    left, right = (skeleton.index(name) for name in ("hand.L", "hand.R"))
    sword = heads[:, left] + rotations[:, left] @ np.array([-0.2, -0.1, 0])
    assert np.allclose(heads[:, right], sword, atol=MET)
    assert np.allclose(rotations[:, left], matrices(turned[:, 0]), atol=2 * MET)


def test_a_pole_swings_a_nearly_straight_arm_instead_of_stretching_it(rng):
    """The hand comes nearer, the elbow goes behind, wherever the arm was bent to before."""
    skeleton, arm = human(), ("arm.L", "forearm.L", "hand.L")
    behind = Pole(*arm, along=(0, 1, -0.3))
    others = [effector for effector in HUMAN_EFFECTORS if effector.bone != "hand.L"]
    effectors = (*others, Effector("hand.L", rotation_weight=0.0))
    rest = targets_at(skeleton, rest_pose(skeleton), effectors)
    places = np.repeat(rest.positions, BATCH, axis=0)
    places[:, -1] += [-0.1, -0.1, -0.1] + rng.normal(size=(BATCH, 3)) * 0.05
    targets = Targets(places, np.repeat(rest.rotations, BATCH, axis=0))
    solution = solve(skeleton, rest_pose(skeleton, BATCH), effectors, targets, goals=[behind])
    assert solution.converged.all()
    _, heads = forward(skeleton, solution.pose)
    root, elbow, hand = (heads[:, skeleton.index(name)] for name in arm)
    line = (hand - root) / np.linalg.norm(hand - root, axis=-1, keepdims=True)
    out, aside = (
        (way - line * (way * line).sum(axis=-1, keepdims=True))
        for way in (elbow - root, np.array([0, 1, -0.3]))
    )
    cosine = (out * aside).sum(axis=-1) / np.linalg.norm(out, axis=-1) / np.linalg.norm(aside, axis=-1)
    assert (cosine > 0.9999).all()
    assert np.allclose(hand, places[:, -1], atol=MET)


def test_poles_out_of_reach_cost_frames_nothing(rng):
    """Knees bend one way only and thighs twist by 40 degrees: they cannot point backwards everywhere."""
    scene = Scene(rng, SKELETONS["limited"])
    poles = [Pole(f"thigh.{side}", f"shin.{side}", f"foot.{side}", along=(0, 1, 0)) for side in "LR"]
    solution = solve(scene.skeleton, rest_pose(scene.skeleton, BATCH), *scene.frames(), goals=poles)
    assert not solution.goals_met.all()
    assert solution.position_residuals.max() < 2 * MET
    assert solution.rotation_residuals.max() < 2 * MET


def test_a_locked_joint_is_not_swung(rng):
    skeleton = human()
    stiffness = np.where(np.array(skeleton.names) == "shin.L", 1.0, 0.0)
    scene = Scene(rng, skeleton)
    poles = [scene.pole(f"thigh.{side}", f"shin.{side}", f"foot.{side}") for side in "LR"]
    locked, start = replace(skeleton, stiffness=stiffness), rest_pose(skeleton, BATCH)
    pose = solve(locked, start, *scene.frames("hand.L", "foot.R"), goals=poles).pose
    shin = skeleton.index("shin.L")
    assert np.allclose(pose.rotations[:, shin], start.rotations[:, shin], atol=1e-12)


def with_play(rng):
    """A scene of bodies whose knees turn their axes by up to 3 degrees."""
    limits = [replace(limit, play=radians(3)) if isinstance(limit, Hinge) else limit for limit in LIMITS]
    return Scene(rng, replace(human(), limits=limits), batch=150)


def test_poles_are_met_where_knees_have_a_little_play(rng):
    """Where legs are nearly straight the play has more say in where knees lie than their bend."""
    scene = with_play(rng)
    poles = [scene.pole(f"thigh.{side}", f"shin.{side}", f"foot.{side}") for side in "LR"]
    start, settings = rest_pose(scene.skeleton, scene.batch), Settings(restarts=0)
    solution = solve(scene.skeleton, start, *scene.frames(), settings, goals=poles)
    assert solution.converged.all()


def test_joints_let_go_of_narrow_limits_that_a_step_leads_back_from(rng):
    """Of legs with poles, whose knees have a little play, less than half as many end on the way."""
    scene = with_play(rng)
    poles = [scene.pole(f"thigh.{side}", f"shin.{side}", f"foot.{side}") for side in "LR"]
    start = rest_pose(scene.skeleton, scene.batch)
    problem = make_problem(Request(scene.skeleton, start, *scene.frames(), Settings(), tuple(poles)))
    state = state_from_pose(problem, start)
    plain = DescentOptions(levenberg_marquardt_step, 60, progress=0.9, patience=2, damping=0.1)
    missed, less = (
        np.count_nonzero(~finished(descend(problem, state, measure(problem, state), rule)).residual.met)
        for rule in (plain, replace(plain, step=step_along_edges))
    )
    assert 0 < 2 * less < missed


@pytest.mark.parametrize(
    "method", ["TRANSPOSE", pytest.param("PSEUDO_INVERSE", marks=pytest.mark.slow), "DLS", "SDLS"]
)
def test_jacobian_methods_lower_goals_of_every_kind(method, rng):
    scene = Scene(rng, human())
    for kind in KINDS:
        settings = Settings(method=method, iterations=200)
        before = solved(scene, kind, settings=replace(settings, iterations=1))[0]
        after = solved(scene, kind, settings=settings)[0]
        assert (after.rmsd <= before.rmsd).all()
        assert after.rmsd.mean() < 0.5 * before.rmsd.mean()
        assert "goals" not in UNSUPPORTED[method]


@pytest.mark.parametrize("method", ["SWEEP", "CCD", "FABRIK"])
def test_methods_that_ignore_goals_say_so(method, rng):
    scene = Scene(rng, human())
    frames = scene.frames(*HANDS_AND_FEET)
    start, settings = rest_pose(scene.skeleton, BATCH), Settings(method=method)
    without = solve(scene.skeleton, start, *frames, settings)
    given = solve(scene.skeleton, start, *frames, settings, goals=[scene.aim()])
    assert np.allclose(without.pose.rotations, given.pose.rotations, atol=1e-12)
    assert not given.goals_met.any()
    assert "goals" in UNSUPPORTED[method]


@pytest.mark.parametrize(
    ("goals", "error", "said"),
    [
        ([RelativeFrame("hand.L", "head"), RelativeFrame("head", "hand.L")], GoalError, "'hand.L'.*circle"),
        ([Aim("head", at=(0, 0, 1.6))], GoalError, "aim of 'head' is at the bone's own point"),
        ([Aim("nose", at=(0, 0, 1))], SkeletonError, "'nose'"),
        ([Pole("arm.L", "hand.L", "forearm.L", along=(0, 0, 1))], GoalError, "'forearm.L' is not below"),
        ([Aim("head", at=np.ones((2, 3)))], GoalError, "'head' has 2 rows for 3 poses"),
    ],
)
def test_a_goal_that_cannot_be_used_is_refused_by_name(goals, error, said):
    skeleton, effectors = human(), (Effector("hips"),)
    targets = targets_at(skeleton, rest_pose(skeleton, 3), effectors)
    with pytest.raises(error, match=said):
        solve(skeleton, rest_pose(skeleton, 3), effectors, targets, goals=goals)
