# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet laid flat where they stand.

A recorded foot may point down, or up, or lie on an edge by some degrees while it stands: by where its marks
were, or because at rest it points elsewhere than the foot of the body that follows.
"""

import numpy as np

from ...solvers.geometry import Array, Mask, matvec, norm, shortest_turn
from ...solvers.motion import find_contacts
from .ground import Soles

# Radians: what a foot is turned by at most; more is meant, as on high heels.
_MOST = 0.35
# Seconds for which a foot stands on heel and ball at least, for that to tell.
_ENOUGH = 0.1


def laid_flat(places: Array, soles: Soles, size: float, rate: float) -> Array:
    """Return the places of bones (frames, n, 4, 4), level floor, with feet turned about their heads,
    and what they carry along.

    Each foot by one turn for the whole motion: while heel and ball stand, up then is for it where it is at
    rest, in the median. ``size`` of the body, a length; ``rate``: frames a second.
    """
    flat = _standing(soles.ends(places), soles, size, rate)
    turned = places.copy()
    for foot in np.flatnonzero(np.count_nonzero(flat, axis=0) >= _ENOUGH * rate):
        stands, rest = _up(places[flat[:, foot], foot]), _up(soles.rests[foot])
        up = np.median(stands, axis=0)
        if norm(up) and np.arccos(np.clip(rest @ up / norm(up), -1.0, 1.0)) <= _MOST:
            turn = shortest_turn(rest, up / norm(up))
            turned[:, soles.carriers == foot] = _carried(places, soles, foot, turn)
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


def _up(places: Array) -> Array:
    """Return where up is for bones at ``places`` (..., 4, 4), unit vectors (..., 3) along their own axes."""
    linear = places[..., :3, :3]
    ups: Array = (linear / norm(np.swapaxes(linear, -1, -2))[..., None, :])[..., 2, :]
    return ups
