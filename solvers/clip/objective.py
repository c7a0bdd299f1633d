# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is least over a whole clip: targets, posture and acceleration, each in squared standard deviations.

    C = sum_f (trust E_f + P_f + S_f) / 2

- E is the objective of a frame (problem.py). What is kept counts from where it was reached, and with more
  trust than what may give way.
- P is posture cost. For bones without comfort it is how far they are turned from the pose that they were
  given; what is far counts in proportion (proportion.py).
- S is how much turns of joints and shifts of roots change from one frame to the next (acceleration.py).

Limits are kept.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import (
    Array,
    conjugate,
    matrix_to_quaternion,
    multiply,
    norm,
    normalised,
    quaternion_to_rotation_vector,
    rotation_vector_rates,
    vecmat,
)
from ..problem import Residual, State, local_rotations
from ..steps import posture_cost
from .acceleration import (
    believed,
    change_costs,
    change_slopes,
    changes_of,
    shift_slopes,
    velocities,
)
from .clip import STRAY, Clip
from .proportion import costs_of, trust_in

# How many times as far as bones stray counts in proportion: a wrist that is turned round does not turn the
# arm with it.
_ASTRAY = 1.0


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


def counted(clip: Clip, residual: Residual) -> Residual:
    """Return the residual as it counts: from what was reached."""
    vector = residual.vector - clip.reached
    return replace(residual, vector=vector, energy=np.einsum("bi,bi->b", vector, vector))


def costs(clip: Clip, state: State, motion: Motion, residual: Residual) -> Array:
    """Return what each frame costs, (batch,), at a state whose residual is ``counted``."""
    problem = clip.problem
    away = norm(_strays(clip, motion.local) / _spreads(clip))
    total: Array = 0.5 * (clip.trust * residual.vector**2).sum(axis=1) + costs_of(away, _ASTRAY).sum(axis=1)
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
    return trust[..., None] * squares / STRAY**2, trust * vecmat(away, rates) / STRAY


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
    return STRAY * clip.problem.compliance[:, clip.bones, None]
