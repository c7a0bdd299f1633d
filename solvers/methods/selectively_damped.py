# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selectively damped least squares: every singular direction is damped by what it would cost the joints.

The step of the pseudo-inverse, one singular vector at a time. N is how far effectors would go along the
vector if all were well, M how far the joints that it turns might carry them. Where joints turn much to move
an effector little, N / M is small, and no joint may turn by more than that share of ``turn_clamp`` for it.
What the vectors ask for together is cut to ``turn_clamp`` once more.

The paper has joints of one axis. Here a bone's three make one joint: its turn is the length of its rotation
vector, so that the result does not depend on the axes that space is measured in. Rows of goals other than
effectors count one by one.

Reference: Buss and Kim 2005 (10.1080/2151237X.2005.10129202).
"""

import numpy as np

from ..geometry import Array, matvec, norm
from ..problem import Problem, Residual, State
from ..settings import Settings
from .linear import Linear, linear_step


def selectively_damped_step(problem: Problem, state: State, residual: Residual, settings: Settings) -> State:
    """Return the state after one step."""
    return linear_step(problem, state, residual, settings, selectively_damped)


def selectively_damped(linear: Linear, settings: Settings) -> Array:
    """Return the step (batch, 3 (n + k))."""
    values, vectors = linear.spectrum()
    values = values[..., None, None]
    sizes = np.sqrt(np.where(values > 0, values, 1.0))
    left = np.swapaxes(vectors, -1, -2)
    batch, rows, joints, _ = linear.columns.shape
    right = (left @ linear.flat).reshape(batch, rows, joints, 3) / sizes
    along = matvec(left, linear.residual)[..., None, None]
    largest = settings.turn_clamp * _worth(linear, left, right, sizes)
    turns = _cut(along / sizes * right, largest) * (values > 0)
    return -_cut(turns.sum(axis=1), settings.turn_clamp).reshape(batch, -1)


def _worth(linear: Linear, left: Array, right: Array, sizes: Array) -> Array:
    """Return ``N / M``, at most 1, of each singular vector, (batch, R, 1, 1)."""
    own, points = linear.effector_rows, linear.effector_rows // 3
    batch, rows, joints, _ = right.shape
    moved = norm(left[..., :own].reshape(batch, rows, points, 3)).sum(axis=-1)
    blocks = linear.columns[:, :own].reshape(batch, points, 3, joints, 3)
    # The largest singular value of [a]x, the block of a point at an arm a, is its norm over root two.
    arms = np.sqrt(0.5 * np.einsum("bkimj,bkimj->bkm", blocks, blocks)).sum(axis=1)
    moved = moved + np.abs(left[..., own:]).sum(axis=-1)
    arms = arms + norm(linear.columns[:, own:]).sum(axis=1)
    might = np.einsum("brm,bm->br", norm(right), arms) / sizes[..., 0, 0]
    worth: Array = np.minimum(moved / np.where(might > 0, might, 1.0), 1.0)[..., None, None]
    return worth


def _cut(turns: Array, largest: Array | float) -> Array:
    """Return turns (..., joints, 3), in proportion, none longer than ``largest`` (broadcast)."""
    longest = norm(turns).max(axis=-1)[..., None, None]
    return turns * np.minimum(largest / np.where(longest > 0, longest, 1.0), 1.0)
