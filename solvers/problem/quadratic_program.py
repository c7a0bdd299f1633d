# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The least of a convex quadratic model within the faces of limits, by its dual.

Faces push back on a step that would cross them, and none pulls. With the root X of the inverse Hessian and
normals N, the step under forces f is ``d - X (N X)^T f``. Which faces push is found in rounds: faces that are
crossed are added, faces that would pull are dropped, until there are neither. The first rounds do so all at
once, which takes few rounds but may go in circles; later ones take one face at a time.

Reference: Judice and Pires 1994 (10.1016/0305-0548(94)90106-6), block principal pivoting.
"""

import numpy as np

from ..geometry import Array, Mask, alike, einsum, gram, matvec, solve_definite, vecmat
from .active_set import ROUNDING, TOUCH, LimitFaces

_ROUNDS, _AT_ONCE = 40, 6
# What each face gives way to a unit of force at least: one that no turn leads from pushes in vain.
_FIRM = 1e-12


def step_within_faces(faces: LimitFaces, held: Mask, step: Array, root: Array) -> Array:
    """Return the step (batch, d, 3) that keeps within the faces that are not ``held`` (batch, m, c).

    ``step`` is the least without them, ``root`` (batch, d, 3, r) a root of the inverse Hessian, both along
    what held faces leave; their first m entries are turns, in the units of the faces' normals.
    """
    room = np.where(held, np.inf, np.maximum(faces.room, 0.0))
    return _pushed(faces.normals, room, step, root, np.full(len(step), TOUCH))[0]


def pressed_faces(faces: LimitFaces, downhill: Array, projector: Array, near: float = TOUCH) -> Mask:
    """Return the touched faces (batch, m, c) that a step ``downhill`` (batch, d, 3) presses on in the end.

    Those with no more room than ``near``, radians, count as touched.

    They push back along the ``projector`` (batch, d, 3, 3 d), which leaves ``downhill`` as it is. Its unit is
    anything.
    """
    room = np.where(faces.room <= near, 0.0, np.inf)
    nothing = ROUNDING * np.sqrt(einsum("bni,bni->b", downhill, downhill))
    return _pushed(faces.normals, room, downhill, projector, nothing)[1] > 0


def _pushed(normals: Array, room: Array, step: Array, root: Array, nothing: Array) -> tuple[Array, Array]:
    """Return the step within the room (batch, m, c) along the normals, and their forces (batch, m, c).

    ``nothing`` (batch,): how far beyond it is still within.
    """
    forces, bones = np.zeros(room.shape), room.shape[1]
    made = matvec(normals, step[:, :bones])
    crossing = (made > room + nothing[:, None, None]).any(axis=(-2, -1))
    if not crossing.any():
        return step, forces
    # Rows that judge as many faces are solved together: what a row's system is padded with would tell on it.
    judged, step = np.isfinite(room), step.copy()
    counts = np.where(crossing, np.count_nonzero(judged, axis=(-2, -1)), 0)
    for count in sorted(set(counts[crossing].tolist())):
        rows = (counts == count).nonzero()[0]
        faces = judged[rows]
        levers = (normals[rows] @ root[rows, :bones])[faces].reshape(len(rows), count, -1)
        along, within = (values[rows][faces].reshape(-1, count) for values in (made, room))
        pushing, back = _forces(levers, along, within, nothing[rows, None])
        step[rows] -= matvec(root[rows], back[:, None])
        pushed = np.zeros(faces.shape)
        pushed[faces] = pushing.ravel()
        forces[rows] = pushed
    return step, forces


def _forces(levers: Array, made: Array, room: Array, nothing: Array) -> tuple[Array, Array]:
    """Return how hard each face pushes, (batch, c), so that what is ``made`` towards it is its ``room``.

    And what they push with together along the ways (batch, r) of the ``levers`` (batch, c, r): how far a unit
    of force takes the step along each. ``nothing`` (batch, 1): how far beyond is still within.
    """
    pushing, each = made > room + nothing, np.arange(made.shape[1])
    for count in range(_ROUNDS):
        forces = _balancing(levers, made, room, pushing)
        back = vecmat(forces, levers)
        left = made - matvec(levers, back)
        wrong = np.where(pushing, forces < 0, left > room + nothing)
        if not wrong.any():
            return forces, back
        if count >= _AT_ONCE:
            wrong &= each == (wrong * each).max(axis=1, keepdims=True)
        pushing ^= wrong
    forces = np.maximum(forces, 0.0)
    return forces, vecmat(forces, levers)


def _balancing(levers: Array, made: Array, room: Array, pushing: Mask) -> Array:
    """Return the forces (batch, c) of the faces that are ``pushing``, with which all that is left is room."""
    forces = np.zeros(made.shape)
    for rows, own in alike(pushing):
        at = rows[:, None], own
        if own.size:
            coupling = gram(levers[at])
            diagonal = einsum("bii->bi", coupling)
            diagonal += _FIRM
            forces[at] = solve_definite(coupling, made[at] - room[at])
    return forces
