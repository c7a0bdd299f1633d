# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones of a rig with controls are its joints, how they hang together, and which are its controls."""

from collections.abc import Iterator, Sequence
from math import pi

import numpy as np
from bpy.types import Bone, Object, PoseBone

from ...solvers.geometry import Mask
from ..errors import RigError
from ..joints.locks import FOUR_DIMENSIONAL, is_fully_locked
from ..rig.obstacles import obstacles
from ..setup.body import recognised_body
from ..setup.sides import extent

# Of the figure's size: how far apart two bones are that lie in the same place.
_SAME_PLACE = 1e-3


def joints_of(ob: Object) -> list[str]:
    """Return the bones that are parts of the body which the armature object is, the hips first."""
    body = recognised_body(ob)
    if not body.roles:
        raise RigError(f"What body '{ob.name}' is was not recognised")
    first = body.holds().get("hips")
    return sorted(body.roles, key=lambda name: (name != first, ob.data.bones.find(name)))


def check_has_controls(ob: Object) -> None:
    """Raise RigError unless something else than their own channels places joints of the armature object."""
    if not obstacles(ob).keys() & set(joints_of(ob)):
        raise RigError(
            f"The joints of '{ob.name}' follow no controls: press Set Up Body and pose it as it is"
        )


def joints_alike(ob: Object, other: Object) -> dict[str, str]:
    """Return the joints of ``other`` that each joint of ``ob`` is in the same body, told by their roles.

    Parts that have more joints in one than in the other are left out. Raises RigError where there are none,
    or where they lie elsewhere at rest.
    """
    body, same = recognised_body(ob), recognised_body(other)
    parts = dict.fromkeys((role.part, role.side) for role in body.roles.values())
    found = {}
    for part in parts:
        bones = body.bones(*part), same.bones(*part)
        found.update(zip(*bones, strict=True) if len(bones[0]) == len(bones[1]) else ())
    if not found:
        raise RigError(f"'{ob.name}' and '{other.name}' have no joints in common")
    for name, joint in found.items():
        apart = (ob.data.bones[name].head_local - other.data.bones[joint].head_local).length
        if apart > _SAME_PLACE * extent(other):
            raise RigError(
                f"'{ob.name}' is not the body of '{other.name}': at rest '{name}' is not at '{joint}'"
            )
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


def controls_of(ob: Object, behind: set[str]) -> list[str]:
    """Return those of the bones ``behind`` the joints that are moved by hand, in the armature's order.

    They have a shape of their own, as controls have; one that inverse kinematics places may say which way a
    limb bends. Where no bone has a shape they are those that nothing else places.
    """
    bones = [bone for bone in ob.pose.bones if bone.name in behind]
    shaped, placed = [bone for bone in bones if bone.custom_shape], obstacles(ob)
    chosen = shaped or [bone for bone in bones if bone.name not in placed]
    return [bone.name for bone in chosen if any((*turns_free(bone), *shifts_free(bone)))]


def stay(hang_on_nothing: Mask, shift: Mask, moves: Mask) -> Mask:
    """Return which controls (c,) stay where they are, as others can do all that they would.

    Those that ``hang_on_nothing`` (c,) and all of whose joints others can ``shift`` (c,): what says where the
    figure stands is no part of its pose. ``moves`` (c, j): which joints a control may move.
    """
    by_others = (moves & shift[:, None]).sum(axis=0) - (moves & shift[:, None])
    stays: Mask = hang_on_nothing & ((by_others > 0) | ~moves).all(axis=1)
    return stays


def turns_free(bone: PoseBone) -> list[bool]:
    """Return about which of its own axes a control may turn: one that is partly locked about a free one, and
    only as long as it is not turned about others."""
    free = [not lock for lock in bone.lock_rotation]
    if all(free) and not _is_held_by_w(bone):
        return free
    is_hinge = bone.rotation_mode not in FOUR_DIMENSIONAL and free.count(True) == 1
    turned = np.abs(bone.rotation_euler)[~np.array(free)].max(initial=0.0) if is_hinge else 1.0
    return free if not is_fully_locked(bone) and turned == 0 else [False] * 3


def _is_held_by_w(bone: PoseBone) -> bool:
    return bone.rotation_mode in FOUR_DIMENSIONAL and bone.lock_rotations_4d and bone.lock_rotation_w


def shifts_free(bone: PoseBone) -> list[bool]:
    """Return along which of its axes a control may be moved."""
    is_connected = bone.bone.use_connect and bone.parent is not None
    return [not (lock or is_connected) for lock in bone.lock_location]
