# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What most likely moves a bone or a target besides the channels that were solved, in words."""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from bpy.types import ID, NlaTrack, Object, PoseBone

from ..fcurves.actions import curves_of, curves_of_strip, drivers_of
from ..fcurves.paths import bone_and_property, is_transform
from .obstacles import is_active, placed_by
from .plain import is_plainly_built
from .precision import are_even


def what_moves_bone(ob: Object, name: str) -> str:
    """Return what most likely has a say in where the bone is, besides its channels.

    Where that is nothing of its own, bones above it and the armature object come next.
    """
    own = ob.pose.bones[name]
    of_bones = (_causes_of(ob, bone) for bone in (own, *own.parent_recursive))
    causes = chain(*of_bones, _constraints_on(ob), _by_drivers(ob, ""))
    if is_plainly_built(ob):
        uneven = next((bone.name for bone in own.parent_recursive if not are_even(np.array(bone.scale))), "")
        if uneven:
            return f"the scale of '{uneven}', not quite alike along all axes, bends what hangs on it"
        return f"single precision is too coarse for '{name}', so far from its origin or after so many turns"
    return next(causes, f"something besides its channels moves '{name}'")


def what_moves_target(ob: Object, effector: str) -> str:
    """Return what most likely makes the place where the effector should be follow the solve."""
    if _drives_influence(ob, effector):
        return f"the driver on the influence of '{effector}'"
    settings = ob.pose.bones[effector].superpose
    target = settings.target
    link = target.pose.bones.get(settings.target_bone) if settings.target_bone else None
    links = (link, *link.parent_recursive) if link else ()
    of_bones = (_causes_of(target, link) for link in links)
    of_objects = (chain(_constraints_on(thing), _by_drivers(thing, "")) for thing in _with_parents(target))
    for cause in chain(*of_bones, *of_objects):
        return f"{cause} moves its target"
    for thing in _with_parents(target):
        if thing.superpose_live and thing != ob:
            return f"'{thing.name}', which is live too, moves its target"
    parents = [thing.name for thing in _with_parents(target)][1:]
    if parents:
        return f"parent '{parents[0]}' moves its target"
    return f"something moves its target '{target.name}'"


def _causes_of(ob: Object, bone: PoseBone) -> Iterator[str]:
    return chain(_constraints_on(bone), _chains_over(bone), _animation_of(ob, bone.name))


def _constraints_on(owner: PoseBone | Object) -> Iterator[str]:
    for constraint in sorted(owner.constraints, key=is_active, reverse=True):
        yield f"constraint '{constraint.name}' on '{owner.name}'"


def _chains_over(bone: PoseBone) -> Iterator[str]:
    """Yield the constraints of other bones that place this one too."""
    for other in bone.children_recursive:
        for constraint in other.constraints:
            if bone.name in placed_by(other, constraint):
                yield f"constraint '{constraint.name}' on '{other.name}'"


def _animation_of(ob: Object, bone: str) -> Iterator[str]:
    """Yield what drives or animates the bone's settings, then what the NLA makes of its channels."""
    for owner in (ob, ob.data):
        yield from _by_drivers(owner, bone)
        for path in sorted({curve.data_path for curve in curves_of(owner.animation_data)}):
            name, prop = bone_and_property(path)
            if name == bone and not is_transform(prop):
                yield f"the animation of {prop} of '{bone}'"
    for owner in (ob, ob.data):
        for track in owner.animation_data.nla_tracks if owner.animation_data else ():
            for prop in sorted(_props_in(track, bone), key=is_transform):
                yield f"the animation of {prop} of '{bone}' in NLA track '{track.name}'"


def _props_in(track: NlaTrack, bone: str) -> set[str]:
    paths = {curve.data_path for strip in track.strips for curve in curves_of_strip(strip)}
    return {prop for name, prop in map(bone_and_property, paths) if name == bone}


def _drives_influence(ob: Object, effector: str) -> bool:
    places = (bone_and_property(curve.data_path) for curve in drivers_of(ob.animation_data))
    return (effector, "superpose_influence") in places


def _by_drivers(owner: ID, bone: str) -> Iterator[str]:
    for curve in drivers_of(owner.animation_data):
        name, prop = bone_and_property(curve.data_path)
        if name == bone:
            yield f"the driver on {prop} of '{bone or owner.name}'"


def _with_parents(thing: Object) -> Iterator[Object]:
    while thing is not None:
        yield thing
        thing = thing.parent
