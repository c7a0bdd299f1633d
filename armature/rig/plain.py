# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether nothing but the solved channels can have a say in where effectors and their targets end up.

What is known to be harmless is listed; everything else counts as having a say, and the result is measured.
"""

import bpy
from bpy.types import ID, AnimData, Object
from mathutils import Matrix

from ..fcurves.actions import curves_of, others_moved
from ..fcurves.paths import bone_and_property, is_of_goal, is_transform
from ..setup.effectors import effectors_of
from .precision import is_posed_finely

_ADDON = __package__.rpartition(".armature")[0]
_HANDLERS = ("frame_change_pre", "frame_change_post", "depsgraph_update_pre", "depsgraph_update_post")


def is_plain(ob: Object) -> bool:
    """Return whether what is solved for the armature object is what Blender shows, in every frame.

    As far as its pose is as close to the armature's origin as it is now.
    """
    return is_plainly_built(ob) and is_posed_finely(ob)


def is_plainly_built(ob: Object) -> bool:
    """Return whether nothing but rounding can have another say in what Blender shows."""
    asked = [*(bone.superpose for bone in effectors_of(ob)), *ob.superpose.goals]
    wanted = [goal for goal in asked if goal.target]
    carriers = {goal.target for goal in wanted if goal.target_bone and goal.target.pose}
    return (
        not has_other_handlers()
        and not (ob.animation_data and others_moved(ob.animation_data))  # whom a target may hang on
        and all(_has_plain_pose(armature) for armature in {ob, *carriers})
        and all(_stands_by_itself(thing) for thing in {ob, *(goal.target for goal in wanted)})
    )


def has_other_handlers() -> bool:
    """Return whether scripts of others take part in what a frame looks like."""
    functions = (function for name in _HANDLERS for function in getattr(bpy.app.handlers, name))
    modules = (getattr(function, "__module__", None) or "" for function in functions)  # None: made by exec
    return any(not module.startswith(_ADDON) for module in modules)


def _has_plain_pose(ob: Object) -> bool:
    """Return whether the bones of an armature are placed by their channels, and those by keys at most."""
    return (
        not any(len(bone.constraints) for bone in ob.pose.bones)
        and _is_still(ob.data)
        and (ob.animation_data is None or _animates_transforms(ob.animation_data))
    )


def _is_still(data: ID) -> bool:
    animation = data.animation_data
    return animation is None or not (animation.action or len(animation.drivers) or len(animation.nla_tracks))


def _animates_transforms(animation: AnimData) -> bool:
    animated = {bone_and_property(curve.data_path)[1] for curve in curves_of(animation)}
    harmless = all(is_transform(prop) or is_of_goal(prop) for prop in animated)
    return harmless and not (len(animation.drivers) or len(animation.nla_tracks))


def place_of(thing: Object) -> Matrix:
    """Return the world matrix of an object; where nothing but its own channels has a say, as it will be once
    these are evaluated."""
    is_known = thing.parent is None and _stands_by_itself(thing)
    return thing.matrix_basis if is_known else thing.matrix_world


def _stands_by_itself(thing: Object) -> bool:
    """Return whether nothing carries the object but plain parents."""
    animation = thing.animation_data
    if len(thing.constraints) or thing.rigid_body or (animation and len(animation.drivers)):
        return False
    parent = thing.parent
    if parent is None:
        return True
    # Children of curves may follow their path, and vertices their mesh.
    follows_shape = parent.type == 'CURVE' or thing.parent_type not in {'OBJECT', 'ARMATURE', 'BONE'}
    follows_pose = thing.parent_type == 'BONE' and not _has_plain_pose(parent)
    return not (follows_shape or follows_pose) and _stands_by_itself(parent)
