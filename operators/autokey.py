# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic keyframing as the user has set it, for channels that an operator has written."""

from bpy.types import Context, Object, PoseBone

from ..armature import Rig, RigError, write_pose
from ..armature.fcurves.actions import curves_of
from ..solvers import Pose

Owner = PoseBone | Object


def is_on(context: Context) -> bool:
    """Return whether the user records what is done."""
    return context.scene.tool_settings.use_keyframe_insert_auto


def check_action(context: Context, ob: Object) -> None:
    """Raise RigError if keys would have to go into an action that cannot be edited."""
    action = ob.animation_data.action if ob.animation_data else None
    if is_on(context) and action is not None and not action.is_editable:
        raise RigError(f"Action '{action.name}' of '{ob.name}' is linked and cannot be edited")


def write_and_key(context: Context, ob: Object, rig: Rig, pose: Pose) -> None:
    """Write a pose of one row to the armature, and key what it changed where automatic keyframing says so."""
    written = write_pose(rig, ob, pose)
    ob.update_tag()
    context.view_layer.update()
    key_channels(context, [(ob.pose.bones[bone], path) for bone, path in written])


def key_channels(context: Context, channels: list[tuple[Owner, str]]) -> None:
    """Key properties of bones and objects, their locked channels left out, where the user records."""
    if not is_on(context):
        return
    options, allowed = insertion_options(context), allowed_paths(context)
    for owner, path in channels:
        if allowed is None or (owner.id_data, owner.path_from_id(path)) in allowed:
            insert_keys(context, owner, path, options)


def insertion_options(context: Context) -> set[str]:
    """Return what ``keyframe_insert`` has to be told of the user's preferences."""
    edit, tools = context.preferences.edit, context.scene.tool_settings
    choices = {
        'INSERTKEY_NEEDED': edit.use_auto_keyframe_insert_needed,
        'INSERTKEY_REPLACE': tools.auto_keying_mode == 'REPLACE_KEYS',
        'INSERTKEY_CYCLE_AWARE': tools.use_keyframe_cycle_aware,
    }
    return {name for name, chosen in choices.items() if chosen}


def allowed_paths(context: Context) -> set | None:
    """Return the (object, path) pairs of the active keying set if only that is to be keyed, else None."""
    keying_set = context.scene.keying_sets_all.active
    if not (context.scene.tool_settings.use_keyframe_insert_keyingset and keying_set):
        return None
    keying_set.refresh()
    return {(path.id, path.data_path) for path in keying_set.paths}


def insert_keys(context: Context, owner: Owner, path: str, options: set[str]) -> None:
    """Key the channels of one property that are not locked, and have a curve if the user wants only those."""
    group = owner.name if isinstance(owner, PoseBone) else "Object Transforms"
    only_available = context.preferences.edit.use_keyframe_insert_available
    available = animated_indices(owner, path) if only_available else range(4)
    for index, locked in enumerate(locks_of(owner, path)):
        if not locked and index in available:
            owner.keyframe_insert(path, index=index, options=options, group=group)


def animated_indices(owner: Owner, path: str) -> set[int]:
    """Return which channels of the property have an F-curve; Blender's own option warns of the others."""
    animation, full_path = owner.id_data.animation_data, owner.path_from_id(path)
    curves = curves_of(animation) if animation else []
    return {curve.array_index for curve in curves if curve.data_path == full_path}


def locks_of(owner: Owner, path: str) -> list[bool]:
    """Return which channels of the property the user has locked."""
    if path == "location":
        return list(owner.lock_location)
    if path == "rotation_euler":
        return list(owner.lock_rotation)
    if owner.lock_rotations_4d:
        return [owner.lock_rotation_w, *owner.lock_rotation]
    return [all(owner.lock_rotation)] * 4
