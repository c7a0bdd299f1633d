# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of which the heel lifts: where heel and ball both stand, and that keeps the body off.

The ball stays, and the heel above the ground. Ankles bend only so far: a crouch that a captured body does
over flat feet may take the hips of another aside. In frames of such a contact in which all is met heels stand
still.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...solvers import Goal, Place, Plane, Request
from ...solvers.geometry import Array, Mask, dot
from ...solvers.motion import mask_of, spans_of

# Where heads of bones are on them, and what targets of feet count whose heels lift.
_HEAD, _GIVES_WAY = (0.0, 0.0, 0.0), 0.1


def with_heels_lifted(request: Request, held: Sequence[Goal], missed: Mask, ups: Array) -> Request | None:
    """Return the request without the heels of contacts in which something is ``missed`` (frames,).

    ``held``: what holds heads and tips where they stand, the last goals of the request. ``ups`` (frames, 3):
    the way up in armature space. None: no such contact.
    """
    tips = {goal.bone: goal for goal in held if isinstance(goal, Place) and goal.offset != _HEAD}
    lifted, floors = list(held), []
    factors = np.ones((len(missed), len(request.effectors), 1))
    for number, goal in enumerate(held):
        if not isinstance(goal, Place) or goal.offset != _HEAD or goal.bone not in tips:
            continue
        lifts = _lifts(goal, tips[goal.bone], missed)
        if not lifts.any():
            continue
        lifted[number] = replace(goal, weights=np.where(lifts, 0.0, goal.weights))
        point, heights = ((goal.bone, _HEAD),), dot(ups, goal.positions)
        floors.append(Plane(point, ups, heights, weights=lifts.astype(float)))
        factors[np.ix_(lifts, [one.bone == goal.bone for one in request.effectors])] = _GIVES_WAY
    if not floors:
        return None
    weights = factors * (np.ones(2) if request.targets.weights is None else request.targets.weights)
    others = request.goals[: len(request.goals) - len(held)]
    targets = replace(request.targets, weights=weights)
    return replace(request, goals=(*others, *floors, *lifted), targets=targets)


def _lifts(head: Place, tip: Place, missed: Mask) -> Mask:
    """Return the frames (frames,) of contacts of both ends in which something is ``missed``."""
    flat: Mask = (np.asarray(head.weights) > 0) & (np.asarray(tip.weights) > 0)
    return mask_of([span for span in spans_of(flat) if missed[span.rows].any()], len(missed))
