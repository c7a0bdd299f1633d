# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The least of a convex quadratic model within the faces of limits, by its dual.

Faces push back on a step that would cross them, and none pulls. With the root X of the inverse Hessian and
normals N the step under forces f is ``d - X (N X)^T f``. Which faces push is found by adding those that are
crossed and dropping those that would pull, until there are neither: all at once, which takes few rounds but
may go in circles, and then one at a time.

Reference: Judice and Pires 1994 (10.1016/0305-0548(94)90106-6), block principal pivoting.
"""

import numpy as np
from numpy.typing import NDArray

from ..definite import solve_definite
from ..rotation import Array
from .faces import TOUCH, LimitFaces

_ROUNDS, _AT_ONCE = 40, 6


def pushed_back(faces: LimitFaces, held: NDArray[np.bool_], step: Array, root: Array) -> Array:
    """Return the step (batch, d, 3) that keeps within the faces that are not ``held`` (batch, m, c).

    ``step`` is the least without them, ``root`` (batch, d, 3, r) a root of the inverse Hessian, both along
    what held faces leave; their first m entries are turns, in the units of the faces' normals.
    """
    room = np.where(held, np.inf, np.maximum(faces.room, 0.0))
    return _pushed(faces.normals, room, step, root)[0]


def pressed(faces: LimitFaces, downhill: Array, projector: Array) -> NDArray[np.bool_]:
    """Return the touched faces (batch, m, c) that a step ``downhill`` (batch, d, 3) presses on in the end.

    They push back along the ``projector`` (batch, d, 3, 3 d), which leaves ``downhill`` as it is.
    """
    room = np.where(faces.room <= TOUCH, 0.0, np.inf)
    return _pushed(faces.normals, room, downhill, projector)[1] > 0


def _pushed(normals: Array, room: Array, step: Array, root: Array) -> tuple[Array, Array]:
    """Return the step within the room (batch, m, c) along the normals, and their forces (batch, m, c)."""
    bones, judged = room.shape[1], np.isfinite(room).any(axis=0)
    forces = np.zeros(room.shape)
    made = np.einsum("bnci,bni->bnc", normals, step[:, :bones])[:, judged]
    if not (made > room[:, judged] + TOUCH).any():
        return step, forces
    levers = np.einsum("bnci,bnir->bncr", normals, root[:, :bones])[:, judged]
    coupling = levers @ np.ascontiguousarray(np.swapaxes(levers, -1, -2))
    forces[:, judged] = _forces(coupling, made, room[:, judged])
    push = np.swapaxes(levers, -1, -2) @ forces[:, judged, None]
    return step - (root @ push[:, None])[..., 0], forces


def _forces(coupling: Array, made: Array, room: Array) -> Array:
    """Return how hard each face pushes, (batch, c), so that what is ``made`` towards it is its ``room``.

    ``coupling`` (batch, c, c): how far a unit of force on one face takes the step from another.
    """
    pushing, each = made > room + TOUCH, np.arange(made.shape[1])
    for count in range(_ROUNDS):
        matrix = np.where(pushing[:, :, None] & pushing[:, None], coupling, 0.0)
        matrix[:, each, each] += ~pushing
        forces = solve_definite(matrix, np.where(pushing, made - np.where(pushing, room, 0.0), 0.0))
        left = made - (coupling @ forces[..., None])[..., 0]
        wrong = np.where(pushing, forces < 0, left > room + TOUCH)
        if not wrong.any():
            break
        if count >= _AT_ONCE:
            wrong &= each == (wrong * each).max(axis=1, keepdims=True)
        pushing ^= wrong
    return np.maximum(forces, 0.0)
