# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is least over a whole clip: targets, posture and acceleration, each in squared standard deviations.

    C = sum_f (trust E_f + P_f + S_f) / 2

E is the objective of a frame (problem.py), but what is kept counts from where it was reached, and with more
trust than what may give way; P is posture cost and, of bones without comfort, how far they are turned from
the pose that they were given, of what is far in proportion (proportion.py); S is how much turns of joints
and shifts of roots change from one frame to the next (acceleration.py). Limits are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Rows,
    conjugate,
    matrix_to_quaternion,
    matvec,
    multiply,
    norm,
    normalised,
    quaternion_to_rotation_vector,
    rotation_vector_rates,
    vecmat,
)
from ..model import Pose
from ..problem import (
    LENGTH_EXPONENT,
    Problem,
    Residual,
    State,
    is_first,
    local_rotations,
    measure,
    of_ranks,
    rows_of_ranks,
    state_from_pose,
)
from ..steps import posture_cost
from .acceleration import (
    believed,
    change_costs,
    change_slopes,
    changes_of,
    shift_slopes,
    velocities,
)
from .nearness import NOTHING
from .proportion import costs_of, trust_in
from .windows import Part

# How far a bone of mean length strays from the pose it was given, radians. Longer ones stray farther. And how
# many times as much counts in proportion: a wrist that is turned round does not turn the arm with it.
_STRAY, _ASTRAY = 0.4, 1.0
# By how much its turn changes from a frame to the next, radians, and the shift of a root, characteristic
# lengths: where targets are met exactly; and how much less where motion is to be as smooth as can be.
_CHANGE, _STEADIEST = 0.1, 0.015
# Of smooth motion, how many times as much change is quick motion rather than noise.
_QUICK = 1.0
# How far targets may give way then, characteristic lengths; where they are to be met, by next to nothing.
_GIVE = 0.02
# The natural logarithm of a million, and a long bone, of mean lengths.
_MILLIONTH, _LONGEST_BONE = 14.0, 3.0


@dataclass(frozen=True, eq=False, slots=True)
class Clip:
    """A ``problem`` whose rows are the frames of a clip, in order.

    ``given`` (batch, bones, 4): local rotations of the skeleton, to which ``bones`` (m,) of the problem are
    drawn. ``kept``: the goals that stay as they were found, if any do. ``reached`` (batch or 1, r): what the
    residual counts from. ``trust`` (r,): in each of its rows, per square length. ``heaviness`` (n + k,): what
    the acceleration of bones weighs, per square radian, and of roots, per square length; ``most``: from where
    on that counts in proportion, standard deviations.
    """

    problem: Problem
    bones: Indices
    given: Array
    kept: Problem | None
    reached: Array
    trust: Array
    heaviness: Array
    most: float

    def rows(self, keep: Rows) -> "Clip":
        """Return the clip of the rows ``keep``."""
        problem = self.problem.rows(keep)
        kept = problem if self.kept is self.problem else self.kept and self.kept.rows(keep)
        reached = self.reached if len(self.reached) == 1 else self.reached[keep]
        return replace(self, problem=problem, given=self.given[keep], kept=kept, reached=reached)


@dataclass(frozen=True, eq=False, slots=True)
class Motion:
    """How a clip moves in a state: ``local`` rotations (frames, n, 3, 3), turns from frame to frame
    (frames - 1, n, 3), and how these and shifts of k roots change in each frame, (frames, n + k, 3).
    """

    local: Array
    velocity: Array
    changes: Array


def motion_of(clip: Clip, state: State) -> Motion:
    """Return how the clip moves in a state."""
    local = local_rotations(clip.problem, state.rotations)
    velocity = velocities(local)
    shifts = np.diff(state.translations.take(clip.problem.tree.roots, axis=1), axis=0)
    return Motion(local, velocity, changes_of(np.concatenate([velocity, shifts], axis=1)))


def fade(smoothness: float, stride: int = 1) -> int:
    """Return after how many rows, ``stride`` frames apart, nothing of a row, a millionth, is felt any more.

    Where a joint is drawn with weight p and acceleration weighs t, ``exp(-x (p / 4 t)^(1/4))`` is left after
    x frames.
    """
    change = _CHANGE * _STEADIEST**smoothness
    return ceil(_MILLIONTH * sqrt(2 * _LONGEST_BONE * _STRAY / change) / stride)


def make_clip(
    problem: Problem, given: Pose, found: Pose, smoothness: float, stride: int, parts: Sequence[Part]
) -> Clip:
    """Return the clip of a problem whose bones are drawn to those ``given`` and whose targets were ``found``.

    ``smoothness``: from 0, where what was found of all targets is kept, to 1; the first rank is kept at any.
    Targets that are missed count from where they were found, or those that gave way would take that back, and
    what can never be saved would tell when little is.
    ``stride``: how many frames the rows are apart; second differences grow with its square, and what they
    cost is the same.
    ``parts``: of the rows, which are measured one after the other.
    """
    loose = (problem.mobility == 0) | problem.freedom.any(axis=(-2, -1))  # or locked: no joints
    bones = np.setdiff1d(np.flatnonzero(~loose), problem.comforts.bones)
    length, one = problem.length.mean(), slice(1)
    first = rows_of_ranks(problem, state_from_pose(problem.rows(one), found.rows(one)), is_first)
    is_kept = first | (smoothness == 0)
    kept = of_ranks(problem, is_first) if smoothness else problem
    give = length * np.where(is_kept, NOTHING, _GIVE * smoothness)
    change = _CHANGE * _STEADIEST**smoothness * stride**2
    return Clip(
        problem=problem,
        bones=bones,
        given=given.rotations,
        kept=kept if is_kept.any() else None,
        reached=np.concatenate([_left(problem.rows(part.own), found.rows(part.own)) for part in parts]),
        trust=give**-2,
        heaviness=np.append(_sizes(problem), np.full(len(problem.tree.roots), 1 / length)) ** 2 / change**2,
        most=_QUICK if smoothness else np.inf,
    )


def _left(problem: Problem, found: Pose) -> Array:
    """Return the residual (batch, r) of what was found, nothing where that meets the problem."""
    residual = measure(problem, state_from_pose(problem, found))
    return np.where(residual.met[:, None], 0.0, residual.vector)


def _sizes(problem: Problem) -> Array:
    """Return the lengths of bones (n,) as shares of their mean, as far as these tell on how they turn."""
    mobility = np.where(problem.mobility > 0, problem.mobility, 1.0)
    readiness = problem.compliance[:, : len(mobility)].mean(axis=0) ** 2 / mobility
    sizes: Array = readiness ** (1 / LENGTH_EXPONENT)
    return sizes


def counted(clip: Clip, residual: Residual) -> Residual:
    """Return the residual as it counts: from what was reached."""
    vector = residual.vector - clip.reached
    return replace(residual, vector=vector, energy=np.einsum("bi,bi->b", vector, vector))


def costs(clip: Clip, state: State, motion: Motion, residual: Residual) -> Array:
    """Return what each frame costs, (batch,), at a state whose residual is ``counted``."""
    problem = clip.problem
    away = norm(_strays(clip, motion.local) / _spreads(clip))
    total: Array = 0.5 * matvec(residual.vector**2, clip.trust) + costs_of(away, _ASTRAY).sum(axis=1)
    if problem.has_comfort:
        total += 0.5 * posture_cost(problem, state)
    return total + change_costs(clip.heaviness, motion.changes, clip.most)


def stray_model(clip: Clip, local: Array) -> tuple[Array, Array]:
    """Return matrices (batch, m, 3, 3) and gradients (batch, m, 3) of the given pose's pull.

    Over turns of the ``bones`` in their own frames, per unit of compliance.
    """
    strays = _strays(clip, local)
    rates, away = rotation_vector_rates(strays), strays / _spreads(clip)
    trust = trust_in(norm(away), _ASTRAY)[..., None]
    squares = np.swapaxes(rates, -1, -2) @ rates
    return trust[..., None] * squares / _STRAY**2, trust * vecmat(away, rates) / _STRAY


def believed_changes(clip: Clip, motion: Motion) -> Array:
    """Return what the acceleration weighs in each frame, (frames, n + k)."""
    return believed(clip.heaviness, motion.changes, clip.most)


def change_gradient(clip: Clip, motion: Motion) -> Array:
    """Return the gradient (batch, n + k, 3) of the acceleration, per unit of compliance.

    Over turns of bones in their own frames, and shifts of roots.
    """
    count = motion.local.shape[1]
    pulls = believed_changes(clip, motion)[..., None] * motion.changes
    slopes = [change_slopes(motion.velocity, pulls[:, :count]), shift_slopes(pulls[:, count:])]
    gradient: Array = clip.problem.compliance[..., None] * np.concatenate(slopes, axis=1)
    return gradient


def _strays(clip: Clip, local: Array) -> Array:
    """Return the turns (batch, m, 3) from the given rotations."""
    given = normalised(clip.given.take(clip.problem.tree.bones[clip.bones], axis=1))
    turned = matrix_to_quaternion(local.take(clip.bones, axis=1))
    return quaternion_to_rotation_vector(multiply(conjugate(given), turned))


def _spreads(clip: Clip) -> Array:
    """Return the standard deviations (b, m, 1) of these turns."""
    return _STRAY * clip.problem.compliance[:, clip.bones, None]
