# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits, comfort poses and targets that were copied to the other side of the body instead of mirrored.

Blender's *Symmetrize* does so with all that a bone stores. What is its own mirror image may well be equal.
"""

from typing import Any

import numpy as np
from bpy.types import PoseBone

from ...solvers import Comfort, SolverError
from ...solvers.limits import Limit, angles_outside
from ..errors import RigError
from ..limit_kinds import kind_of
from .comfort import read_comfort
from .effectors import is_effector
from .empties import SIDES, made_for
from .limits import read_limit
from .mirroring import mirrored_comfort, mirrored_limit, opposite
from .sides import extent, side_of

# What limits say of them tells whether they allow the same turns, however each is written.
_TURNS = np.random.default_rng(1).normal(size=(64, 1, 4))
_TURNS /= np.linalg.norm(_TURNS, axis=-1, keepdims=True)
_SAME = 1e-4  # stored are numbers of single precision


def copied_from(bone: PoseBone) -> PoseBone | None:
    """Return the bone of the other side whose limit or comfort this one has, and not its mirror image."""
    other = opposite(bone)
    try:
        return other if other and (_has_limit_of(bone, other) or _has_comfort_of(bone, other)) else None
    except (RigError, SolverError):
        return None  # it cannot be mirrored, or is told elsewhere


def has_target_of_other(bone: PoseBone) -> bool:
    """Return whether the effector has the target that was made, in its colour, for the one opposite."""
    other, target = opposite(bone), bone.superpose.target
    if other is None or not is_effector(other) or other.superpose.target != target:
        return False
    colour = SIDES[side_of(other, extent(bone.id_data))]
    return made_for(target) == bone.id_data and np.allclose(target.color[:3], colour, atol=_SAME)


def _has_limit_of(bone: PoseBone, other: PoseBone) -> bool:
    own, copied = read_limit(bone), read_limit(other)
    if own is None or copied is None or _as_stored(copied) != _as_stored(own):
        return False
    return not _allow_the_same(own, mirrored_limit(other, bone))


def _as_stored(limit: Limit) -> tuple[str, dict[str, Any]]:
    kind = kind_of(limit)
    return kind.NAME, kind.as_json(limit)


def _allow_the_same(one: Limit, other: Limit) -> bool:
    angles = [angles_outside([limit], _TURNS) for limit in (one, other)]
    return np.allclose(*angles, atol=_SAME)


def _has_comfort_of(bone: PoseBone, other: PoseBone) -> bool:
    own, copied = read_comfort(bone), read_comfort(other)
    if own is None or copied is None or not _rest_alike(own, copied):
        return False
    return not _rest_alike(own, mirrored_comfort(other, bone))


def _rest_alike(one: Comfort, other: Comfort) -> bool:
    return abs(one.rotation @ other.rotation) > 1 - _SAME**2 and np.allclose(
        one.spread, other.spread, atol=_SAME
    )
