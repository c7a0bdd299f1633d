# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of a body that follows another one: its own where they can be had, else new ones."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
from bpy.types import Collection, Context, Object, PoseBone
from mathutils import Matrix

from ..problem.places import target_matrix
from ..setup.effectors import effectors_of
from ..setup.empties import made_for, make_target
from .lead import Lead

_NO_DELTA = Matrix.Identity(4)


@contextmanager
def targets_given(context: Context, lead: Lead) -> Iterator[dict[str, Object]]:
    """Give a target of its own to each effector that follows, and disable the others that would stand still.

    Of these the targets that they have stand still. Yields the targets of those that follow, by effector. If
    what is done with them fails or is stopped, all is as it was before.
    """
    before = _before(context, lead.follower)
    try:
        for bone in (lead.follower.pose.bones[name] for name in lead.others):
            if (own := _own_target(lead.follower, bone)) and own.animation_data is None:
                bone.superpose.target = None
            bone.superpose.enabled &= bone.superpose.target is not None
        yield {name: _given(context, lead.follower, name) for name in lead.bones}
    except BaseException:  # a closed generator's GeneratorExit comes by here too
        before.put_back(context, lead.follower)
        raise


@dataclass(frozen=True, eq=False)
class _Before:
    """The ``targets`` of effectors, each an object and a bone of it, which are ``enabled``, the targets'
    ``collection``, and those that the scene has ``at_hand``.
    """

    targets: Mapping[str, tuple[Object | None, str]]
    enabled: Mapping[str, bool]
    collection: Collection | None
    at_hand: Sequence[Collection]

    def put_back(self, context: Context, ob: Object) -> None:
        """Give the armature its targets back, and delete those that it has been given."""
        kept = {target for target, _ in self.targets.values()}
        for name, (target, target_bone) in self.targets.items():
            settings = ob.pose.bones[name].superpose
            settings.enabled = self.enabled[name]
            given, settings.target, settings.target_bone = settings.target, target, target_bone
            if given is not None and given not in kept:
                bpy.data.objects.remove(given)
        for collection in set(context.scene.collection.children).difference(self.at_hand):
            context.scene.collection.children.unlink(collection)
        given, ob.superpose.collection = ob.superpose.collection, self.collection
        if given != self.collection:
            bpy.data.collections.remove(given)


def _before(context: Context, ob: Object) -> _Before:
    effectors = effectors_of(ob)
    targets = {bone.name: (bone.superpose.target, bone.superpose.target_bone) for bone in effectors}
    enabled = {bone.name: bone.superpose.enabled for bone in effectors}
    return _Before(targets, enabled, ob.superpose.collection, list(context.scene.collection.children))


def _given(context: Context, ob: Object, name: str) -> Object:
    """Return the target that an effector has been given."""
    bone = ob.pose.bones[name]
    target = _own_target(ob, bone) or make_target(context, ob, bone, target_matrix(ob, name))
    bone.superpose.target, bone.superpose.target_bone = target, ""
    return target


def _own_target(ob: Object, bone: PoseBone) -> Object | None:
    """Return the effector's target if it can be moved elsewhere without taking it from anybody.

    So it is there, was made for the armature, is moved by nothing but its own keys, and one effector has it.
    """
    target = bone.superpose.target
    if target is None or target.type != 'EMPTY' or made_for(target) != ob or target.library:
        return None
    if not target.users_scene:  # deleted by the user; our pointer is what keeps it in the file
        return None
    animation = target.animation_data
    is_driven = animation and (animation.drivers or animation.nla_tracks)
    if target.parent or target.constraints or is_driven or not _is_plain(target):
        return None
    askers = sum(other.superpose.target == target for other in effectors_of(ob))
    return target if askers == 1 else None


def _is_plain(target: Object) -> bool:
    """Return whether the object is where its location and rotation say, and not turned inside out."""
    delta = Matrix.LocRotScale(target.delta_location, target.delta_rotation_quaternion, target.delta_scale)
    return delta == _NO_DELTA and not any(target.delta_rotation_euler) and min(target.scale) > 0
