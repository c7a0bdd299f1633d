# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles as dials: where each angle alone brings the bone.

An angle is read with the other two at rest, or as near to rest as their ranges let them be. There it swings
the tip along an arc of the unit sphere, or twists the bone about a tip that stays. The angle that turns
first, about +Y, twists the bone wherever it points. So it is read at the bone's own tip, as the twists of
other limits are.
"""

import numpy as np

from ..solvers.geometry import Array, euler_to_matrix
from ..solvers.limits import angles_nearest, clamped
from .dials import Dial
from .shapes import FAN

_Y, _Z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])


def gimbal_dials(order: str, lower: Array, upper: Array, local: Array) -> tuple[Dial, Dial, Dial]:
    """Return the dials of the angles about X, Y and Z, in the frame of the bone's rest pose.

    ``order``: as of EulerLimit; ``lower``, ``upper`` (3,): ranges by axis, which may be reversed; ``local``
    (3, 3): the bone's rotation. Dials that only twist have the size of the twist's fan.
    """
    rest = np.clip(0.0, lower, upper)
    dials = [_dial(order, place, rest) for place in range(3)]
    if order[0] == "Y":
        now = clamped(angles_nearest(local, order, lower, upper), lower, upper)
        outer = _turned(order[1:], order, now)
        dials[0] = Dial(outer @ _Y, outer @ _Z, local @ _Y, FAN)
    return tuple(dials[order.index(letter)] for letter in "XYZ")


def _dial(order: str, place: int, angles: Array) -> Dial:
    """Return the dial of the angle at a ``place`` in the order, the others being at ``angles`` (3,)."""
    outer, inner = _turned(order[place + 1 :], order, angles), _turned(order[:place], order, angles)
    axis, start = outer[:, "XYZ".index(order[place])], outer @ inner
    centre = axis * (axis @ start @ _Y)
    across = start @ _Y - centre
    size = np.linalg.norm(across)
    if size >= FAN:
        return Dial(axis, across / size, centre, size)
    across = start @ _Z - axis * (axis @ start @ _Z)
    return Dial(axis, across / np.linalg.norm(across), start @ _Y, FAN)


def _turned(letters: str, order: str, angles: Array) -> Array:
    """Return the rotation (3, 3) by some of the angles."""
    return euler_to_matrix(np.where([letter in letters for letter in "XYZ"], angles, 0.0), order)
