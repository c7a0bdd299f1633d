# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one door between the limit that a bone stores and the solver's."""

from bpy.types import PoseBone, PropertyGroup

from ...solvers.limits import Limit
from ..limit_kinds import KINDS, kind_of
from .made import forget_made


def limit_kind(bone: PoseBone) -> str:
    """Return which kind of limit the bone has of its own, 'NONE' where it has none; stores nothing."""
    stored = _stored(bone)
    return stored.kind if stored else 'NONE'


def read_limit(bone: PoseBone) -> Limit | None:
    """Return the bone's own limit; None where it has none or is free.

    Raises LimitError naming the bone if the limit allows nothing.
    """
    kind = limit_kind(bone)
    return KINDS[kind].read(bone.name, bone.superpose.limit) if kind in KINDS else None


def store_limit(bone: PoseBone, limit: Limit | None) -> None:
    """Make the limit the bone's own, in place of what it had; None leaves it without."""
    if _stored(bone):
        bone.superpose.property_unset("limit")
        forget_made(bone, 'LIMIT')
    if limit is None:
        return
    kind, group = kind_of(limit), bone.superpose.limit
    group.kind, group.cushion = kind.NAME, limit.cushion
    kind.store(group, limit)


def free_limit(bone: PoseBone) -> None:
    """Let the bone turn freely, whatever its rig says."""
    store_limit(bone, None)
    bone.superpose.limit.kind = 'FREE'


def store_or_free(bone: PoseBone, limit: Limit | None) -> None:
    """Give the bone a limit of its own, or let it turn freely."""
    if limit is None:
        free_limit(bone)
    else:
        store_limit(bone, limit)


def _stored(bone: PoseBone) -> PropertyGroup | None:
    # Merely reading a group would store it.
    set_up = bone.is_property_set("superpose") and bone.superpose.is_property_set("limit")
    return bone.superpose.limit if set_up else None
