# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that name a bone go on naming it when it is renamed.

Blender tells nobody that a bone gets another name, but what is stored on a pose bone stays with it. So the
bone that a setting names stores the name by which it was chosen, and the setting looks for that.
"""

from collections.abc import Callable

from bpy.types import ID, Object, PoseBone, PropertyGroup

from . import OVERRIDABLE

KEPT = {
    "description": "By which name the bone was chosen",
    "options": {'HIDDEN'},
    **OVERRIDABLE,
}
Owner = Callable[[PropertyGroup], ID | None]


def naming(stored: str, owner: Owner) -> dict[str, Callable]:
    """Return how a property that names a bone of the ``owner`` gets and sets it; ``stored`` keeps it."""
    return {
        "get": lambda setting: present_name(owner(setting), getattr(setting, stored)),
        "set": lambda setting, name: setattr(setting, stored, lasting_name(owner(setting), name)),
    }


def own_armature(setting: PropertyGroup) -> ID:
    return setting.id_data


def target_armature(setting: PropertyGroup) -> ID | None:
    return setting.target


def present_name(ob: ID | None, lasting: str) -> str:
    """Return what the bone is called that was chosen by a name; the name itself where there is none."""
    if not lasting or not isinstance(ob, Object) or ob.pose is None:
        return lasting
    bone = ob.pose.bones.get(lasting)
    if bone is not None and _chosen_as(bone) == lasting:
        return lasting
    return next((bone.name for bone in ob.pose.bones if _chosen_as(bone) == lasting), lasting)


def lasting_name(ob: ID | None, name: str) -> str:
    """Return by which name the bone is found from now on, also once it is renamed; stored on the bone."""
    bone = ob.pose.bones.get(name) if isinstance(ob, Object) and ob.pose else None
    if bone is None or not ob.is_editable:
        return name
    if present_name(ob, _chosen_as(bone)) != name:  # Symmetrize and Duplicate copy what is stored on a bone
        taken = set(map(_chosen_as, ob.pose.bones))
        while name in taken:  # a bone that was called so once
            name += "'"
        bone.superpose.chosen_as = name
    return bone.superpose.chosen_as


def _chosen_as(bone: PoseBone) -> str:
    # Merely reading a group would store it.
    return bone.superpose.chosen_as if bone.is_property_set("superpose") else ""
