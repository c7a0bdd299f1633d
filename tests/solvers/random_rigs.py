# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random skeletons, poses and targets, and the objective written anew, straight from its definition."""

import numpy as np
from scipy.spatial.transform import Rotation

from solvers import Effector, Pose, Request, Settings, Skeleton, Targets, forward
from solvers.geometry.rotations import angle_between
from solvers.problem import make_problem, measure, state_from_pose

FREE, ANCHORED = np.eye(3), np.zeros((3, 3))
DEFAULT = Settings()
SAME = 1e-9  # the promise for other batch sizes, chunks and orders of effectors
MET = 1e-5  # Settings.tolerance and angle_tolerance: shares of the longest path, radians


def quaternions(rng, *shape, spread=None):
    """Uniform rotations or, with ``spread``, rotation vectors normal in each component."""
    vectors = rng.normal(size=(*shape, 3)) * (spread if spread is not None else 1.0)
    if spread is None:
        found = rng.normal(size=(*shape, 4))
        return found / np.linalg.norm(found, axis=-1, keepdims=True)
    return wxyz(Rotation.from_rotvec(vectors.reshape(-1, 3))).reshape(*shape, 4)


def wxyz(rotation):
    return np.roll(rotation.as_quat(), 1, axis=-1)


def scipy_of(found):
    """scipy's Rotation of wxyz quaternions (..., 4)."""
    return Rotation.from_quat(np.roll(np.reshape(found, (-1, 4)), -1, axis=-1))


def matrices(found):
    found = np.asarray(found)
    return scipy_of(found).as_matrix().reshape(*found.shape[:-1], 3, 3)


def random_tree(rng, bones=12, roots=1, branching=0.3, aloof=0.0, freedom=ANCHORED, batch=1, **values):
    """Return a skeleton; ``branching``: the chance that a bone leaves the chain before it, ``aloof``: that it
    does not inherit rotation."""
    parents = [-1] * roots
    for bone in range(roots, bones):
        near = rng.random() > branching and bone > roots
        parents.append(bone - 1 if near else int(rng.integers(bone)))
    offsets = rng.normal(size=(batch, bones, 3)) * 0.6
    free = np.zeros((bones, 3, 3))
    free[:roots] = freedom
    inherits = (rng.random(bones) >= aloof) | (np.array(parents) < 0)
    made = dict(
        names=names(bones), parents=parents, offsets=offsets, rests=quaternions(rng, 1, bones, spread=0.8)
    )
    return Skeleton(**(made | dict(inherits_rotation=inherits, freedom=free) | values))


def names(bones):
    return [f"bone.{number:03}" for number in range(bones)]


def chain(bones, length=1.0, freedom=ANCHORED, **values):
    """Return a straight chain along +Y, ``bones`` of equal length; its end is an offset point of the last."""
    offsets = np.zeros((1, bones, 3))
    offsets[0, 1:, 1] = length / bones
    free = np.zeros((bones, 3, 3))
    free[0] = freedom
    made = dict(names=names(bones), parents=np.arange(bones) - 1, offsets=offsets, rests=unturned(1, bones))
    return Skeleton(**(made | dict(freedom=free) | values))


def end_of(bones, length=1.0, **values):
    """The effector at the end of `chain`, position only unless told."""
    return Effector(names(bones)[-1], **({"offset": (0, length / bones, 0), "rotation_weight": 0.0} | values))


def human(freedom=FREE):
    """Return a figure of 1.75 m: hips, spine, head, arms and legs."""
    heads = {"hips": (None, (0, 0, 0.95))}
    heads |= {
        "spine": ("hips", (0, -0.01, 1.1)),
        "chest": ("spine", (0, 0, 1.25)),
        "neck": ("chest", (0, 0.02, 1.5)),
    }
    heads |= {"head": ("neck", (0, 0, 1.6))}
    for side, x in (("L", 1), ("R", -1)):
        heads |= {
            f"clavicle.{side}": ("chest", (0.03 * x, 0, 1.45)),
            f"arm.{side}": (f"clavicle.{side}", (0.18 * x, 0, 1.43)),
        }
        heads |= {
            f"forearm.{side}": (f"arm.{side}", (0.45 * x, 0.02, 1.42)),
            f"hand.{side}": (f"forearm.{side}", (0.7 * x, 0, 1.4)),
        }
        heads |= {
            f"finger.{side}": (f"hand.{side}", (0.8 * x, 0, 1.4)),
            f"thigh.{side}": ("hips", (0.1 * x, 0, 0.92)),
        }
        heads |= {
            f"shin.{side}": (f"thigh.{side}", (0.1 * x, -0.02, 0.5)),
            f"foot.{side}": (f"shin.{side}", (0.1 * x, 0, 0.08)),
        }
        heads |= {f"toe.{side}": (f"foot.{side}", (0.1 * x, -0.14, 0.02))}
    order = list(heads)
    parents = [-1 if heads[name][0] is None else order.index(heads[name][0]) for name in order]
    places = np.array([heads[name][1] for name in order])
    offsets = np.where(np.array(parents)[:, None] < 0, places, places - places[parents])
    free = np.zeros((len(order), 3, 3))
    free[0] = freedom
    return Skeleton(order, parents, offsets[None], unturned(1, len(order)), freedom=free)


HUMAN_EFFECTORS = tuple(map(Effector, ("hips", "head", "hand.L", "hand.R", "foot.L", "foot.R")))


def unturned(*shape):
    return np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*shape, 4))


def random_pose(rng, skeleton, batch=1, spread=0.5, shift=0.3):
    """Return turned bones and, as far as the roots are free, moved roots."""
    bones = len(skeleton.names)
    moves = np.einsum("nij,bnj->bni", skeleton.freedom, rng.normal(size=(batch, bones, 3)) * shift)
    return Pose(quaternions(rng, batch, bones, spread=spread), moves)


def places(skeleton, pose, effectors):
    """Return rotations (batch, E, 3, 3) and points (batch, E, 3) of the effectors."""
    rotations, heads = forward(skeleton, pose)
    bones = [skeleton.index(effector.bone) for effector in effectors]
    offsets = np.array([effector.offset for effector in effectors], float)
    return rotations[:, bones], heads[:, bones] + np.einsum("beij,ej->bei", rotations[:, bones], offsets)


def targets_at(skeleton, pose, effectors, axes=None):
    """Return targets that the pose meets."""
    rotations, points = places(skeleton, pose, effectors)
    turned = wxyz(Rotation.from_matrix(rotations.reshape(-1, 3, 3))).reshape(*points.shape[:2], 4)
    return Targets(points, turned, axes)


def random_targets(rng, effectors, batch=1, axes=None):
    return Targets(rng.normal(size=(batch, len(effectors), 3)), quaternions(rng, batch, len(effectors)), axes)


def random_effectors(rng, skeleton, count, **values):
    """Return effectors on random bones, the last bone among them, with offset points and uneven weights."""
    bones = [*rng.integers(len(skeleton.names), size=count - 1), len(skeleton.names) - 1]
    return tuple(
        Effector(
            skeleton.names[bone],
            **(
                {
                    "offset": tuple(rng.normal(size=3) * 0.3),
                    "position_weight": float(rng.uniform(0.3, 2)),
                    "rotation_weight": float(rng.uniform(0.3, 2)),
                }
                | values
            ),
        )
        for bone in bones
    )


def objective(skeleton, pose, effectors, targets, arm):
    """Return E (batch,) as defined, one effector after the other; ``arm`` (batch,) or one for all."""
    rotations, points = places(skeleton, pose, effectors)
    total, arm = np.zeros(len(points)), np.broadcast_to(arm, len(points))
    for row in range(len(points)):
        for e, effector in enumerate(effectors):
            axes = targets.axes[row if len(targets.axes) > 1 else 0, e]
            away = axes @ (points[row, e] - targets.positions[row, e])
            turn = matrices(targets.rotations[row, e]).T @ rotations[row, e]
            vector = Rotation.from_matrix(turn).as_quat()[:3]
            weights = effector.rotation_weight * np.array(effector.rotation_axes)
            total[row] += effector.position_weight * away @ away + 4 * arm[row] ** 2 * np.sum(
                weights * vector**2
            )
    return total


def started(skeleton, pose, effectors, targets, settings=DEFAULT):
    """Return problem, state and residual as the solver sees them at the start."""
    problem = make_problem(Request(skeleton, pose, effectors, targets, settings))
    state = state_from_pose(problem, pose)
    return problem, state, measure(problem, state)


def turned_in_armature(skeleton, pose, bone, vector):
    """Return the pose with a bone turned about its head by a vector in armature space, children carried."""
    rotations, _ = forward(skeleton, pose)
    local = matrices(pose.rotations[:, bone])
    frame = rotations[:, bone] @ np.swapaxes(local, -1, -2)
    new = np.swapaxes(frame, -1, -2) @ Rotation.from_rotvec(vector).as_matrix() @ frame @ local
    changed = pose.rotations.copy()
    changed[:, bone] = wxyz(Rotation.from_matrix(new))
    return Pose(changed, pose.translations)


def rotations_apart(a, b):
    """The largest angle between bones of two poses, radians."""
    return angle_between(matrices(a.rotations), matrices(b.rotations)).max()


def reachable(rng, skeleton, effectors, batch, spread=0.4, shift=0.1):
    return targets_at(skeleton, random_pose(rng, skeleton, batch, spread, shift), effectors)
