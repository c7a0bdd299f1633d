# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror images of what limits are made of."""

import numpy as np

from ...solvers.geometry import Array, rotation_vector_to_matrix
from ..errors import RigError

_UP = np.array([0.0, 1.0, 0.0])
_ALIGNED = 1e-3


def about_the_bone(image: Array) -> Array:
    """Return the reflection that leaves +Y where it is.

    So bones that do not quite mirror each other at rest keep their limits about themselves.
    """
    axis = np.cross(image @ _UP, _UP)
    sine = np.linalg.norm(axis)
    if sine < 1e-12:
        return image
    angle = np.arctan2(sine, (image @ _UP) @ _UP)
    return rotation_vector_to_matrix(axis * (angle / sine)) @ image


def signs(turn: Array, bone: str, other: str) -> Array:
    """Return the signed permutation (3, 3) that takes axes to axes; raises RigError if they do not match."""
    whole = np.round(turn)
    if np.abs(turn - whole).max() > _ALIGNED:
        raise RigError(
            f"The axes of '{other}' do not mirror those of '{bone}', as ellipses and angles would need: "
            "give it a hinge or cones, or recalculate the roll of one of them"
        )
    return whole


def numbers(vector: Array) -> tuple[float, ...]:
    """Return a vector as limits have it."""
    return tuple(vector.tolist())
