# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows while something else is moved: springs, which give way to comfort softly.

Were they held for as long as they can be, the pose would depend on whether they have been: it would leap
where they give way, and not come back the way it went.
"""

from dataclasses import replace
from math import inf, sqrt

import numpy as np

from ..solvers import Targets
from ..solvers.geometry import (
    Array,
    Mask,
    conjugate,
    dot,
    matvec,
    multiply,
    norm,
    quaternion_to_rotation_vector,
    rotation_vector_to_matrix,
    slerp,
)

Places = tuple[Array, Array]  # points (m, 3) and rotations (m, 4)

# How far what follows gives way, in characteristic lengths, for a standard deviation of comfort.
_SLACK = 0.025
# While the end of a limb is moved only a little, others stay where they are. So their slack grows with the
# way: the share of its square that they have from the beginning, and the share of the way to where comfort
# counts in full, from which on they have all of it.
_FIRM, _SOFT = 0.25, 0.5
# What a turn by a radian is as a way, as a share of the extent: about the length of a foot.
_ARM = 1 / 12
# Radians: the pace of joints in moves, however short they are, and in those on the spot at rest.
MOVING, RESTING = 0.06, 0.2
# Radians, by the root of a move as a share of the extent: the pace of joints that go with it. A straight limb
# bends with the root of how much nearer its end gets, the knee of a leg by four times as much as that.
_STRAIGHT = 5.0
_FAST = 0.6  # radians: with so much, in a fast move, joints turn as far as they will


def slack_of(share: float, ends_limb: bool) -> float:
    """Return the slack, as Haste has it, of what follows.

    ``share``: how far what is moved is on its way; ``ends_limb``: whether it is the end of a limb.
    """
    softness = min(max(_FIRM, (share / _SOFT) ** 2), 1.0) if ends_limb else 1.0
    return _SLACK * softness**0.5


def places_of(targets: Targets) -> Places:
    """Return where targets, of one row, ask effectors to be."""
    return targets.positions[0], targets.rotations[0]


def way_of(before: Places, after: Places, moved: list[int], extent: float) -> float:
    """Return how far a move goes, turns counting at an arm; ``extent``: the body's.

    ``before`` and ``after``: where effectors are asked for, those in the rows ``moved`` count.
    """
    (points, turns), (new_points, new_turns) = ([part[moved] for part in of] for of in (before, after))
    ways = norm(new_points - points)
    turns = norm(quaternion_to_rotation_vector(multiply(new_turns, conjugate(turns))))
    return float(np.maximum(ways, _ARM * extent * turns).max(initial=0.0))


def pace_of(way: float, extent: float) -> float:
    """Return the pace of joints, radians, in a move that goes so far; infinite if the move is fast.

    ``extent``: the body's. So a change to another way of posing the body takes several moves. In one move it
    would be a leap.
    """
    pace = _STRAIGHT * sqrt(way / extent) if extent > 0 else inf
    return inf if pace >= _FAST else pace


def drawn_to_targets(targets: Targets, places: Places, later: Mask, gone: float, extent: float) -> Targets:
    """Return the targets; those that count ``later`` are no farther from where they began than the way
    ``gone``.

    Otherwise what was off its target from the beginning would move the body before anything is moved.

    - ``places``: where effectors began, points (effectors, 3) and rotations (effectors, 4)
    - ``later`` (effectors, 2): whether place and turn count, and after what is moved
    - ``gone`` and ``extent``, the body's: lengths
    """
    positions, rotations = targets.positions[0], targets.rotations[0]
    points, turns = places
    ways, by = positions - points, quaternion_to_rotation_vector(multiply(rotations, conjugate(turns)))
    off = (later * np.stack([norm(ways), _ARM * extent * norm(by)], axis=-1)).max(axis=-1)
    if (off <= gone).all():
        return targets
    share = np.where(later.T & (off > gone), gone / np.where(off > gone, off, 1.0), 1.0)
    came = points + _on_arcs(ways, later[:, 1:] * by, share[0]), slerp(turns, rotations, share[1])
    return replace(targets, positions=came[0][None], rotations=came[1][None])


def _on_arcs(ways: Array, turns: Array, share: Array) -> Array:
    """Return the ``share`` (m,) of ``ways`` (m, 3) that go with ``turns``, rotation vectors (m, 3).

    So a foot rolls about its ball, which stays, and does not cut across.
    """
    angles = norm(turns)[:, None]
    axes = turns / np.where(angles > 0, angles, 1.0)
    along = dot(ways, axes)[:, None] * axes
    back = rotation_vector_to_matrix(0.5 * (share[:, None] - 1) * turns)
    sines = np.sin(0.5 * share[:, None] * angles) / np.where(angles > 0, np.sin(0.5 * angles), 1.0)
    chords = np.where(angles > 0, sines, share[:, None])
    return share[:, None] * along + chords * matvec(back, ways - along)
