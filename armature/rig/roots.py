# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that begin a solve: what carries them, and which way they may move."""

from collections.abc import Set

import numpy as np
from bpy.types import Constraint, Object, PoseBone

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
    stays = _stays_by_itself(ob)
    maps, free = np.zeros((len(bones), 3, 3)), np.zeros((len(bones), 3), bool)
    for index, bone in enumerate(bones):
        if bone.parent is None or bone.parent.name not in solved:
            maps[index] = _location_map(bone)
            held = bone.bone.use_connect or (stiffness[index] == 1 and bone.name in blocked)
            # A limb of controls stays where it hangs, but a control that is to follow a target goes there.
            held = held or ((hangs(ob, bone) or stays) and bone not in effector_bones)
            held = held or any(only_slides(ob, bone, each) for each in bone.constraints)
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


def is_led_alone(ob: Object) -> bool:
    """Return whether one effector alone leads the body, which would come along as it is.

    So roots stay where they are, unless the user has chosen otherwise.
    """
    count = sum(bone.superpose.enabled for bone in effectors_of(ob))
    return count == 1 and not (len(ob.superpose.goals) or ob.superpose.is_property_set("root_location"))


def _stays_by_itself(ob: Object) -> bool:
    """Return whether roots stay, though none was told to.

    One effector leads the body alone, or no more than a hand on a bone that is none.
    """
    is_set_up = len(ob.superpose.goals) or any(bone.superpose.enabled for bone in effectors_of(ob))
    return not is_set_up or is_led_alone(ob)


def hangs(ob: Object, root: PoseBone) -> bool:
    """Return whether the mechanism of the rig carries this root, rather than that the user chose it."""
    return root.parent is not None and root.name != ob.superpose.root_bone


def only_slides(ob: Object, bone: PoseBone, constraint: Constraint) -> bool:
    """Return whether the constraint says no more than how far a bone slides on the one that carries it.

    The solve leaves that alone, and where the bone is on its parent is measured in every frame.
    """
    is_own = constraint.type == 'LIMIT_LOCATION' and constraint.owner_space == 'LOCAL'
    return is_own and hangs(ob, bone)


def _location_map(bone: PoseBone) -> Array:
    """Return the axes (3, 3) of the bone's location channel in its parent's frame (none: armature space)."""
    if not bone.bone.use_local_location:
        return np.eye(3)
    rest = np.array(bone.bone.matrix_local)[:3, :3]
    return np.array(bone.parent.bone.matrix_local)[:3, :3].T @ rest if bone.parent else rest
