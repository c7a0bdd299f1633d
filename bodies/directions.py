# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a human is up and faces by its roles, where the shape of its rest pose tells little of it."""

from collections.abc import Mapping

import numpy as np

from .role import Role
from .tree import Array

_NOTHING = 1e-6  # in lengths of the trunk: what is no longer has no direction


def directions(roles: Mapping[int, Role], heads: Array) -> tuple[Array | None, Array | None, Array | None]:
    """Return up and forward, unit vectors (3,), and a point of the middle (3,): up goes the trunk.

    None where hips and shoulders of both sides are not there, or in one place.
    """
    at = {(role.part, role.side): heads[joint] for joint, role in roles.items() if role.place == 1}
    if not at.keys() >= {(part, side) for part in ("thigh", "upper_arm") for side in "LR"}:
        return None, None, None
    hips, shoulders = (np.array([at[part, side] for side in "LR"]) for part in ("thigh", "upper_arm"))
    trunk = shoulders.mean(axis=0) - hips.mean(axis=0)
    length = float(np.linalg.norm(trunk))
    up = trunk / max(length, 1e-300)
    left = (hips + shoulders)[0] - (hips + shoulders)[1]
    left = left - (left @ up) * up
    if not float(np.linalg.norm(left)) > _NOTHING * length > 0.0:
        return None, None, None
    return up, np.cross(left / np.linalg.norm(left), up), hips.mean(axis=0)
