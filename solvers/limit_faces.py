# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits near a state as flat faces in the space of turns, for an active set."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .problem import Problem
from .rotation import Array, norm
from .state import State, local_rotations

_TOUCH = 1e-7  # radians
_FACES = 6  # the most that a kind of limit has


@dataclass(frozen=True, eq=False, slots=True)
class LimitFaces:
    """``normals`` (batch, n, c, 3) of unit length, for turns in armature space; ``room`` (batch, n, c) along
    them, radians; ``both`` (n, c): faces that hold both ways."""

    normals: Array
    room: Array
    both: NDArray[np.bool_]

    def touched(self, downhill: Array) -> NDArray[np.bool_]:
        """Return the touched faces (batch, n, c) that ``downhill`` (batch, n, 3) leads out of."""
        outward = np.einsum("bnci,bni->bnc", self.normals, downhill) > 0
        return self.both | ((self.room <= _TOUCH) & outward)

    def crossed(self, turns: Array) -> NDArray[np.bool_]:
        """Return the faces (batch, n, c) that the turns (batch, n, 3) would cross."""
        return np.einsum("bnci,bni->bnc", self.normals, turns) > np.maximum(self.room, 0.0) + _TOUCH

    def hold(self, held: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return projectors (batch, n, 3, 3) on what the held faces leave free, and the turns up to them."""
        normals = self.normals * held[..., None]
        values, vectors = np.linalg.eigh(np.swapaxes(normals, -1, -2) @ normals)
        loose = values < 1e-9
        free = (vectors * loose[..., None, :]) @ np.swapaxes(vectors, -1, -2)
        inverse = np.where(loose, 0.0, 1.0 / np.where(loose, 1.0, values))
        room = np.where(held, np.maximum(np.where(held, self.room, 0.0), 0.0), 0.0)
        wanted = np.einsum("bnc,bnci->bni", room, normals)
        fixed = vectors @ (inverse[..., None] * (np.swapaxes(vectors, -1, -2) @ wanted[..., None]))
        return free, fixed[..., 0]


def limit_faces(problem: Problem, state: State) -> LimitFaces:
    """Return the faces of all limits of the problem at a state."""
    local = local_rotations(problem, state.rotations)
    shape = (*local.shape[:2], _FACES)
    normals, room = np.zeros((*shape, 3)), np.full(shape, np.inf)
    both = np.zeros(shape[1:], bool)
    for group in problem.limits:
        own, left, fixed = group.room(local[:, group.bones])
        size = np.maximum(norm(own), 1e-12)
        turned = state.rotations[:, group.bones, None] @ (own / size[..., None])[..., None]
        normals[:, group.bones, : left.shape[-1]] = turned[..., 0]
        room[:, group.bones, : left.shape[-1]] = left / size
        both[group.bones, : left.shape[-1]] = fixed
    return LimitFaces(normals, room, both)
