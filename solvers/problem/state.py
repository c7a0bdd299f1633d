# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones and carried frames are while a batch is being solved.

The state is rotations and root translations in armature space; local rotations are read off at the
end. A step is then a product of turns along each chain, in log2(depth) rounds of matrix products.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import (
    Array,
    Rows,
    einsum,
    entries_first,
    entries_last,
    matrix_to_quaternion,
    matvec,
    normalised,
    quaternion_to_matrix,
    renormalised,
    rotation_vector_to_matrix,
    small_product,
    vecmat,
)
from ..model import Pose, Tree
from .problem import Problem


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """Rotations (batch, n, 3, 3), root translations and heads (batch, n, 3), points (batch, F, 3)."""

    rotations: Array
    translations: Array
    heads: Array
    points: Array

    def rows(self, keep: Rows) -> "State":
        """Return the state of the rows ``keep``."""
        return State(self.rotations[keep], self.translations[keep], self.heads[keep], self.points[keep])

    def put(self, rows: Rows, other: "State") -> None:
        """Overwrite ``rows`` with the rows of ``other``."""
        for name in self.__slots__:
            getattr(self, name)[rows] = getattr(other, name)


def _along_chains(tree: Tree, entries: Array) -> Array:
    """Return, for each bone, the product of matrices (3, 3, n, batch) from its root down to it, in place."""
    for children, ancestors in tree.turn_rounds:
        above, own = entries.take(ancestors, axis=2), entries.take(children, axis=2)
        entries[:, :, children] = small_product(above, own)
    return entries


def turned_with_children(tree: Tree, rotations: Array, turns: Array) -> Array:
    """Return the rotations (batch, n, 3, 3) after ``turns`` alike in armature space, each of all below it."""
    turning = _along_chains(tree, entries_first(turns))
    return entries_last(small_product(turning, entries_first(rotations)))


def rotations_of_local(problem: Problem, local: Array) -> Array:
    """Return the rotations of bones (batch, n, 3, 3) whose ``local`` ones are relative to rest."""
    entries = small_product(entries_first(problem.rests), entries_first(local))
    return entries_last(_along_chains(problem.tree, entries))


def forward_kinematics(problem: Problem, rotations: Array, translations: Array) -> State:
    """Return the state with these bone rotations (batch, n, 3, 3) and root translations (batch, n, 3)."""
    tree = problem.tree
    arms = matvec(rotations.take(tree.parents, axis=1, mode="wrap"), problem.offsets)
    heads = np.where(tree.is_root, problem.offsets + translations, arms)
    for children, ancestors in tree.head_rounds:
        heads[:, children] += heads.take(ancestors, axis=1)
    points = heads.take(tree.frames.bones, axis=1) + matvec(
        rotations.take(tree.frames.bones, axis=1), problem.points
    )
    return State(rotations, translations, heads, points)


def local_rotations(problem: Problem, rotations: Array) -> Array:
    """Return rotations relative to rest (batch, n, 3, 3) of rotations ``bone_to_armature``."""
    turned, rests = entries_first(rotations), entries_first(problem.rests)
    unturned = np.empty_like(turned)
    unturned[...] = rests
    for children, parents in problem.tree.turn_rounds[:1]:
        unturned[:, :, children] = small_product(turned.take(parents, axis=2), rests.take(children, axis=2))
    return entries_last(small_product(unturned.swapaxes(0, 1), turned))


def snapped(problem: Problem, rotations: Array, previous: Array | None = None) -> Array:
    """Return the rotations with every bone at its nearest allowed rotation.

    ``previous`` (batch, n, 3, 3): the rotations before the step, allowed, which settle near ties.
    """
    if not problem.limits:
        return rotations
    before = None if previous is None else local_rotations(problem, previous)
    return _allowed(problem, local_rotations(problem, rotations), before)


def within_limits(problem: Problem, state: State) -> State:
    """Return the state with every joint at its nearest allowed rotation."""
    if not problem.limits:
        return state
    return forward_kinematics(problem, snapped(problem, state.rotations), state.translations)


def turned(problem: Problem, rotations: Array, turns: Array, local: Array | None = None) -> Array:
    """Return the rotations after ``turns`` of the joints, within the limits.

    Turns are rotation vectors (batch, n, 3) in armature space. The rotations before, which are allowed,
    settle near ties; ``local``: the same relative to rest, if they are known.
    """
    if not problem.limits:
        return turned_with_children(problem.tree, rotations, rotation_vector_to_matrix(turns))
    local = local_rotations(problem, rotations) if local is None else local
    own = vecmat(turns, rotations)  # about the bones' axes
    return _allowed(problem, local @ rotation_vector_to_matrix(own), local)


def _allowed(problem: Problem, local: Array, before: Array | None) -> Array:
    """Return the rotations of bones at the allowed rotations nearest to ``local``."""
    local = renormalised(local)
    for group in problem.limits:
        held = None if before is None else before.take(group.bones, axis=1)
        local[:, group.bones] = group.nearest(local.take(group.bones, axis=1), held)
    return rotations_of_local(problem, local)


def comfortable(problem: Problem, state: State, share: Array) -> State:
    """Return the state ``share`` (batch,) of the way to comfort, and joints off the ends of their ranges.

    What is locked stays.
    """
    if not (problem.limits or problem.has_comfort):
        return state
    local = renormalised(local_rotations(problem, state.rotations))
    bones = problem.comforts.bones
    turns = problem.mobility[bones] > 0
    eased = problem.comforts.eased(local.take(bones, axis=1), share[:, None])
    local[:, bones[turns]] = eased[:, turns]
    for group in problem.limits:
        local[:, group.bones] = group.comfortable(local.take(group.bones, axis=1), share[:, None])
    return forward_kinematics(problem, rotations_of_local(problem, local), state.translations)


def state_from_pose(problem: Problem, pose: Pose) -> State:
    """Return the state of a pose of the whole skeleton, its quaternions brought to unit length."""
    bones = problem.tree.bones
    rotations, translations = (values.take(bones, axis=1) for values in (pose.rotations, pose.translations))
    local = quaternion_to_matrix(normalised(rotations))
    return forward_kinematics(problem, rotations_of_local(problem, local), translations)


def pose_from_state(problem: Problem, state: State, start: Pose) -> Pose:
    """Return the pose of the whole skeleton: ``start`` with the solved bones replaced.

    Quaternions keep the sign of the start's.
    """
    bones = problem.tree.bones
    rotations, translations = start.rotations.copy(), start.translations.copy()
    solved = matrix_to_quaternion(local_rotations(problem, state.rotations))
    sign = einsum("bni,bni->bn", solved, rotations.take(bones, axis=1)) < 0
    rotations[:, bones] = np.where(sign[..., None], -solved, solved)
    translations[:, bones] = state.translations
    for values in (rotations, translations):  # a pose takes them as they are, then
        values.setflags(write=False)
    return Pose(rotations, translations)


def allowed_pose(problem: Problem, pose: Pose) -> Pose:
    """Return the pose with every joint that is solved at its nearest allowed rotation."""
    return pose_from_state(problem, within_limits(problem, state_from_pose(problem, pose)), pose)
