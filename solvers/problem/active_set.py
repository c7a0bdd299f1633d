# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits near a state as flat faces in the space of turns, and steps with an active set of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    Rows,
    cross,
    einsum,
    in_full,
    matvec,
    norm,
    rotation_vector_to_matrix,
    vecmat,
)
from .problem import Problem
from .state import State, local_rotations

ROUNDING = 1e-9  # as a share of the whole pull
TOUCH = 1e-7  # radians
# How often faces that a step would cross are added before what is left is simply snapped back.
_ROUNDS = 3
# Eigenvalues below this, of sums of unit squares, are nothing.
_RANK = 1e-9
_IDENTITY = np.eye(3)
_BEND = 1e-3  # radians, the step of central differences: smaller ones make more of rounding
# Steps along all axes, back, and none.
_AROUND = rotation_vector_to_matrix(_BEND * np.concatenate([_IDENTITY, -_IDENTITY, np.zeros((1, 3))]))


@dataclass(frozen=True, eq=False, slots=True)
class LimitFaces:
    """``normals`` (batch, n, c, 3) of unit length, for turns in armature space; ``room`` (batch, n, c) along
    them, radians; ``loose`` (batch, n, 3, 3): projectors on the turns that joints have at all."""

    normals: Array
    room: Array
    loose: Array

    def rows(self, keep: Rows) -> "LimitFaces":
        """Return the faces of the rows ``keep`` of a batch."""
        return LimitFaces(*(getattr(self, name)[keep] for name in self.__slots__))

    def scaled(self, bones: Indices, units: Array) -> "LimitFaces":
        """Return the faces of ``bones`` for turns in ``units`` (b, bones, 1), radians."""
        normals = self.normals.take(bones, axis=1) * units[..., None]
        return LimitFaces(normals, self.room.take(bones, axis=1), self.loose.take(bones, axis=1))

    def touched(self, downhill: Array) -> Mask:
        """Return the touched faces (batch, n, c) that ``downhill`` (batch, n, 3) leads out of."""
        # What is nothing but rounding leads nowhere.
        least = ROUNDING * np.sqrt(einsum("bni,bni->b", downhill, downhill))[:, None, None]
        outward = einsum("bnci,bni->bnc", self.normals, downhill) > least
        touched: Mask = (self.room <= TOUCH) & outward
        return touched

    def crossed(self, turns: Array) -> Mask:
        """Return the faces (batch, n, c) that the turns (batch, n, 3) would cross."""
        along = einsum("bnci,bni->bnc", self.normals, turns)
        crossed: Mask = along > np.maximum(self.room, 0.0) + TOUCH
        return crossed

    def hold(self, held: Mask) -> tuple[Array, Array]:
        """Return projectors (batch, n, 3, 3) on what the held faces leave free, and the turns up to them."""
        turns = np.zeros(self.loose.shape[:-1])
        if not held.any():
            return self.loose, turns
        free = self.loose.copy()
        at_end, normals = self._pressed(held)
        room = np.where(held, np.maximum(self.room, 0.0), 0.0)[at_end]
        within, turns[at_end] = _split(normals, vecmat(room, normals))
        free[at_end] = within @ free[at_end]
        return free, turns

    def forces(self, held: Mask, downhill: Array) -> Array:
        """Return how hard ``downhill`` (batch, n, 3) presses on each of the held faces, (batch, n, c)."""
        forces = np.zeros(held.shape)
        if not held.any():
            return forces
        at_end, normals = self._pressed(held)
        pressure = matvec(normals, _split(normals, downhill[at_end])[1])
        forces[at_end] = np.maximum(pressure, 0.0)
        return forces

    def _pressed(self, held: Mask) -> tuple[Mask, Array]:
        """Return which joints (batch, n) have held faces, and these faces' normals (joints that do, c, 3)."""
        at_end = np.any(held, axis=-1)
        return at_end, self.normals[at_end] * held[at_end][..., None]


def _split(normals: Array, vectors: Array) -> tuple[Array, Array]:
    """Return projectors (..., 3, 3) on what normals (..., c, 3) leave, and ``(N^T N)^+ vectors``."""
    square = normals.swapaxes(-1, -2) @ normals
    free = _null_projector(square)
    # With what it lacks the square has an inverse, which on its range is its own.
    adjugate, determinant = adjugates(square + free)
    within = vectors - matvec(free, vectors)
    return free, matvec(adjugate, within) / determinant[..., None]


def adjugates(matrices: Array) -> tuple[Array, Array]:
    """Return adjugates and determinants of symmetric matrices (..., 3, 3)."""
    adjugate = cross(matrices.take([1, 2, 0], axis=-2), matrices.take([2, 0, 1], axis=-2))
    return adjugate, einsum("...i,...i->...", matrices[..., 0, :], adjugate[..., 0, :])


def _null_projector(matrices: Array) -> Array:
    """Return the projectors on what positive semi-definite matrices (..., 3, 3) of size one map to nothing.

    Of rank two the adjugate is that projector but for a factor, of rank one the matrix itself is the other.
    """
    adjugate, determinant = adjugates(matrices)
    sums = einsum("...ii->...", matrices)[..., None, None]
    pairs = einsum("...ii->...", adjugate)[..., None, None]
    one, two = sums > _RANK, pairs > _RANK * sums
    three = two & (determinant[..., None, None] > _RANK * pairs)
    free = np.where(two, adjugate, -matrices) / np.where(two, pairs, np.where(one, sums, 1.0))
    return np.where(three, 0.0, np.where(two, free, _IDENTITY + free))


def step_within(
    faces: LimitFaces, held: Mask, compliance: Array, least: Callable[..., Array], *given: Array
) -> Array:
    """Return the step ``least(free, fixed, *given)`` with those faces held that it would otherwise cross.

    ``held`` (batch, n, c): the faces to begin with. Steps are (batch, n + k, 3), in units of ``compliance``
    (b, n + k), turns before translations. ``free`` (batch, n, 3, 3) projects on what held faces leave;
    ``fixed`` (batch, n, 3), in the same units, are the turns up to them. ``given``: rows of the batch.
    """
    batch, bones = held.shape[:2]
    unit = np.broadcast_to(compliance[:, :bones, None], (batch, bones, 1))
    step, rows = np.empty((batch, compliance.shape[1], 3)), np.arange(batch)
    for _ in range(_ROUNDS):
        free, turns = faces.hold(held)
        step[rows] = least(free, turns / np.where(unit > 0, unit, 1.0), *given)
        crossed = faces.crossed(step[rows, :bones] * unit) & ~held
        again = np.any(crossed, axis=(-2, -1))
        if not again.any():
            break
        held, faces, unit = (held | crossed)[again], faces.rows(again), unit[again]
        rows, given = rows[again], tuple(values[again] for values in given)
    return step


def limit_faces(problem: Problem, state: State, local: Array) -> LimitFaces:
    """Return the faces of all limits of the problem at a state with these ``local`` rotations."""
    rooms = [group.room(local.take(group.bones, axis=1)) for group in problem.limits]
    shape = (*local.shape[:2], max((left.shape[-1] for _, left in rooms), default=0))
    normals, room = np.zeros((*shape, 3)), np.full(shape, np.inf)
    loose = in_full(_IDENTITY, local.shape)
    to_bones = state.rotations.swapaxes(-1, -2)
    for group, (own, left) in zip(problem.limits, rooms, strict=True):
        normals[:, group.bones, : left.shape[-1]], room[:, group.bones, : left.shape[-1]] = own, left
        if (axes := group.only_axes()) is not None:
            about = vecmat(axes, to_bones.take(group.bones, axis=1))
            loose[:, group.bones] = about[..., :, None] * about[..., None, :]
    size = np.maximum(norm(normals), 1e-12)
    return LimitFaces((normals / size[..., None]) @ to_bones, room / size, loose)


def pressed_curvature(problem: Problem, state: State, forces: Array) -> Array:
    """Return what bends the objective where joints are pressed on their limits, (batch, n, 3, 3).

    ``forces`` (batch, n, c) times how the faces bend, which is how their normals turn with the joint:
    central differences. In armature space.
    """
    bent = np.zeros(state.rotations.shape)
    if not forces.any():
        return bent
    local = local_rotations(problem, state.rotations)
    each = np.tile(np.arange(len(local)), len(_AROUND))
    for group in problem.limits:
        if not forces.take(group.bones, axis=1).any():
            continue
        here = local.take(group.bones, axis=1)
        around = (here @ _AROUND[:, None, None]).reshape(-1, *here.shape[1:])
        normals = group.rows(each).room(around)[0].reshape(len(_AROUND), *here.shape[:2], -1, 3)
        own, size = normals[:-1].reshape(2, 3, *normals.shape[1:]), np.maximum(norm(normals[-1]), 1e-12)
        pressure = forces.take(group.bones, axis=1)[..., : size.shape[-1]] / size
        bends = einsum("kbmci,bmc->bmik", own[0] - own[1], pressure) / (2 * _BEND)
        rotations = state.rotations.take(group.bones, axis=1)
        bends = rotations @ (0.5 * (bends + bends.swapaxes(-1, -2))) @ rotations.swapaxes(-1, -2)
        bent[:, group.bones] = bends
    return bent
