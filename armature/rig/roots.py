# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that begin a solve: what carries them, and which way they may move."""

from collections.abc import Set

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers.geometry import Array, Mask
from ..setup.effectors import effectors_of, is_effector
from .varying import are_varying, lasting_weights


def root_arrays(
    ob: Object,
    bones: list[PoseBone],
    effector_bones: list[PoseBone],
    stiffness: Array,
    blocked: dict[str, str],
) -> dict:
    """Return what a ``Rig`` says of its roots: which way each may move, and along which axes of its own."""
    setup, solved = ob.superpose, {bone.name for bone in bones}
    stays = stays_by_itself(ob)
    maps, free = np.zeros((len(bones), 3, 3)), np.zeros((len(bones), 3), bool)
    for index, bone in enumerate(bones):
        if bone.parent is None or bone.parent.name not in solved:
            maps[index] = _location_map(bone)
            held = bone.bone.use_connect or (stiffness[index] == 1 and bone.name in blocked)
            # A limb of controls stays where it hangs, but a control that is to follow a target goes there.
            held = held or ((hangs(ob, bone) or stays) and bone not in effector_bones)
            if setup.root_location == 'FREE' and any(setup.root_axes) and not held:
                free[index] = ~np.array(bone.lock_location)
    return {"location_maps": maps, "free_location": free, "scene_axes": np.array(setup.root_axes)}


def only_turning(
    bones: list[PoseBone], effector_bones: list[PoseBone], free: Mask, paths: Set[str]
) -> list[str]:
    """Return a note for each effector that nothing can bring to its target's place: roots that stay there."""
    is_held = {bone.name: not any(axes) for bone, axes in zip(bones, free, strict=True)}
    return [
        f"'{bone.name}' can only turn: no bone above it is solved, and its own location is not free"
        for bone in filter(is_effector, effector_bones)
        if is_held[bone.name] and (bone.parent is None or bone.parent.name not in is_held)
        if bone.superpose.target is not None and lasting_weights(bone, are_varying(bone, paths))[0] > 0
    ]


def stays_by_itself(ob: Object) -> bool:
    """Return whether roots stay where they are, though none was told to.

    A body that one bone alone leads, or a hand on a bone that is no effector, would come along as it is; with
    one effector it does where the user has chosen that.
    """
    if len(ob.superpose.goals):
        return False
    count = sum(bone.superpose.enabled for bone in effectors_of(ob))
    return count == 0 or (count == 1 and not ob.superpose.is_property_set("root_location"))


def hangs(ob: Object, root: PoseBone) -> bool:
    """Return whether the mechanism of the rig carries this root, rather than that the user chose it."""
    return root.parent is not None and root.name != ob.superpose.root_bone


def _location_map(bone: PoseBone) -> Array:
    """Return the axes (3, 3) of the bone's location channel in its parent's frame (none: armature space)."""
    if not bone.bone.use_local_location:
        return np.eye(3)
    rest = np.array(bone.bone.matrix_local)[:3, :3]
    return np.array(bone.parent.bone.matrix_local)[:3, :3].T @ rest if bone.parent else rest
