# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set on a library override is in the file that is saved.

Blender saves of an override what differs from the linked original. If the original has none of our groups,
Blender from 5.0 on notes that the whole group differs, and cannot put it back when the file is opened.
Reading a group stores it, in linked data too; then its settings are compared one by one. The same is true the
other way round: if the override has no group any more, Blender could not take away the original's.
"""

import bpy
from bpy.app.handlers import persistent, save_pre
from bpy.types import Object, PoseBone


@persistent
def _store_in_both(*_: object) -> None:
    """Give overrides and their originals the groups that the other has."""
    for ob in bpy.data.objects:
        original = ob.override_library and ob.override_library.reference
        if original:
            _store(ob, original)
            for bone in ob.pose.bones if ob.pose and original.pose else ():
                _store(bone, original.pose.bones.get(bone.name))


def _store(owner: Object | PoseBone, original: Object | PoseBone | None) -> None:
    """Read of each of both our groups that the other has."""
    if original is None or not any(each.is_property_set("superpose") for each in (owner, original)):
        return
    ours, originals = owner.superpose, original.superpose
    for name in ("limit", "comfort"):
        if name in ours.bl_rna.properties and any(each.is_property_set(name) for each in (ours, originals)):
            getattr(ours, name)
            getattr(originals, name)


def register() -> None:
    save_pre.append(_store_in_both)


def unregister() -> None:
    save_pre.remove(_store_in_both)
