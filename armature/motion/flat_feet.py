# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet laid flat where they stand.

A recorded foot may point down, or up, by some degrees while it stands: by where its marks were, or because at
rest it points elsewhere than the foot of the body that follows.
"""

import numpy as np

from ...solvers.geometry import Array, Mask, matvec, norm, rotation_vector_to_matrix
from ...solvers.motion import find_contacts
from .ground import Soles

# Radians: what a foot is turned by at most; more is meant, as on high heels.
_MOST = 0.35
# Seconds for which a foot stands on heel and ball at least, for that to tell.
_ENOUGH = 0.1
_UP = np.array([0.0, 0.0, 1.0])


def laid_flat(places: Array, soles: Soles, size: float, rate: float) -> Array:
    """Return the places of bones (frames, n, 4, 4), level floor, with feet turned about their heads,
    and what they carry along.

    Each foot by one angle for the whole motion: while heel and ball stand it then is as at rest, in the
    median. ``size`` of the body, a length; ``rate``: frames a second.
    """
    ends, rests = soles.ends(places), soles.ends(soles.rests)
    flat = _standing(ends, soles, size, rate)
    turned = places.copy()
    for foot in np.flatnonzero(np.count_nonzero(flat, axis=0) >= _ENOUGH * rate):
        turn = _pitch(rests[foot]) - float(np.median(_pitch(ends[flat[:, foot], foot])))
        axis = np.cross(rests[foot, 1] - rests[foot, 0], _UP)
        if abs(turn) <= _MOST and axis.any():
            linear = soles.rests[foot, :3, :3]
            own = np.linalg.solve(linear / norm(linear.T), axis / norm(axis))
            own *= np.sign(np.linalg.det(linear))  # of a mirrored body turns go the other way
            turned[:, soles.carriers == foot] = _carried(
                places, soles, foot, rotation_vector_to_matrix(turn * own)
            )
    return turned


def _carried(places: Array, soles: Soles, foot: int, turn: Array) -> Array:
    """Return the places of a foot, turned in its own frame by ``turn`` (3, 3), and of all that it carries."""
    linear, head = places[:, foot, :3, :3], places[:, None, foot, :3, 3]
    to_world = (linear @ turn @ np.linalg.inv(linear))[:, None]
    found = places[:, soles.carriers == foot]
    found[..., :3, :3] = to_world @ found[..., :3, :3]
    found[..., :3, 3] = head + matvec(to_world, found[..., :3, 3] - head)
    return found


def _standing(ends: Array, soles: Soles, size: float, rate: float) -> Mask:
    """Return in which frames (frames, n) both ends of a foot stand."""
    both, steps = np.zeros(ends.shape[:2], bool), soles.steps(ends)
    if steps.shape[1]:
        found = find_contacts(steps, np.ones(steps.shape[1], bool), size, rate)
        both[:, soles.are_feet] = found.reshape(len(ends), -1, 2).all(axis=-1)
    return both


def _pitch(ends: Array) -> Array:
    """Return how far bones with these ends (..., 2, 3) point up, radians."""
    ways = ends[..., 1, :] - ends[..., 0, :]
    return np.arctan2(ways[..., 2], norm(ways[..., :2]))
