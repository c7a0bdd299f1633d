# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a body is up and faces by its roles, where the shape of its rest pose tells little of it."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from .plans import BIRD, QUADRUPED
from .role import Role
from .tree import Array

_NOTHING = 1e-6  # in lengths of the trunk: what is no longer has no direction
# What an animal stands on: the segments from where legs begin to where they end, for want of one the next.
_STANDS_ON = {
    QUADRUPED: (("thigh", ("foot", "shin")), ("upper_arm", ("hand", "forearm"))),
    BIRD: (("thigh", ("foot", "shin")),),
}
_Joint = TypeVar("_Joint", int, str)


def directions(
    kind: str, roles: Mapping[_Joint, Role], heads: Mapping[_Joint, Array]
) -> tuple[Array | None, Array | None, Array | None]:
    """Return up and forward, unit vectors (3,), and a point of the middle (3,), given the ``heads`` (3,).

    Up goes a human's trunk, and up an animal's legs. None where hips and shoulders of both sides are not
    there, or in one place.
    """
    at = {(role.part, role.side): heads[joint] for joint, role in roles.items() if role.place == 1}
    if not at.keys() >= {(part, side) for part in ("thigh", "upper_arm") for side in "LR"}:
        return None, None, None
    hips, shoulders = (np.array([at[part, side] for side in "LR"]) for part in ("thigh", "upper_arm"))
    trunk = shoulders.mean(axis=0) - hips.mean(axis=0)
    length = float(np.linalg.norm(trunk))
    legs = [
        at[first, side] - next((at[part, side] for part in ends if (part, side) in at), at[first, side])
        for first, ends in _STANDS_ON.get(kind, ())
        for side in "LR"
    ]
    up = np.sum(legs, axis=0) if legs else trunk
    if not float(np.linalg.norm(up)) > _NOTHING * length:
        return None, None, None
    up = up / np.linalg.norm(up)
    left = (hips + shoulders)[0] - (hips + shoulders)[1]
    left = left - (left @ up) * up
    if not float(np.linalg.norm(left)) > _NOTHING * length > 0.0:
        return None, None, None
    return up, np.cross(left / np.linalg.norm(left), up), hips.mean(axis=0)
