# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of bones that Blender copies with their pose, and puts in the place of others."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy
from bpy.types import Object, PoseBone

if TYPE_CHECKING:
    from idprop.types import IDPropertyGroup

_OURS = "superpose"  # with which the names of all our properties begin


@contextmanager
def settings_kept(ob: Object) -> Iterator[None]:
    """Have the armature object's bones what they have stored now at the end, too, to the bit."""
    before = ob.copy()
    try:
        yield
        for bone in ob.pose.bones:
            _store(bone, before.pose.bones[bone.name])
    finally:
        bpy.data.objects.remove(before)


def leave_out_settings(ob: Object) -> None:
    """Have the armature object's bones nothing stored; their pose stays."""
    for bone in ob.pose.bones:
        _clear(_stored(bone))


def is_any_set_up(ob: Object) -> bool:
    """Return whether any bone has anything stored; asking stores nothing."""
    return any(bone.is_property_set(_OURS) for bone in ob.pose.bones)


def _store(bone: PoseBone, before: PoseBone) -> None:
    """Store what a copy of the bone has stored, in place of what is there.

    What is stored is itself exchanged: properties would have to be set one by one, and call who listens.
    """
    present, past = _stored(bone), _stored(before)
    _clear(present)
    for name in _names_of_ours(past):
        present[name] = past[name]


def _clear(stored: "PoseBone | IDPropertyGroup") -> None:
    for name in _names_of_ours(stored):
        del stored[name]


def _names_of_ours(stored: "PoseBone | IDPropertyGroup") -> list[str]:
    return [name for name in stored.keys() if name.startswith(_OURS)]


def _stored(bone: PoseBone) -> "PoseBone | IDPropertyGroup":
    """Return what is stored with the bone; Blender 5.0 keeps ours apart from what scripts store."""
    is_apart = hasattr(bone, "bl_system_properties_get")
    return bone.bl_system_properties_get(do_create=True) if is_apart else bone
