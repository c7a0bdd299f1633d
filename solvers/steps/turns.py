# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns of single bones as sweeps and coordinate descent take them: cut, snapped, and ties settled."""

from itertools import product
from math import sqrt

import numpy as np

from ..geometry import (
    HALF_TURN,
    Array,
    Indices,
    Mask,
    einsum,
    matrix_to_quaternion,
    quaternion_to_matrix,
    renormalised,
)
from ..problem import Problem
from ..superposition import half_turns

# A turn holds more than another if it does by this share of the covariance: less is rounding.
_MORE = 1e-14
# What is beyond is rounding, which must not choose where all of a limit's edge is equally near.
_DIGITS = 12
# Cosine and sine of half the angle: half a turn, a quarter, and a quarter back.
_SHARES = ((0.0, 1.0), (sqrt(0.5), sqrt(0.5)), (sqrt(0.5), -sqrt(0.5)))


def is_half_turn(turns: Array) -> Mask:
    """Return which of the turns (..., 4) go half round (...)."""
    return turns[..., 0] ** 2 < HALF_TURN


def has_limits(problem: Problem, bones: Indices) -> bool:
    """Whether any of the bones has a limit."""
    return any(np.isin(bones, group.bones).any() for group in problem.limits)


def damped(quaternions: Array, largest_turns: Array) -> Array:
    """Return the turns (..., bones, 4), ``w >= 0``, none larger than ``largest_turns`` (bones,) radians."""
    least = np.cos(0.5 * np.minimum(largest_turns, np.pi))
    w = np.maximum(quaternions[..., 0], least)
    sine = np.sqrt(np.maximum(1 - quaternions[..., 0] ** 2, 1e-300))
    scale = np.minimum(np.sqrt(1 - least**2) / sine, 1.0)
    return np.concatenate([w[..., None], quaternions[..., 1:] * scale[..., None]], axis=-1)


def snapped_turns(problem: Problem, bones: Indices, rotations: Array, local: Array, turns: Array) -> Array:
    """Return the turns (batch, bones, 3, 3) after which the bones are within their limits.

    ``rotations`` and ``local`` (batch, bones, 3, 3) are the bones' before the turn, ``bone_to_armature``
    and relative to rest.
    """
    snapped = turns.copy()
    for group in problem.limits:
        columns = np.flatnonzero(np.isin(bones, group.bones))
        members = np.searchsorted(group.bones, bones[columns])
        before = rotations.take(columns, axis=1)
        frames = before @ np.swapaxes(local.take(columns, axis=1), -1, -2)
        turned = np.swapaxes(frames, -1, -2) @ turns.take(columns, axis=1) @ before
        allowed = group.members(members).nearest(turned, local.take(columns, axis=1))
        snapped[:, columns] = frames @ allowed @ np.swapaxes(before, -1, -2)
    return renormalised(snapped)


def settled(
    problem: Problem,
    bones: Indices,
    rotations: Array,
    local: Array,
    covariance: Array,
    turns: Array,
    largest_turns: Array,
) -> Array:
    """Return the turns (batch, bones, 4), but half turns of limited bones about what their joints allow.

    Where a target lies straight behind, half turns about all axes across serve alike, and the limit, a hinge
    above all, may allow hardly any. So those nearest to the three axes of the joint are tried, whole and one
    quarter of a turn to either side, and what holds most once it is cut and snapped is taken. A hinge may be
    askew to these axes: a half turn about any axis that is not across it snaps to one about the hinge.
    ``covariance`` (batch, bones, 3, 3) is what the turns are read from; the rest is as in ``snapped_turns``.
    """
    ties = is_half_turn(turns)
    if not ties.any():
        return turns
    ties &= np.isin(bones, np.concatenate([group.bones for group in problem.limits]))
    joints = rotations @ np.swapaxes(local, -1, -2)
    size = np.abs(covariance).max(axis=(-2, -1))
    result, most = turns, np.full(ties.shape, -np.inf)
    for axis, (cosine, sine) in product(range(3), _SHARES):
        half = half_turns(covariance, joints[..., axis]).round(_DIGITS)
        tried = sine * half
        tried[..., 0] += cosine
        cut = quaternion_to_matrix(damped(tried, largest_turns))
        allowed = snapped_turns(problem, bones, rotations, local, cut)
        kept = einsum("bnij,bnji->bn", allowed, covariance)
        better = ties & half.any(axis=-1) & (kept > most + _MORE * size)
        # Snapped: half a turn may be as near to one end of a limit as to the other, and must not fall anew.
        result = np.where(better[..., None], matrix_to_quaternion(allowed), result)
        most = np.where(better, kept, most)
    return result
