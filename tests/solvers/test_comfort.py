# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort and soft rims: second to the targets, least among the poses that meet them, never past a limit."""

from dataclasses import replace

import numpy as np
import pytest
from limit_checks import violation
from random_rigs import (
    ANCHORED,
    HUMAN_EFFECTORS,
    chain,
    end_of,
    human,
    quaternions,
    random_pose,
    random_targets,
    scipy_of,
    started,
    targets_at,
    unturned,
)
from scipy.optimize import minimize, nnls

from solvers import (
    Comfort,
    ComfortError,
    Cones,
    Ellipse,
    Hinge,
    Pose,
    SkeletonError,
    Targets,
    rest_pose,
    solve,
)
from solvers.geometry.rotations import (
    quaternion_to_rotation_vector,
    rotation_vector_bends,
    rotation_vector_rates,
    rotation_vector_to_matrix,
    rotation_vector_to_quaternion,
)
from solvers.problem import jacobian, limit_faces, local_rotations
from solvers.steps.posture_cost import posture_cost_model


def spread(rng):
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return axes @ np.diag(rng.uniform(0.1, 0.6, 3) ** 2) @ axes.T


def comforted(rng, skeleton, **values):
    """The skeleton with a random comfort for every bone that is no root."""
    found = quaternions(rng, len(skeleton.names), spread=0.2)
    comforts = [
        Comfort(name, found[b], spread(rng))
        for b, name in enumerate(skeleton.names)
        if skeleton.parents[b] >= 0
    ]
    return replace(skeleton, comforts=tuple(comforts), **values)


def posture_cost(skeleton, pose):
    """Squared standard deviations (batch,), from the definition; beyond three the slope is as at three."""
    total = np.zeros(len(pose))
    for comfort in skeleton.comforts:
        local = scipy_of(pose.rotations[:, skeleton.index(comfort.bone)])
        strays = (scipy_of(comfort.rotation).inv() * local).as_rotvec()
        least = comfort.spread + 0.05**2 * np.eye(3)
        deviations = np.sqrt(np.einsum("bi,ij,bj->b", strays, np.linalg.inv(least), strays))
        total += np.minimum(deviations, 3) ** 2 + 6 * np.maximum(deviations - 3, 0)
    return total


def test_rates_of_rotation_vectors_are_their_derivatives(rng):
    vectors = rng.uniform(-1.5, 1.5, size=(50, 3))
    rates, step = rotation_vector_rates(vectors), 1e-6
    for axis in range(3):
        moved = [
            scipy_of(rotation_vector_to_quaternion(vectors))
            * scipy_of(rotation_vector_to_quaternion(np.tile(sign * step * np.eye(3)[axis], (50, 1))))
            for sign in (1, -1)
        ]
        difference = (moved[0].as_rotvec() - moved[1].as_rotvec()) / (2 * step)
        assert np.allclose(rates[:, :, axis], difference, rtol=0, atol=1e-7)


def test_bends_of_rotation_vectors_are_second_derivatives(rng):
    """Sixth-order differences along turns in the turned frame, of vectors up to almost half a turn."""
    angles = np.append(rng.uniform(0, 3, size=60), [0, 1e-9, 1e-3, 0.039, 0.041])
    vectors, weights, ways = rng.normal(size=(3, 65, 3))
    vectors *= (angles / np.linalg.norm(vectors, axis=-1))[:, None]
    step, turned = 3e-3, scipy_of(rotation_vector_to_quaternion(vectors))

    def at(share):
        turns = scipy_of(rotation_vector_to_quaternion(share * step * ways))
        return np.einsum("ni,ni->n", weights, (turned * turns).as_rotvec())

    pairs = [at(share) + at(-share) - 2 * at(0) for share in (1, 2, 3)]
    bends = (1.5 * pairs[0] - 0.15 * pairs[1] + pairs[2] / 90) / step**2
    wanted = np.einsum("ni,nij,nj->n", ways, rotation_vector_bends(vectors, weights), ways)
    assert np.allclose(bends, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("margin", [None, 0.6])
def test_targets_are_met_as_without_comfort_and_limits_hold(rng, margin):
    skeleton = human()
    if margin:
        limits = tuple(Cones(name, (((0, 1, 0), margin),), -margin, margin) for name in skeleton.names[1:])
        skeleton = replace(skeleton, limits=limits)
    goal = random_pose(rng, skeleton, 40, spread=0.15)
    targets = targets_at(skeleton, goal, HUMAN_EFFECTORS)
    plain = solve(skeleton, rest_pose(skeleton, 40), HUMAN_EFFECTORS, targets)
    eased = comforted(rng, skeleton)
    found = solve(eased, rest_pose(skeleton, 40), HUMAN_EFFECTORS, targets)
    assert plain.converged.all()
    assert found.converged.all()
    assert np.median(posture_cost(eased, found.pose) / posture_cost(eased, plain.pose)) < 0.8
    for limit in skeleton.limits:
        assert violation(limit, found.pose.rotations[:, skeleton.index(limit.bone)]).max() < 1e-9


def test_no_pose_near_by_meets_the_targets_in_more_comfort(rng):
    """A constrained optimiser of scipy's, begun at the result, finds nothing better."""
    skeleton = comforted(rng, chain(5, freedom=ANCHORED))
    effectors = (end_of(5),)
    targets = targets_at(skeleton, random_pose(rng, skeleton, 6, spread=0.4), effectors)
    found = solve(skeleton, rest_pose(skeleton, 6), effectors, targets)
    assert found.converged.all()
    for row in range(6):

        def pose(values, row=row):
            turned = quaternion_to_rotation_vector(found.pose.rotations[row]) + values.reshape(-1, 3)
            return Pose(rotation_vector_to_quaternion(turned)[None], found.pose.translations[row : row + 1])

        def away(values, row=row, pose=pose):
            return (targets_at(skeleton, pose(values), effectors).positions - targets.positions[row])[0, 0]

        result = minimize(
            lambda values, pose=pose: posture_cost(skeleton, pose(values))[0],
            np.zeros(15),
            method="SLSQP",
            constraints={"type": "eq", "fun": away},
            options={"ftol": 1e-12, "maxiter": 200},
        )
        assert result.fun > posture_cost(skeleton, found.pose)[row] * (1 - 1e-3) - 1e-6


KINDS = {
    "none": lambda name: (),
    "cones": lambda name: (Cones(name, (((0.2, 1, 0), 0.5), ((-0.3, 1, 0.2), 0.4)), -0.2, 0.3),),
    "cones with soft rims": lambda name: (Cones(name, (((0.1, 1, 0), 0.5),), -0.3, 0.3, cushion=0.2),),
    "ellipses": lambda name: (Ellipse(name, (0.6, 0.3, 0.2, 0.4), -0.3, 0.2),),
    "hinges": lambda name: (Hinge(name, (1, 0, 0) if int(name[-1]) % 2 else (0, 0, 1), -0.2, 0.5),),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_at_the_end_targets_and_limits_balance_comfort(rng, kind):
    """The conditions of Kuhn and Tucker: no slope is left but what targets take and limits push back."""
    bones = 8
    plain = comforted(rng, chain(bones, freedom=ANCHORED))
    skeleton = replace(plain, limits=tuple(limit for name in plain.names for limit in kind(name)))
    effectors = (end_of(bones),)
    goal = random_pose(rng, skeleton, 20, spread=0.25)
    targets, pressed, left = targets_at(skeleton, goal, effectors), 0, []
    found = solve(skeleton, rest_pose(skeleton, 20), effectors, targets)
    assert found.converged.sum() >= 10
    problem, state, residual = started(skeleton, found.pose, effectors, targets)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    slope = (
        posture_cost_model(problem, state, local, faces)[1][:, :bones] / problem.compliance[:, :bones, None]
    )
    rows = jacobian(problem, state, residual)[:, :3, :bones] / problem.compliance[:, None, :bones, None]
    for row in np.flatnonzero(found.converged):
        bone, face = np.nonzero(faces.room[row] < 1e-6)
        pushes = np.zeros((len(bone), bones, 3))
        pushes[np.arange(len(bone)), bone] = faces.normals[row, bone, face]
        loose = np.broadcast_to(np.eye(3), (bones, 3, 3)) - faces.loose[row]
        walls = np.zeros((bones, 3, bones, 3))
        walls[np.arange(bones), :, np.arange(bones)] = loose
        free = np.concatenate([rows[row].reshape(3, -1), walls.reshape(3 * bones, -1)])
        ways = np.concatenate([free, -free, pushes.reshape(len(bone), 3 * bones)])
        left.append(nnls(ways.T, -slope[row].ravel())[1] / np.linalg.norm(slope[row]))
        pressed += len(bone)
    assert np.quantile(left, 0.85) < 2e-3
    assert np.median(left) < 3e-4
    assert (pressed > 10) == (kind in (KINDS["cones"], KINDS["ellipses"], KINDS["hinges"]))


def test_a_chain_within_limits_is_the_same_there_and_back_and_on_the_way(rng):
    """Every frame from the one before, and each on its own: one pose for one target."""
    bones = 8
    limits = tuple(Cones(name, (((0.1, 1, 0), 0.7),), -0.3, 0.4) for name in chain(bones).names)
    skeleton = replace(chain(bones, limits=limits), comforts=())
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in skeleton.names)
    skeleton = replace(skeleton, comforts=comforts)
    places = np.linspace((0.2, 0.9, 0.1), (0.9, 1.0, -0.4), 25)
    places = np.concatenate([places, places[-2::-1]])[:, None]
    targets = Targets(places, unturned(len(places), 1))
    found = solve(skeleton, rest_pose(skeleton, 49), (end_of(bones),), targets, in_sequence=True)
    alone = solve(skeleton, rest_pose(skeleton, 49), (end_of(bones),), targets)
    assert 5 < found.converged.sum() < 44
    for other in (found.pose.rotations[::-1], alone.pose.rotations):
        assert np.linalg.norm(found.pose.rotations - other, axis=-1).max() < 1e-4


def test_following_takes_few_steps_far_from_comfort_too(rng):
    skeleton = chain(8)
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in skeleton.names)
    skeleton = replace(skeleton, comforts=comforts)
    places = np.linspace((0.5, -0.3, 0.1), (-0.4, -0.3, 0.3), 30)[:, None]
    targets = Targets(places, unturned(30, 1))
    found = solve(skeleton, rest_pose(skeleton, 30), (end_of(8),), targets, in_sequence=True)
    assert found.converged.all()
    assert np.median(found.iterations) <= 8


def test_what_can_be_met_is_met_though_comfort_pulls_the_other_way(rng):
    """Arms stretched but for a hair, which comfort would rather bend at the cost of micrometres."""
    names, rows = chain(8).names, 120
    limits = tuple(Cones(name, (((0, 1, 0), 1.2),), -1, 1) for name in names)
    comforts = tuple(Comfort(name, quaternions(rng, spread=0.7), 0.05) for name in names)
    skeleton = replace(chain(8), limits=limits, comforts=comforts)
    ways = rng.normal(size=(rows, 1, 3)) * (1, 0.3, 1) + (0, 1.5, 0)
    ways /= np.linalg.norm(ways, axis=-1, keepdims=True)
    targets = Targets(ways * (1 - 10 ** rng.uniform(-5, -4.3, size=(rows, 1, 1))), unturned(rows, 1))
    found = solve(skeleton, random_pose(rng, skeleton, rows, spread=0.5), (end_of(8),), targets)
    assert found.converged.mean() >= 0.95


def test_the_pose_depends_on_the_targets_and_not_on_where_it_began(rng):
    skeleton = comforted(rng, human())
    targets = targets_at(skeleton, random_pose(rng, skeleton, 20, spread=0.15), HUMAN_EFFECTORS)
    begun = [random_pose(rng, skeleton, 20, spread=0.1), rest_pose(skeleton, 20)]
    first, second = (solve(skeleton, start, HUMAN_EFFECTORS, targets).pose.rotations for start in begun)
    solved = [b for b, name in enumerate(skeleton.names) if not name.startswith(("finger", "toe"))]
    apart = np.linalg.norm(first - second, axis=-1)[:, solved]
    assert apart.max() < 1e-3


def test_without_a_choice_and_out_of_reach_effectors_stay_where_they_were(rng):
    for skeleton, effectors in ((chain(4), (end_of(4),)), (human(), HUMAN_EFFECTORS)):
        targets = random_targets(rng, effectors, 10)
        far = replace(targets, positions=3 * targets.positions)
        plain = solve(skeleton, rest_pose(skeleton, 10), effectors, far)
        found = solve(comforted(rng, skeleton), rest_pose(skeleton, 10), effectors, far)
        assert (found.rmsd <= plain.rmsd * 1.05 + 1e-9).all()


@pytest.mark.parametrize("limited", [False, True])
def test_out_of_reach_too_the_pose_depends_on_the_targets_alone(rng, limited):
    """And is as near to them as without comfort."""
    skeleton = human()
    if limited:
        limits = tuple(Cones(name, (((0, 1, 0), 0.9),), -0.9, 0.9) for name in skeleton.names[1:])
        skeleton = replace(skeleton, limits=limits)
    eased = comforted(rng, skeleton)
    targets = targets_at(skeleton, random_pose(rng, skeleton, 20, spread=0.15), HUMAN_EFFECTORS)
    far = replace(targets, positions=1.3 * targets.positions)
    plain = solve(skeleton, rest_pose(skeleton, 20), HUMAN_EFFECTORS, far)
    first = solve(eased, plain.pose, HUMAN_EFFECTORS, far)
    second = solve(eased, solve(eased, first.pose, HUMAN_EFFECTORS, targets).pose, HUMAN_EFFECTORS, far)
    assert not first.converged.any()
    assert (first.rmsd <= plain.rmsd * (1 + 1e-4)).all()
    solved = [b for b, name in enumerate(skeleton.names) if not name.startswith(("finger", "toe"))]
    apart = np.linalg.norm(first.pose.rotations - second.pose.rotations, axis=-1)[:, solved].max(axis=1)
    assert np.median(apart) < 1e-3
    assert (apart < 0.02).mean() >= 0.9


def test_a_stiff_bone_strays_less(rng):
    skeleton = chain(4)
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in skeleton.names)
    supple = replace(skeleton, comforts=comforts)
    stiff = replace(supple, stiffness=np.array([0, 0.9, 0, 0]))
    targets = targets_at(skeleton, random_pose(rng, skeleton, 20, spread=0.5), (end_of(4),))
    turns = [
        np.arccos(np.abs(solve(body, rest_pose(body, 20), (end_of(4),), targets).pose.rotations[:, 1, 0]))
        for body in (supple, stiff)
    ]
    assert np.median(turns[1] / turns[0]) < 0.4


@pytest.mark.parametrize("far", [0.5, 3.0])
def test_a_locked_bone_stays_whatever_its_comfort(rng, far):
    comforts = tuple(Comfort(name, quaternions(rng, spread=0.5), 0.3) for name in chain(4).names)
    locked = replace(chain(4), comforts=comforts, stiffness=np.array([0, 1, 0, 1]))
    targets = random_targets(rng, (end_of(4),), 20)
    beyond = Targets(far * targets.positions, targets.rotations)
    pose = random_pose(rng, locked, 20)
    found = solve(locked, pose, (end_of(4),), beyond).pose.rotations
    assert np.abs(found[:, [1, 3]] - pose.rotations[:, [1, 3]]).max() < 1e-12


def planar(cushion):
    """A chain of four that bends about X alone, up to 60 degrees each way."""
    hinges = [Hinge(name, (1, 0, 0), -np.pi / 3, np.pi / 3, cushion) for name in chain(4).names]
    return replace(chain(4), limits=tuple(hinges))


def test_a_soft_rim_keeps_joints_off_the_hard_one_where_others_can_help():
    goal = rest_pose(chain(4)).rotations.copy()
    goal[0] = rotation_vector_to_quaternion([[0.1, 0, 0], [1.04, 0, 0], [0.1, 0, 0], [0.1, 0, 0]])
    pose = Pose(goal, np.zeros((1, 4, 3)))
    targets = targets_at(chain(4), pose, (end_of(4),))
    found = [solve(planar(cushion), pose, (end_of(4),), targets).pose for cushion in (0.0, 0.6)]
    hard, soft = (np.abs(quaternion_to_rotation_vector(pose.rotations)).max() for pose in found)
    assert hard > 1.0
    assert soft < 0.9


def test_a_soft_rim_is_entered_where_the_target_needs_it():
    for angle in np.radians([20, 45, 55, 60]):
        goal = Pose(rotation_vector_to_quaternion(np.tile([angle, 0, 0], (1, 4, 1))), np.zeros((1, 4, 3)))
        effector = (end_of(4, rotation_weight=1.0),)
        targets = targets_at(chain(4), goal, effector)
        found = solve(planar(0.7), rest_pose(chain(4)), effector, targets)
        assert found.converged.all()
        for limit in planar(0.7).limits:
            place = chain(4).index(limit.bone)
            assert violation(limit, found.pose.rotations[:, place]).max() < 1e-9


@pytest.mark.company
def test_rows_are_the_same_in_any_company(rng):
    skeleton = comforted(rng, human())
    targets = targets_at(skeleton, random_pose(rng, skeleton, 7, spread=0.2), HUMAN_EFFECTORS)
    whole = solve(skeleton, rest_pose(skeleton, 7), HUMAN_EFFECTORS, targets).pose
    for row in range(7):
        alone = targets.rows(slice(row, row + 1))
        part = solve(skeleton, rest_pose(skeleton, 1), HUMAN_EFFECTORS, alone).pose
        assert np.allclose(part.rotations[0], whole.rotations[row], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (dict(rotation=(1, 0, 0)), "no rotation"),
        (dict(rotation=(2, 0, 0, 0)), "no rotation"),
        (dict(rotation=(np.nan, 0, 0, 0)), "no rotation"),
        (dict(rotation=(1, 0, 0, 0), spread=np.nan), "spread of 'arm'"),
        (dict(rotation=(1, 0, 0, 0), spread=np.eye(2)), "spread of 'arm'"),
        (dict(rotation=(1, 0, 0, 0), spread=np.diag([1.0, 1.0, -1.0])), "negative"),
    ],
)
def test_bad_comfort_is_refused_by_the_bones_name(values, complaint):
    with pytest.raises(ComfortError, match=complaint):
        Comfort("arm", **values)


def test_comfort_belongs_to_bones_that_are_there_and_once():
    skeleton, comfort = chain(2), Comfort("bone.000", (1, 0, 0, 0))
    with pytest.raises(SkeletonError, match="no bone 'tail'"):
        replace(skeleton, comforts=(Comfort("tail", (1, 0, 0, 0)),))
    with pytest.raises(SkeletonError, match=r"'bone\.000' has more than one comfort"):
        replace(skeleton, comforts=(comfort, comfort))


def test_eased_half_way_is_half_as_far(rng):
    from solvers.posture.comfort import comforts

    chosen = [Comfort("a", quaternions(rng, spread=0.4), spread(rng))]
    group = comforts(chosen, {"a": 0}, np.ones(1), np.ones((1, 1)))
    local = rotation_vector_to_matrix(rng.normal(size=(5, 1, 3)) * 0.5)
    eased = group.eased(local, np.full((5, 1), 0.5))
    assert np.allclose(group.strays(eased), 0.5 * group.strays(local), rtol=0, atol=1e-12)
