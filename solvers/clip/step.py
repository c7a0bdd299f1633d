# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Gauss-Newton step of a whole clip, within limits.

Of the clip's acceleration the second differences of the ways count, of posture what posture_cost.py has.
Limits are an active set (problem/active_set.py) whose held faces are stiff springs: a face that would pull
is let go.

Reference: Levenberg 1944 (10.1090/qam/10666), with a damping for each frame.
"""

import numpy as np

from ..geometry import Array, Mask
from ..pauses import Pausing
from ..problem import LimitFaces, jacobian, limit_faces
from ..steps import posture_cost_model
from .elimination import second_differences
from .objective import believed_changes, change_gradient, stray_model
from .places import Place
from .system import System, make_system
from .ways import Ways

# How often faces that a step would cross are added before what is left is snapped back.
_ROUNDS = 3
# What a held face weighs, per square unit of compliance, and the least that any way does.
_STIFF, _LEAST = 1e6, 1e-2


def clip_step(
    here: Place, ways: Ways, held: Mask | None, damping: Array
) -> Pausing[tuple[Array, Mask | None]]:
    """Return the step (batch, n + k, 3), in units of compliance, and the faces that it presses on.

    ``held`` (batch, n, c): the faces of limits that the step before pressed on; None of the first step.
    ``damping`` (batch,).
    """
    problem, bones = here.clip.problem, len(here.clip.problem.mobility)
    faces = limit_faces(problem, here.state, here.motion.local) if problem.limits else None
    directions = ways.directions(here.state)
    system = _model(here, ways, faces, directions, damping)
    if faces is None:
        return ways.step(directions, (yield from system.solution())), None
    units = problem.compliance[:, :bones, None]
    held = np.zeros(faces.room.shape, bool) if held is None else held
    for _ in range(_ROUNDS):
        added, pushed = _springs(ways, faces, held, units, directions)
        lengths = yield from system.pressed(added, pushed).solution()
        step = ways.step(directions, lengths)
        made = np.einsum("bnci,bni->bnc", faces.normals, step[:, :bones] * units)
        pressing, crossed = held & (made > faces.room), faces.crossed(step[:, :bones] * units) & ~held
        held = held | crossed
        if not crossed.any():
            break
    return step, pressing | crossed


def _model(here: Place, ways: Ways, faces: LimitFaces | None, directions: Array, damping: Array) -> System:
    """Return the cost's model, without faces that are held."""
    clip, motion, (first, second) = here.clip, here.motion, ways.pairs
    problem = clip.problem
    columns = jacobian(problem, here.state, here.residual).transpose(0, 2, 3, 1).take(ways.rows, axis=1)
    columns = np.einsum("bqi,bqir->bqr", directions, columns)
    matrices = np.zeros((len(columns), ways.count, 3, 3))
    pulls = change_gradient(clip, motion)
    matrices[:, clip.bones], pulled = stray_model(clip, motion.local)
    pulls[:, clip.bones] += pulled
    own, pull = ways.own_entries(matrices), ways.own_parts(pulls)
    own[:, first == second] += _LEAST + damping[:, None]
    tied = np.zeros((len(columns), 0, len(ways.rows)))
    if problem.has_comfort:
        weights, pulls, rows = posture_cost_model(problem, here.state, motion.local, faces)
        own += ways.entries(weights, directions)
        tied = np.einsum("bqi,brqi->brq", directions, rows.take(ways.rows, axis=2))
        pull += ways.parts(pulls, directions)
    weights = believed_changes(clip, motion) * (problem.compliance**2).mean(axis=0)
    bands = second_differences(weights.take(ways.rows, axis=1))
    return make_system(ways, own, tied, bands, columns, clip.trust, here.residual.vector, pull)


def _springs(
    ways: Ways, faces: LimitFaces, held: Mask, units: Array, directions: Array
) -> tuple[Array, Array]:
    """Return what springs to held faces add to entries at pairs (batch, p) and how they push, (batch, q)."""
    batch, bones = held.shape[:2]
    normals = np.where(held[..., None], faces.normals * units[..., None], 0.0)
    room = np.where(held, np.maximum(faces.room, 0.0), 0.0)
    squares, pushes = np.zeros((batch, ways.count, 3, 3)), np.zeros((batch, ways.count, 3))
    squares[:, :bones] = np.einsum("bnci,bncj->bnij", normals, normals)
    pushes[:, :bones] = np.einsum("bnci,bnc->bni", normals, room)
    return _STIFF * ways.entries(squares, directions), _STIFF * ways.parts(pushes, directions)
