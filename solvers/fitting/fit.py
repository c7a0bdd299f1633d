# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped least squares from joints to controls, through whatever lies between.

    min  sum_j w_j^2 (|p_j - t_j|^2 / L^2  +  a^2 |log(R_j T_j^T)|^2)  +  sum_w c_w x_w^2

over turns and shifts of the controls, x_w of them from home. How joints move with them is measured once, and
anew only where a step does not do what it should. What several controls can do is shared out: those that move
more joints do more. What cancels out is not done at all, as it costs a little, and the less the less is left
of the joints (iteratively regularised Gauss-Newton).

References: Levenberg 1944 (10.1090/qam/10666); Bakushinskii 1992, The problem of the convergence of the
iteratively regularized Gauss-Newton method.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..geometry import Array, dot, solve_definite
from ..pauses import Pausing
from .columns import STEP, Columns, apart, between, columns_of
from .controls import Controls, Joints, Placed, Ways

# About the length of a hand, in lengths of the figure: what makes turns and distances comparable.
ARM = 0.09
# Damping, in squared lengths of the figure per square radian: at first, where a frame goes on from another,
# at least and at most. With less at first controls would turn far, and others back again.
_FIRST, _NEXT, _LEAST, _MOST = 1e-1, 1e-3, 6e-7, 1.0
_LOWER, _RAISE = 0.3, 10.0
# The most steps, and radians, the most that one turns.
_STEPS, _LONGEST = 60, 0.6
# A step saves little that saves less than this share; so many in a row are the last.
_LEVEL, _PATIENCE = 0.05, 2
# A step that does less than this share of what it should is poor. Where it should save so much columns are
# measured anew, so often at most.
_POOR, _WORTH, _ANEW = 0.25, 0.2, 2
# What is left of joints, in squared lengths of the figure, from which on it costs all to be away from home.
_FULL = 1e-2
# Distances in lengths of the figure, and turns times the arm, that nobody sees.
_NEAR = 3e-6

Place = Callable[[Controls], Placed]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where controls are ``placed``, the ``columns`` that led there, and how often controls were ``seen``."""

    placed: Placed
    columns: Columns
    seen: int = 0


def fit(
    place: Place,
    ways: Ways,
    goal: Joints,
    begin: Controls,
    home: Controls,
    columns: Columns | None = None,
) -> Pausing[Fitted]:
    """Return controls that bring joints as near to the ``goal`` as they can, found from where they ``begin``.

    ``place``: has controls say something, and returns where that puts them and the joints; at the end they
    say what was found. ``home``: what they say rather, where that makes no difference to joints. ``columns``:
    those of the frame before, if there is one. Gives a pause whenever controls have been placed.
    """
    fitted = yield from _begun(place, ways, begin, columns)
    off, damping = _off(ways, fitted.placed, goal), _NEXT if columns else _FIRST
    level, anew, is_fresh = 0, 0, columns is None
    for _ in range(_STEPS):
        if np.abs(off).max() <= _NEAR or level >= _PATIENCE or damping > _MOST:
            break
        pulls = np.sqrt(min(float(dot(off, off)) / _FULL, 1.0) * ways.costs)
        left = np.concatenate([off, pulls * ways.between(home, fitted.placed.controls)])
        before = float(dot(left, left))
        amounts, expected = _step(fitted, left, pulls, damping)
        placed = place(ways.moved(fitted.placed.controls, amounts))
        yield
        now, fitted = _off(ways, placed, goal), replace(fitted, seen=fitted.seen + 1)
        after = np.concatenate([now, pulls * ways.between(home, placed.controls)])
        gain, promised = before - float(dot(after, after)), before - expected
        is_poor = not gain >= _POOR * promised  # also where joints are nowhere
        if gain > 0:
            fitted, off, is_fresh = replace(fitted, placed=placed), now, False
            level = level + 1 if gain < _LEVEL * before else 0
        damping = _RAISE * damping if is_poor else max(_LOWER * damping, _LEAST)
        if is_poor and promised > _WORTH * before and not is_fresh and anew < _ANEW:
            fitted = yield from _measured(place, ways, fitted.placed, fitted.seen)
            level, anew, is_fresh, damping = 0, anew + 1, True, _FIRST
    place(fitted.placed.controls)
    return fitted


def _begun(place: Place, ways: Ways, begin: Controls, columns: Columns | None) -> Pausing[Fitted]:
    """Return where controls ``begin``, and how joints move with them if that is not known."""
    placed = place(begin)
    yield
    return Fitted(placed, columns) if columns else (yield from _measured(place, ways, placed))


def _off(ways: Ways, placed: Placed, goal: Joints) -> Array:
    """Return what is left between joints and their goal, (6 j,), times their weights."""
    turns, away = between(goal, placed.joints, ways.length)
    off: Array = ways.weights[:, None] * np.concatenate([away, ARM * turns], axis=-1)
    return off.ravel()


def _step(fitted: Fitted, left: Array, pulls: Array, damping: float) -> tuple[Array, float]:
    """Return by how much each way (w,) is moved, and the sum of squares that this should leave.

    ``left`` (6 j + w,): of joints, and between controls and home, to where ``pulls`` (w,) lead them.
    """
    ways = fitted.columns.ways
    rows = ways.weights[:, None, None] * fitted.columns.rows(fitted.placed, ARM)
    rows = np.concatenate([rows.reshape(-1, len(pulls)), np.diag(pulls)]) * ways.units
    normal = rows.T @ rows + damping * np.eye(rows.shape[1])
    amounts = -ways.units * solve_definite(normal[None], (rows.T @ left)[None])[0]
    amounts *= min(1.0, _LONGEST / max(np.abs(amounts).max(initial=0.0), _LONGEST))
    after = left + rows @ (amounts / ways.units)
    return amounts, float(dot(after, after))


def _measured(place: Place, ways: Ways, placed: Placed, seen: int = 0) -> Pausing[Fitted]:
    """Return how joints move where controls are placed."""
    groups, trials = apart(ways.moves), []
    for group in groups:
        amounts = np.zeros(len(ways.of))
        amounts[group] = STEP
        trials.append(place(ways.moved(placed.controls, amounts)).joints)
        yield
    return Fitted(placed, columns_of(ways, placed, groups, trials), seen + len(trials))
