# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's step with what comes first held: the step that every rank but the first takes.

What is lowered, a second rank of targets or posture cost, has a gradient ``g`` and a Hessian over the turns
of the joints (joint_newton.py). What is held has rows J, and the step takes off their residual whatever that
costs, ``J d = -residual`` (sequential quadratic programming). The curvature of the held effectors' paths
counts by the multipliers, the forces and moments that hold them against ``g``. These are least squares of
what is left of ``g``, beside the pushes of touched limits, none of which pulls.

Reference: Nocedal and Wright, Numerical Optimization, chapter 18 (10.1007/978-0-387-40065-5).
"""

from dataclasses import replace

import numpy as np

from ..geometry import Array, Mask, gram, matvec, product, solve_definite, vecmat
from ..problem import (
    TOUCH,
    LimitFaces,
    Problem,
    Residual,
    State,
    goal_pulls,
    inequalities,
    jacobian,
    loads,
    pressed_faces,
)
from .joint_newton import (
    Lowered,
    NewtonStep,
    Taken,
    alike_felt,
    downhill,
    joint_curvature,
    kept_to,
    newton_within,
    projector,
)

# Radians: how near a limit is that a joint may press on by the end of a step.
_NEAR = 0.03


def newton_keeping(
    kept: Problem,
    residual: Residual,
    state: State,
    faces: LimitFaces,
    lowered: Lowered,
    pull: Array | None = None,
    released: bool = False,
) -> NewtonStep:
    """Return the step (batch, n + k, 3), in units of compliance, that takes off the residual of what is kept.

    ``lowered``: with its gradient per unit of compliance. ``pull`` (batch, r): loads on the rows beside
    their multipliers; ``released`` as of newton_within. Inequalities that the gradient leads away from are
    let go. Where faces may be released those that are near are counted as touched: the pose of a move before
    is hardly ever on them to the bit, and what they bear tells how the step is bent.
    """
    turning, moving, unit = kept.turning, kept.moving, kept.units
    gradient, count = lowered.gradient, len(turning)
    pulls, vector = goal_pulls(kept, state), residual.vector
    rows = jacobian(kept, state, residual, pulls)
    near = _NEAR if released else TOUCH
    held, flat = np.zeros(faces.room.shape, bool), faces.scaled(turning, unit[:, :count])
    free, held[:, turning], multipliers, left, loose = balanced(
        rows.take(moving, axis=2), gradient, flat, near
    )
    pulling = (multipliers < 0) & inequalities(kept, pulls, len(rows)) if kept.goals else np.zeros(1, bool)
    if pulling.any():
        loose, vector = None, np.where(pulling, 0.0, vector)
        rows = np.where(pulling[..., None, None], 0.0, rows)
        own = rows.take(moving, axis=2)
        if not released:
            held[:, turning] = bearing = _bearing(own, gradient, flat)[0]
            free = _left_free(flat, bearing, len(moving))
        multipliers, left = _shared_out(own, gradient, free)
    if pull is not None:
        along = vecmat(pull, rows.take(moving, axis=2).reshape(*pull.shape, -1)).reshape(left.shape)
        held |= faces.touched(downhill(kept, along))
        multipliers, left = multipliers + pull, left + along
    bends = joint_curvature(kept, state, *loads(kept, state, residual, multipliers, pulls))
    lowered.hessian[:, :count, :, :count] += bends
    lowered = replace(lowered, gradient=left / unit)
    return newton_within(kept, state, faces, held, lowered, (rows, vector), released, loose)


def balanced(
    rows: Array, gradient: Array, faces: LimitFaces, near: float = TOUCH
) -> tuple[Array | None, Mask, Array, Array, Taken | None]:
    """Return a projector, the faces that take a share of the gradient, multipliers and what is left of it.

    And how the rows are taken off with no face held, if that had to be known.

    ``rows`` (batch, r, m + k, 3): the Jacobian, ``gradient`` (batch, m + k, 3). Multipliers (batch, r) are
    those of least squares; no touched face pulls. The projector (batch, d, d) is on what the faces (batch, m,
    c) leave free; None where that is everything.
    """
    held, loose = _bearing(rows, gradient, faces, near)
    free = _left_free(faces, held, rows.shape[2])
    return free, held, *_shared_out(rows, gradient, free), loose


def _bearing(
    rows: Array, gradient: Array, faces: LimitFaces, near: float = TOUCH
) -> tuple[Mask, Taken | None]:
    """Return the faces (batch, m, c) that take a share of the gradient beside the rows.

    And how these are taken off with no face held; None where none is touched.
    """
    if not (faces.room <= near).any():
        return np.zeros(faces.room.shape, bool), None
    loose = kept_to(projector(faces.loose, rows.shape[2]), rows)
    along = loose[1]
    downhill = -matvec(along, gradient.reshape(len(gradient), -1)).reshape(gradient.shape)
    return pressed_faces(faces, downhill, along.reshape(*gradient.shape, -1), near), loose


def _left_free(faces: LimitFaces, held: Mask, count: int) -> Array | None:
    """Return the projector on what the ``held`` faces leave free, of ``count`` vectors in all."""
    return projector(faces.hold(held)[0], count)


def _shared_out(rows: Array, gradient: Array, free: Array | None) -> tuple[Array, Array]:
    """Return the multipliers and what is left of the gradient, along the projector ``free``."""
    flat = rows.reshape(*rows.shape[:2], -1)
    across, flat_gradient = flat if free is None else product(flat, free), gradient.reshape(len(gradient), -1)
    multipliers = np.zeros(rows.shape[:2])
    for each, felt in alike_felt(across):
        own = across[each[:, None], felt]
        multipliers[each[:, None], felt] = -solve_definite(gram(own), matvec(own, flat_gradient[each]))
    return multipliers, gradient + vecmat(multipliers, flat).reshape(gradient.shape)
