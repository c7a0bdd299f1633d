# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of goal from outside, one class, in every place where goals of any kind have to work."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from random_rigs import FREE, human, random_effectors, random_pose, random_tree, targets_at
from scipy.spatial.transform import Rotation

from solvers import Cones, Effector, Hinge, Request, Settings, Targets, forward, solve
from solvers.problem import forward_kinematics, jacobian, loads, make_problem, measure, state_from_pose
from solvers.steps.joint_newton import joint_curvature, joint_derivatives
from solvers.steps.newton import derivatives

SMALL = 1e-4


@dataclass(frozen=True, eq=False)
class OnSphere:
    """A point of a bone on a sphere round a point of another, and as far out along the first one's +Y.

    One class for both parts of the protocol: ``frames`` is a method of a value and an array of a group.
    """

    bones: tuple
    offsets: tuple
    radii: np.ndarray
    aside: np.ndarray
    weights: np.ndarray
    rank: int = 2
    seen: np.ndarray = None
    ranks: np.ndarray = None
    conditions: int = 2

    def check(self, skeleton, batch):
        assert {len(self.radii), len(self.weights), len(self.aside)} <= {1, batch}

    @property
    def frames(self):
        return (
            self.seen if self.seen is not None else lambda: tuple(zip(self.bones, self.offsets, strict=True))
        )

    def rows(self, keep):
        names = ("radii", "aside", "weights")
        return replace(self, **{n: v[keep] for n in names if len(v := getattr(self, n)) > 1})

    @classmethod
    def grouped(cls, goals, frames, arm):
        stacked = {
            name: np.stack(np.broadcast_arrays(*(getattr(goal, name) for goal in goals)), axis=1)
            for name in ("radii", "aside", "weights")
        }
        ranks = np.array([goal.rank for goal in goals])
        return replace(goals[0], seen=frames, ranks=ranks, **stacked)

    def weighed(self, factors):
        return replace(self, weights=self.weights * factors)

    def _apart(self, points):
        apart = points[:, :, 0] - points[:, :, 1]
        return apart, np.linalg.norm(apart, axis=-1)

    def residual(self, points, rotations):
        apart, length = self._apart(points)
        along = np.einsum("bmi,bmi->bm", apart, rotations[:, :, 0, :, 1])
        rows = np.stack([length - self.radii, along - self.aside], axis=-1)
        return np.sqrt(self.weights)[..., None] * rows

    def slopes(self, points, rotations):
        apart, length = self._apart(points)
        axis = rotations[:, :, 0, :, 1]
        out = np.stack([apart / length[..., None], axis], axis=2)
        root = np.sqrt(self.weights)[..., None, None, None]
        turned = np.zeros((*out.shape[:3], 2, 3))
        turned[:, :, 1, 0] = np.cross(axis, apart)
        return root * np.stack([out, -out], axis=3), root * turned

    @classmethod
    def check_together(cls, goals):
        pass

    def refuse(self, points):
        pass

    def held(self, points, length, chosen):
        return self

    def swings(self, points, shares):
        return None

    def met(self, points, rotations, length, angle):
        return self.left(points, rotations)[0] <= length[:, None]

    def left(self, points, rotations):
        rows = (
            self.residual(points, rotations) / np.sqrt(np.where(self.weights > 0, self.weights, 1))[..., None]
        )
        lengths = np.linalg.norm(rows, axis=-1)
        return lengths, np.zeros(lengths.shape)


def on_sphere(rng, names, batch=1, weight=1.0):
    bones = tuple(rng.choice(names, size=2, replace=False).tolist())
    offsets = tuple(map(tuple, rng.normal(size=(2, 3)) * 0.3))
    radii, aside = rng.uniform(0.5, 1.5, size=batch), rng.normal(size=batch) * 0.3
    return OnSphere(bones, offsets, radii, aside, np.full(1, weight))


CASES = {
    "trees": {},
    "chains": {"branching": 0.0},
    "several roots": {"roots": 2, "freedom": FREE},
    "bones that inherit no rotation": {"aloof": 0.5, "freedom": FREE},
    "locked bones": {"stiffness": np.array([0, 1, 0, 0, 1, 0, 0, 1.0])},
}
every_case = pytest.mark.parametrize("values", CASES.values(), ids=list(CASES))


def began(rng, values, effectors=2, goals=2, bones=8):
    skeleton = random_tree(rng, bones, **values)
    chosen = random_effectors(rng, skeleton, effectors) if effectors else ()
    targets = Targets(rng.normal(size=(1, effectors, 3)), np.tile([1.0, 0, 0, 0], (1, effectors, 1)))
    asked = tuple(on_sphere(rng, skeleton.names, weight=w) for w in (1.0, 0.3, 2.0)[:goals])
    pose = random_pose(rng, skeleton)
    problem = make_problem(Request(skeleton, pose, chosen, targets, goals=asked))
    state = state_from_pose(problem, pose)
    return problem, state, measure(problem, state)


def joints_turned(problem, state, step):
    """Return the state after turns of joints (n, 3) and moves of roots (k, 3), armature space."""
    bones = len(problem.tree.bones)
    turns = Rotation.from_rotvec(step[:bones]).as_matrix()
    for bone, joint in enumerate(problem.tree.joints):
        turns[bone] = turns[joint] @ turns[bone] if joint >= 0 else turns[bone]
    translations = state.translations.copy()
    roots = problem.tree.roots
    translations[0, roots] += np.einsum("kij,kj->ki", problem.freedom[roots], step[bones:])
    return forward_kinematics(problem, turns @ state.rotations, translations)


@every_case
@pytest.mark.parametrize("effectors", [0, 2])
def test_rows_of_the_jacobian_follow_from_slopes(rng, values, effectors):
    problem, state, residual = began(rng, values, effectors)
    columns = jacobian(problem, state, residual)[0]
    for way in rng.normal(size=(20, *columns.shape[1:])):
        step = way * problem.compliance[0][:, None]
        after = [measure(problem, joints_turned(problem, state, s * SMALL * step)).vector[0] for s in (1, -1)]
        change = (after[0] - after[1]) / (2 * SMALL)
        assert np.allclose(
            np.einsum("rnj,nj->r", columns, way), change, rtol=0, atol=1e-6 * (1 + np.abs(change).max())
        )


@every_case
@pytest.mark.parametrize("effectors", [0, 2])
def test_gradients_over_joints_and_over_absolute_rotations_agree(rng, values, effectors):
    problem, state, residual = began(rng, values, effectors)
    units = problem.compliance[0].copy()
    over_joints = np.einsum("rnj,r->nj", jacobian(problem, state, residual)[0], residual.vector[0])
    gradient = joint_derivatives(problem, state, residual)[0][0]
    turning = np.flatnonzero(problem.mobility > 0)
    moving = np.append(turning, len(problem.tree.bones) + np.arange(len(problem.tree.roots)))
    units[len(problem.tree.bones) :] = 1.0
    assert np.allclose(
        gradient * units[moving, None], over_joints[moving], rtol=0, atol=1e-11 * np.abs(gradient).max()
    )
    assert len(derivatives(problem, state, residual)[2][0]) == 3 * effectors + 4


@every_case
def test_loads_of_any_goal_bend_as_what_they_pull_on(rng, values):
    """Second differences of points and turns under constant forces and moments, through the generic piece."""
    problem, state, residual = began(rng, values)
    multipliers = np.zeros((1, residual.vector.shape[1]))
    multipliers[:, 12:] = rng.normal(size=(1, 4))
    forces, moments = loads(problem, state, residual, multipliers)
    curvature = joint_curvature(problem, state, forces, moments)[0]
    turning = np.flatnonzero(problem.mobility > 0)

    def pulled(step):
        turned = joints_turned(problem, state, step)
        frames = problem.tree.frames.bones
        by = (
            Rotation.from_matrix(turned.rotations[0, frames])
            * Rotation.from_matrix(state.rotations[0, frames]).inv()
        )
        return np.sum(forces * turned.points) + np.sum(moments * by.as_rotvec())

    for way in rng.normal(size=(20, len(turning), 3)):
        step = np.zeros((len(problem.tree.bones) + len(problem.tree.roots), 3))
        step[turning] = SMALL * way
        bend = (pulled(step) + pulled(-step) - 2 * pulled(0 * step)) / SMALL**2
        wanted = np.einsum("ik,ikjl,jl->", way, curvature, way)
        assert np.isclose(bend, wanted, rtol=0, atol=1e-5 * np.abs(curvature).max() * way.size)


def limited(skeleton, rng):
    """Hinges and cones on every other bone, rest inside."""
    kinds = (
        lambda bone: Hinge(bone, (1, 0, 0), -1.2, 1.2),
        lambda bone: Cones(bone, (((0, 1, 0), 1.2),), -1.0, 1.0),
    )
    return replace(
        skeleton, limits=tuple(kinds[n // 2 % 2](bone) for n, bone in enumerate(skeleton.names) if n % 2)
    )


def met_by(skeleton, pose, goal):
    """Return the goal with the radius and the way along that it has at the pose."""
    rotations, heads = forward(skeleton, pose)
    bones = [skeleton.index(bone) for bone in goal.bones]
    points = heads[:, bones] + np.einsum("beij,ej->bei", rotations[:, bones], np.array(goal.offsets))
    apart = points[:, 0] - points[:, 1]
    aside = np.einsum("bi,bi->b", apart, rotations[:, bones[0], :, 1])
    return replace(goal, radii=np.linalg.norm(apart, axis=-1), aside=aside)


@pytest.mark.parametrize("method", ["SUPERPOSE", "DLS"])
@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("effectors", [(), ("head", "hand.L", "foot.R")])
def test_goals_are_met_beside_targets(rng, effectors, limits, method):
    skeleton = limited(human(), rng) if limits else human()
    pose = random_pose(rng, skeleton, 10, spread=0.3)
    wanted = solve(
        skeleton,
        pose,
        (Effector("hips", rotation_weight=0.0),),
        Targets(np.zeros((10, 1, 3)), np.tile([1.0, 0, 0, 0], (10, 1, 1))),
    ).pose
    chosen = tuple(map(Effector, effectors))
    targets = (
        targets_at(skeleton, wanted, chosen)
        if chosen
        else Targets(np.zeros((10, 0, 3)), np.zeros((10, 0, 4)))
    )
    pairs = (("hand.R", "hips"), ("foot.L", "forearm.R"))
    goals = [OnSphere(pair, ((0, 0.1, 0), (0, 0, 0)), np.ones(1), np.zeros(1), np.ones(1)) for pair in pairs]
    goals = [met_by(skeleton, wanted, goal) for goal in goals]
    start = random_pose(rng, skeleton, 10, spread=0.1)
    found = solve(skeleton, start, chosen, targets, Settings(method=method, iterations=200), goals=goals)
    assert found.goals_met.mean() > (0.98 if method == "SUPERPOSE" else 0.5)
    assert (found.converged == (found.goals_met.all(axis=1) & (found.stopped == "CONVERGED"))).all()


def test_weights_of_a_row_weigh_as_those_of_the_effectors(rng):
    """Targets that contradict each other: what is left is shared by weights, whoever gives them."""
    skeleton = human()
    effectors = tuple(map(Effector, ("head", "hand.L", "foot.R")))
    pose = random_pose(rng, skeleton, 3, spread=0.2)
    at = targets_at(skeleton, pose, effectors)
    targets = Targets(at.positions + rng.normal(size=(3, 3, 3)), at.rotations)
    weights = rng.choice([0.0, 0.25, 1.0, 4.0], size=(3, 3, 2))
    weights[:, 0] = 1.0
    found = solve(skeleton, pose, effectors, replace(targets, weights=weights))
    for row in range(3):
        own = tuple(
            replace(effector, position_weight=position, rotation_weight=rotation)
            for effector, (position, rotation) in zip(effectors, weights[row].tolist(), strict=True)
        )
        alone = solve(skeleton, pose.rows([row]), own, targets.rows([row]))
        assert found.rmsd[row] == pytest.approx(alone.rmsd[0], rel=1e-4)
        # Effectors of no weight at all leave their bones alone, which rows of targets do not say of a bone.
        weighed = weights[row].any(axis=-1)
        left = found.position_residuals[row, weighed], alone.position_residuals[0, weighed]
        assert left[0] == pytest.approx(left[1], abs=1e-3)
