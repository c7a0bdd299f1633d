# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joint of the body a control drives: found through constraints, and by where both are at rest."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Constraint, Object, PoseBone

from ...solvers.geometry import Array
from .obstacles import placed_by
from .rig import Rig

# What is farther from the control's head than this part of the control's length is another joint.
_NEAR = 0.1


@dataclass(frozen=True, eq=False)
class DrivenJoint:
    """The head or, with ``is_tail``, the tail of the deforming bone ``name``.

    ``place`` (3,): where it is at rest, in the control's frame and the armature's units.
    """

    name: str
    is_tail: bool
    place: Array


def driven_joints(rig: Rig, ob: Object) -> tuple[DrivenJoint | None, ...]:
    """Return for each effector the joint of the body that goes with it, if it is a control that has one.

    A control is a bone that does not deform, or one at which the solve begins.
    """
    if not any(len(bone.constraints) for bone in ob.pose.bones):
        return (None,) * len(rig.effectors)
    followers, solved = _followers(ob), set(rig.names)
    found = []
    for effector, place in zip(rig.effectors, rig.places, strict=True):
        control = ob.pose.bones[effector.bone]
        is_control = not control.bone.use_deform or rig.parents[place] < 0
        found.append(_nearest_joint(control, followers, solved) if is_control else None)
    return tuple(found)


def _followers(ob: Object) -> dict[str, list[PoseBone]]:
    """Return, by the name of a bone, the bones that constraints let follow it."""
    found: dict[str, list[PoseBone]] = {}
    for bone in ob.pose.bones:
        for constraint in bone.constraints:
            for name in () if constraint.mute else _followed(constraint, ob):
                found.setdefault(name, []).extend(map(ob.pose.bones.get, placed_by(bone, constraint)))
    return found


def _followed(constraint: Constraint, ob: Object) -> Iterator[str]:
    if getattr(constraint, "target", None) == ob:
        yield constraint.subtarget
    for target in getattr(constraint, "targets", ()):
        if target.target == ob:
            yield target.subtarget


def _nearest_joint(
    control: PoseBone, followers: dict[str, list[PoseBone]], solved: set[str]
) -> DrivenJoint | None:
    """Return the joint at the control's head, of those that follow it; heads come before tails."""
    to_control = np.linalg.inv(np.array(control.bone.matrix_local, dtype=np.float64))
    best, least = None, _NEAR * control.bone.length
    for is_tail in (False, True):
        for bone in _reached(control, followers, solved):
            end = bone.bone.tail_local if is_tail else bone.bone.head_local
            place = to_control[:3, :3] @ np.array(end) + to_control[:3, 3]
            if bone.bone.use_deform and np.linalg.norm(place) < least - 1e-6:
                best, least = DrivenJoint(bone.name, is_tail, place), np.linalg.norm(place)
    return best


def _reached(control: PoseBone, followers: dict[str, list[PoseBone]], solved: set[str]) -> list[PoseBone]:
    """Return the bones that follow the control through a constraint, and through however many other bones.

    What parents alone carry needs no control to come along; what is solved, and all that follows it, goes its
    own way.
    """
    waiting, met = [(control, False)], set()
    for bone, is_placed in waiting:
        steps = [(follower, True) for follower in followers.get(bone.name, ())]
        steps += [(child, is_placed) for child in bone.children]
        for follower, placed in steps:
            if follower.name not in solved and (follower.name, placed) not in met:
                met.add((follower.name, placed))
                waiting.append((follower, placed))
    return [bone for bone, is_placed in waiting if is_placed]
