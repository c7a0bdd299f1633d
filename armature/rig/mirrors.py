# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrored bones: between the axes that are shown and the rotation that channels turn.

A negative scale of its own points axes of a bone the other way, and a mirroring parent all three. The solver
keeps to the rotation that channels turn, which is none of that; effectors are where they are shown.
"""

import numpy as np

from ...solvers.geometry import Array, mirrors, polar_factor

_UNMIRRORED = np.array([-1.0, 1.0, 1.0])


def axis_signs(linear: Array, scales: Array) -> Array:
    """Return which way the shown axes (..., 3) point along those of the solver's rotation.

    ``linear`` (..., 3, 3) of the bones' matrices, ``scales`` (..., 3) of their own.
    """
    signs = np.where(scales < 0, -1.0, 1.0)
    by_parents = mirrors(linear * signs[..., None, :])
    return np.where(by_parents[..., None], -signs, signs)


def shown_from_solved(signs: Array) -> Array:
    """Return the signs (..., 3) by which columns of the solver's rotation become those of the shown one."""
    return np.where(signs.prod(axis=-1, keepdims=True) < 0, signs * _UNMIRRORED, signs)


def shown_rotation(linear: Array) -> Array:
    """Return the rotation (..., 3, 3) along the shown axes, X turned round where they are mirrored.

    So Y, along the bone, and Z lie where they are seen. Applied before and after an invertible map it returns
    to where it began.
    """
    axes = polar_factor(linear)
    return np.where(mirrors(axes)[..., None, None], axes * _UNMIRRORED, axes)
