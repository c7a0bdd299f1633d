# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones of a rig with controls are its joints, how they hang together, and which are its controls."""

from collections.abc import Iterator, Sequence
from math import pi

import numpy as np
from bpy.types import Bone, Object

from ...solvers.geometry import Mask
from ..errors import RigError
from ..rig.obstacles import obstacles
from ..setup.body import recognised_body
from ..setup.sides import extent
from .free import driven_channels, shifts_free, turns_free

# Of the figure's size: how far apart two bones are that lie in the same place.
_SAME_PLACE = 1e-3
# What a beginning that all joints' names share ends with, such as ORG- or mixamorig:
_MARKS = "-_:."


def joints_of(ob: Object) -> list[str]:
    """Return the bones that are parts of the body which the armature object is, the hips first."""
    body = recognised_body(ob)
    if not body.roles:
        raise RigError(f"The body of '{ob.name}' was not recognised")
    first = body.holds().get("hips")
    return sorted(body.roles, key=lambda name: (name != first, ob.data.bones.find(name)))


def check_has_controls(ob: Object) -> None:
    """Raise RigError unless something else than their own channels places joints of the armature object."""
    if not obstacles(ob).keys() & set(joints_of(ob)):
        raise RigError(
            f"The joints of '{ob.name}' follow no controls: press Set Up Body and pose it as it is"
        )


def without_prefix(names: Sequence[str]) -> dict[str, str]:
    """Return the names without what all of them begin with, up to a mark."""
    first = names[0]
    ends = (end + 1 for end, letter in enumerate(first) if letter in _MARKS)
    shared = max((end for end in ends if all(name[:end] == first[:end] for name in names)), default=0)
    return {name: name[shared:] for name in names}


def joints_alike(ob: Object, other: Object) -> dict[str, str]:
    """Return, for each joint of ``ob``, the joint of ``other`` that is in the same place of the body.

    They are paired by their names, if all names are the same but for a common beginning. Else they are paired
    by their roles; parts that have more joints in one body than in the other are left out then. Raises
    RigError if there are none, or if they lie elsewhere at rest.
    """
    found = _alike_by_names(ob, other) or _alike_by_roles(ob, other)
    if not found:
        raise RigError(f"'{ob.name}' and '{other.name}' have no joints in common")
    for name, joint in found.items():
        apart = (ob.data.bones[name].head_local - other.data.bones[joint].head_local).length
        if apart > _SAME_PLACE * extent(other):
            raise RigError(
                f"'{ob.name}' is not the body of '{other.name}': at rest '{name}' is not at '{joint}'"
            )
    return found


def _alike_by_names(ob: Object, other: Object) -> dict[str, str]:
    joints = {name: joint for joint, name in without_prefix(joints_of(other)).items()}
    return joints if joints.keys() <= set(ob.data.bones.keys()) else {}


def _alike_by_roles(ob: Object, other: Object) -> dict[str, str]:
    body, same = recognised_body(ob), recognised_body(other)
    parts = dict.fromkeys((role.part, role.side) for role in body.roles.values())
    found: dict[str, str] = {}
    for part in parts:
        bones = body.bones(*part), same.bones(*part)
        found.update(zip(*bones, strict=True) if len(bones[0]) == len(bones[1]) else ())
    return found


def parent_joints(ob: Object, joints: Sequence[str]) -> dict[str, str | None]:
    """Return the joint that each joint hangs on, or None: joints themselves often hang on controls.

    What counts is on what any bone in the same place hangs, as deforming bones often do on each other; else
    which joint ends where it begins, and else the first one.
    """
    bones, near = ob.data.bones, _SAME_PLACE * extent(ob)
    twins = {joint: [bones[joint], *_in_same_place(bones, bones[joint], near)] for joint in joints}
    joint_at = {bone.name: joint for joint, alike in twins.items() for bone in alike}
    found: dict[str, str | None] = {joints[0]: None}
    for joint in joints[1:]:
        head = bones[joint].head_local
        above = (joint_at.get(parent.name) for twin in twins[joint] for parent in twin.parent_recursive)
        ends = (other for other in joints if (bones[other].tail_local - head).length <= near)
        on = (name for name in (*above, *ends) if name and joint not in _line(found, name))
        found[joint] = next(on, joints[0])
    return found


def _line(parents: dict[str, str | None], name: str | None) -> Iterator[str]:
    """Yield the joint and those that it is known to hang on."""
    while name is not None:
        yield name
        name = parents.get(name)


def _in_same_place(bones: Sequence[Bone], bone: Bone, near: float) -> Iterator[Bone]:
    """Yield the bones that begin and point where the bone does."""
    along = bone.tail_local - bone.head_local
    for other in bones:
        if (other.head_local - bone.head_local).length <= near:
            if (other.tail_local - other.head_local).angle(along, pi) < _SAME_PLACE:
                yield other


def controls_of(ob: Object, behind: set[str]) -> tuple[list[str], list[str]]:
    """Return which bones ``behind`` the joints are moved by hand, and which would be if they were not locked.

    Both are in the armature's order. Controls have a shape of their own; one that inverse kinematics places
    may say which way a limb bends. If no bone has a shape, controls are the bones that nothing else places.
    """
    bones = [bone for bone in ob.pose.bones if bone.name in behind]
    shaped, placed = [bone for bone in bones if bone.custom_shape], obstacles(ob)
    chosen = shaped or [bone for bone in bones if bone.name not in placed]
    driven, found = driven_channels(ob), ([], [])
    for bone in chosen:
        is_free = any((*turns_free(bone, driven), *shifts_free(bone, driven)))
        found[not is_free].append(bone.name)
    return found


def stay(hang_on_nothing: Mask, shift: Mask, moves: Mask) -> Mask:
    """Return which controls (c,) stay where they are, since others can do all that they would do.

    Where a figure stands is no part of its pose. So controls stay that ``hang_on_nothing`` (c,) and carry all
    that moves, if others that do not stay can ``shift`` (c,) it. ``moves`` (c, j): which joints a control may
    move.
    """
    moved, stays = moves.any(axis=0), np.zeros(len(moves), bool)
    for control in np.flatnonzero(hang_on_nothing & moves[:, moved].all(axis=1) & moved.any()).tolist():
        others = shift & ~stays
        others[control] = False
        stays[control] = moves[np.ix_(others, moved)].any(axis=0).all()
    return stays
