# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones and effectors are while a batch is being solved, and how far from the targets.

The state is rotations and root translations in armature space; local rotations are read off at the
end. A step is then a product of turns along each chain, in log2(depth) rounds of matrix products.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry import (
    Array,
    Indices,
    matrix_to_quaternion,
    matvec,
    normalised,
    quaternion_to_matrix,
    renormalised,
    rotation_vector_to_matrix,
    vecmat,
)
from ..model import Pose
from .problem import Problem


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """Rotations (batch, n, 3, 3), root translations and heads (batch, n, 3), points (batch, E, 3)."""

    rotations: Array
    translations: Array
    heads: Array
    points: Array

    def rows(self, keep: Array) -> "State":
        """Return the state of the rows ``keep``."""
        return State(self.rotations[keep], self.translations[keep], self.heads[keep], self.points[keep])

    def put(self, rows: Indices, other: "State") -> None:
        """Overwrite ``rows`` with the rows of ``other``."""
        for name in self.__slots__:
            getattr(self, name)[rows] = getattr(other, name)


@dataclass(frozen=True, eq=False, slots=True)
class Residual:
    """What is left: ``position`` (batch, E, 3) in the counted axes, ``rotation`` (batch, E, 4) ``T^T R``.

    ``vector`` (batch, 6 E): its squared length is the objective ``energy`` (batch,). ``met`` (batch,):
    whether every effector is as near to its target as asked for.
    """

    position: Array
    rotation: Array
    vector: Array
    energy: Array
    met: NDArray[np.bool_]

    def rows(self, keep: Array) -> "Residual":
        """Return the residuals of the rows ``keep``."""
        return Residual(*(getattr(self, name)[keep] for name in self.__slots__))

    def put(self, rows: Indices, other: "Residual") -> None:
        """Overwrite ``rows`` with the rows of ``other``."""
        for name in self.__slots__:
            getattr(self, name)[rows] = getattr(other, name)


def copied(value: State | Residual) -> State | Residual:
    """Return a copy whose arrays may be written."""
    return type(value)(*(getattr(value, name).copy() for name in value.__slots__))


def along_chains(rounds: tuple[tuple[Indices, Indices], ...], matrices: Array) -> Array:
    """Return, for each bone, the product of ``matrices`` (batch, n, 3, 3) from its root down to it."""
    product = matrices.copy()
    for children, ancestors in rounds:
        product[:, children] = product.take(ancestors, axis=1) @ product.take(children, axis=1)
    return product


def forward_kinematics(problem: Problem, rotations: Array, translations: Array) -> State:
    """Return the state with these bone rotations (batch, n, 3, 3) and root translations (batch, n, 3)."""
    tree = problem.tree
    arms = matvec(rotations.take(tree.parents, axis=1, mode="wrap"), problem.offsets)
    heads = np.where(tree.is_root, problem.offsets + translations, arms)
    for children, ancestors in tree.head_rounds:
        heads[:, children] += heads.take(ancestors, axis=1)
    points = heads.take(tree.effectors, axis=1) + matvec(
        rotations.take(tree.effectors, axis=1), problem.points
    )
    return State(rotations, translations, heads, points)


def measure(problem: Problem, state: State) -> Residual:
    """Return how far the effectors are from their targets."""
    position = matvec(problem.axes, state.points - problem.goals)
    inverse_goals = np.swapaxes(problem.goal_rotations, -1, -2)
    rotation = matrix_to_quaternion(inverse_goals @ state.rotations.take(problem.tree.effectors, axis=1))
    parts = (problem.position_roots * position, 2 * problem.rotation_roots * rotation[..., 1:])
    vector = np.concatenate(parts, axis=-1).reshape(len(position), 6 * position.shape[1])
    lengths_squared, sines_squared = _squares(problem, position, rotation)
    met = (lengths_squared <= problem.tolerance[:, None] ** 2) & (
        sines_squared <= np.sin(0.5 * problem.angle_tolerance) ** 2
    )
    return Residual(position, rotation, vector, np.einsum("bi,bi->b", vector, vector), met.all(axis=-1))


def pulls(problem: Problem, state: State) -> Array:
    """Return how far and where effectors are pulled, (batch, E, 3): to their targets, as far as axes count.

    ``A (t - p) / m`` with ``A = axes^T axes`` and ``m``, the majorant, no less than its largest eigenvalue:
    getting nearer to ``p`` plus that, with weight ``m``, never raises the objective.
    """
    pull = vecmat(matvec(problem.axes, problem.goals - state.points), problem.axes)
    return pull / np.where(problem.majorants > 0, problem.majorants, 1.0)


def turn_products(problem: Problem, state: State) -> Array:
    """Return ``sum_k c_k x_k y_k^T`` of the effectors' and targets' axes, (batch, E, 3, 3).

    Weighing axis k of the target by c_k makes a turn about axis k count by the sum of the other two.
    """
    weights = 0.5 * problem.rotation_weights.sum(-1, keepdims=True) - problem.rotation_weights
    axes = state.rotations.take(problem.tree.effectors, axis=1) * weights[:, :, None, :]
    return axes @ np.swapaxes(problem.goal_rotations, -1, -2)


def rmsd(problem: Problem, residual: Residual) -> Array:
    """Return the weighted root-mean-square deviation (batch,), a length."""
    turn_weights = problem.rotation_weights.sum(axis=(-2, -1)) / problem.arm**2
    weight = problem.position_weights.sum() + turn_weights
    return np.sqrt(residual.energy / weight)


def residuals(problem: Problem, residual: Residual) -> tuple[Array, Array]:
    """Return lengths (batch, E) in the counted axes and angles (batch, E) about them, radians.

    Zero where the weight is.
    """
    lengths_squared, sines_squared = _squares(problem, residual.position, residual.rotation)
    return np.sqrt(lengths_squared), 2 * np.arcsin(np.minimum(np.sqrt(sines_squared), 1.0))


def _squares(problem: Problem, position: Array, rotation: Array) -> tuple[Array, Array]:
    """Return squared lengths and squared sines of half the angles, (batch, E), of what has weight."""
    vector = rotation[..., 1:] * (problem.rotation_roots > 0)
    counts = problem.position_roots[:, 0] > 0
    return counts * np.einsum("bei,bei->be", position, position), np.einsum("bei,bei->be", vector, vector)


def local_rotations(problem: Problem, rotations: Array) -> Array:
    """Return rotations relative to rest (batch, n, 3, 3) of rotations ``bone_to_armature``."""
    # Order C: a layout that depended on the number of rows would have rounding depend on it.
    unturned = np.array(np.broadcast_to(problem.rests, rotations.shape), order="C")
    for children, parents in problem.tree.turn_rounds[:1]:
        unturned[:, children] = rotations.take(parents, axis=1) @ unturned.take(children, axis=1)
    return np.swapaxes(unturned, -1, -2) @ rotations


def snapped(problem: Problem, rotations: Array, previous: Array | None = None) -> Array:
    """Return the rotations with every bone at its nearest allowed rotation.

    ``previous`` (batch, n, 3, 3): the rotations before the step, allowed, which settle near ties.
    """
    if not problem.limits:
        return rotations
    before = None if previous is None else local_rotations(problem, previous)
    return _allowed(problem, local_rotations(problem, rotations), before)


def turned(problem: Problem, rotations: Array, turns: Array, local: Array | None = None) -> Array:
    """Return the rotations after ``turns`` of the joints, within the limits.

    Turns are rotation vectors (batch, n, 3) in armature space. The rotations before, which are allowed,
    settle near ties; ``local``: the same relative to rest, if they are known.
    """
    if not problem.limits:
        return along_chains(problem.tree.turn_rounds, rotation_vector_to_matrix(turns)) @ rotations
    local = local_rotations(problem, rotations) if local is None else local
    own = vecmat(turns, rotations)  # about the bones' axes
    return _allowed(problem, local @ rotation_vector_to_matrix(own), local)


def _allowed(problem: Problem, local: Array, before: Array | None) -> Array:
    """Return the rotations of bones at the allowed rotations nearest to ``local``, which is overwritten."""
    local[:, problem.unlimited] = renormalised(local.take(problem.unlimited, axis=1))
    for group in problem.limits:
        held = None if before is None else before.take(group.bones, axis=1)
        local[:, group.bones] = group.nearest(local.take(group.bones, axis=1), held)
    return along_chains(problem.tree.turn_rounds, problem.rests @ local)


def comfortable(problem: Problem, state: State, share: Array) -> State:
    """Return the state ``share`` (batch,) of the way to comfort, and joints off the ends of their ranges."""
    if not (problem.limits or problem.has_comfort):
        return state
    local = renormalised(local_rotations(problem, state.rotations))
    bones = problem.comforts.bones
    local[:, bones] = problem.comforts.eased(local.take(bones, axis=1), share[:, None])
    for group in problem.limits:
        local[:, group.bones] = group.comfortable(local.take(group.bones, axis=1), share[:, None])
    return forward_kinematics(
        problem, along_chains(problem.tree.turn_rounds, problem.rests @ local), state.translations
    )


def state_from_pose(problem: Problem, pose: Pose) -> State:
    """Return the state of a pose of the whole skeleton, its quaternions brought to unit length."""
    bones = problem.tree.bones
    local = problem.rests @ quaternion_to_matrix(normalised(pose.rotations.take(bones, axis=1)))
    return forward_kinematics(
        problem, along_chains(problem.tree.turn_rounds, local), pose.translations.take(bones, axis=1)
    )


def pose_from_state(problem: Problem, state: State, start: Pose) -> Pose:
    """Return the pose of the whole skeleton: ``start`` with the solved bones replaced.

    Quaternions keep the sign of the start's.
    """
    bones = problem.tree.bones
    rotations, translations = start.rotations.copy(), start.translations.copy()
    solved = matrix_to_quaternion(local_rotations(problem, state.rotations))
    sign = np.einsum("bni,bni->bn", solved, rotations.take(bones, axis=1)) < 0
    rotations[:, bones] = np.where(sign[..., None], -solved, solved)
    translations[:, bones] = state.translations
    return Pose(rotations, translations)
