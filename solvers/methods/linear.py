# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Jacobian methods share: the linearised problem, in the metric that is customary for them.

All joints count alike (stiffness apart), whatever their lengths: the methods are compared as they are known,
not with what Superpose adds to least squares. Positions and turns of effectors are rows of one Jacobian,
in the units of the objective; free roots are columns, a characteristic length standing for a radian.

Clamping targets (Buss): a target farther from its effector than a step can be trusted is brought nearer on
the straight line, or a chain that is far off thrashes about. A joint at a limit that downhill leads out of
drops out of the Jacobian (Baerlocher and Boulic); what crosses a limit all the same is snapped back.

References: Buss 2004, Introduction to inverse kinematics with Jacobian transpose, pseudoinverse and damped
least squares methods; Baerlocher and Boulic 2004 (10.1007/s00371-004-0244-4); Liegeois 1977
(10.1109/TSMC.1977.4309644) for the null space.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..geometry import (
    Array,
    altered,
    gram,
    matrix_to_quaternion,
    matvec,
    norm,
    quaternion_to_rotation_vector,
    vecmat,
)
from ..problem import Problem, Residual, State, jacobian, limit_faces, local_rotations
from ..settings import PARAMETERS, Settings
from ..steps import stepped

# Singular values below this share of the largest count as zero.
_RANK = 1e-5


@dataclass(frozen=True, eq=False, slots=True)
class Linear:
    """The problem to first order: ``residual + columns step`` is what a step leaves of the residual.

    ``columns`` (batch, R, n + k, 3), ``residual`` (batch, R) with targets clamped, ``reach``
    (b,): the longest path from a root to an effector. The first ``effector_rows`` are of points and turns of
    effectors, three each.
    """

    columns: Array
    residual: Array
    reach: Array
    effector_rows: int

    @property
    def flat(self) -> Array:
        """Return the Jacobian as a matrix (batch, R, 3 (n + k))."""
        return self.columns.reshape(*self.columns.shape[:2], -1)

    def spectrum(self) -> tuple[Array, Array]:
        """Return squared singular values (batch, R), those of no account as zero, and left vectors."""
        values, vectors = np.linalg.eigh(gram(self.flat))
        return np.where(values > _RANK**2 * values[:, -1:], values, 0.0), vectors


Solve = Callable[[Linear, Settings], Array]


def linear_step(
    problem: Problem, state: State, residual: Residual, settings: Settings, solve: Solve
) -> State:
    """Return the state after the step (batch, 3 (n + k)) that ``solve`` finds for the linear problem."""
    problem = plain(problem)
    linear = linearised(problem, state, residual, settings)
    step = solve(linear, settings)
    if settings.rest_pull and "rest_pull" in PARAMETERS[settings.method]:
        step = step + _to_rest_unnoticed(problem, state, linear, settings.rest_pull)
    return stepped(problem, state, step.reshape(len(step), -1, 3))


def plain(problem: Problem) -> Problem:
    """Return the problem with a metric in which all bones count alike, but for their stiffness."""
    tree, lengths = problem.tree, len(problem.length)
    supple = np.sqrt(problem.mobility)
    bones = np.broadcast_to(supple, (lengths, len(supple)))
    roots = np.repeat(problem.length[:, None], len(tree.roots), axis=1)
    felt = (supple * tree.frames.felt)[None]
    return altered(
        problem,
        compliance=np.concatenate([bones, roots], axis=1),
        moves=tree.frames.moves * felt,
        turns=tree.frames.turns * felt,
    )


def linearised(problem: Problem, state: State, residual: Residual, settings: Settings) -> Linear:
    """Return the linear problem at a state, for the directions that limits leave free."""
    columns, reach = jacobian(problem, state, residual), problem.tolerance / settings.tolerance
    vector = clamped(problem, residual, settings.target_clamp * reach)
    if problem.limits:
        bones = len(problem.tree.bones)
        faces = limit_faces(problem, state, local_rotations(problem, state.rotations))
        downhill = -np.einsum("brni,br->bni", columns[:, :, :bones], vector)
        free, _ = faces.hold(faces.touched(downhill))
        columns[:, :, :bones] = np.einsum("brni,bnij->brnj", columns[:, :, :bones], free)
    return Linear(columns, vector, reach, 6 * problem.frames.count)


def clamped(problem: Problem, residual: Residual, farthest: Array) -> Array:
    """Return the residual (batch, R) towards targets no farther than ``farthest`` (b,), a length.

    Of a turn, what it does at the objective's arm counts as distance; of goals of other kinds their rows do.
    """
    turned = 2 * problem.arm[:, None] * norm(residual.rotation[..., 1:])
    distances, size = np.stack([norm(residual.position), turned], axis=-1), 6 * problem.frames.count
    farthest = farthest[:, None, None]
    shares = farthest / np.maximum(distances, farthest)
    parts = residual.vector[:, :size].reshape(*distances.shape[:2], 2, 3) * shares[..., None]
    others = residual.vector[:, size:]
    others = others * (farthest[:, 0] / np.maximum(np.abs(others), farthest[:, 0]))
    return np.concatenate([parts.reshape(len(others), size), others], axis=1)


def _to_rest_unnoticed(problem: Problem, state: State, linear: Linear, share: float) -> Array:
    """Return a step ``share`` of the way to rest, less what effectors would notice of it to first order."""
    local = local_rotations(problem, state.rotations)
    away = quaternion_to_rotation_vector(matrix_to_quaternion(local))
    back = -matvec(state.rotations, away)
    bones, roots = len(problem.tree.bones), len(problem.tree.roots)
    compliance = problem.compliance[:, :bones, None]
    back = share * back / np.where(compliance > 0, compliance, 1.0) * (compliance > 0)
    step = np.concatenate([back, np.zeros((len(back), roots, 3))], axis=1).reshape(len(back), -1)
    values, vectors = linear.spectrum()
    noticed = vecmat(matvec(linear.flat, step), vectors)
    inverse = np.where(values > 0, 1 / np.where(values > 0, values, 1.0), 0.0)
    return step - vecmat(matvec(vectors, inverse * noticed), linear.flat)
