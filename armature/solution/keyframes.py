# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""From channels over frames to keys: each F-curve is written once, other curves and keys outside stay."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import bpy
import numpy as np
from bpy.types import AnimData, FCurve, NlaStrip, Object

from ...solvers.geometry import Array, Indices, Mask
from ..errors import RigError
from ..fcurves.actions import assign, choose_slot, curves_of, curves_to_key, is_muted, new_curve
from ..fcurves.beside import Borders, replace_between
from ..fcurves.keys import replace_keys
from ..fcurves.paths import bone_and_property, is_ik_limit, is_transform
from ..joints.turns import rotation_path
from ..rig.movers import animated_paths
from ..rig.reading import check_armature
from .channels import Channels

ActionMode = Literal['NEW', 'CURRENT']
_MARGIN = 1e-3  # frames; keys this near to one of the range are in it


@dataclass(frozen=True, eq=False)
class _Track:
    """The values (frames,) of one channel of one bone; ``present``: its value where nothing animates it."""

    bone: str
    path: str
    index: int
    values: Array
    present: float


class Bones(Protocol):
    """Bones of an armature object: their names, places in ``ob.pose.bones``, and rotation modes."""

    names: tuple[str, ...]
    indices: Indices
    modes: tuple[str, ...]


def write_keys(
    ob: Object,
    rig: Bones,
    times: Sequence[float],
    channels: Channels,
    action_mode: ActionMode = 'NEW',
    frame: float = 1.0,
) -> int:
    """Write a key for each of the times to every channel that the solve changed; return how many F-curves.

    'NEW' works on a copy of the present action, which stays in the file; 'CURRENT' on the action itself.
    Keys of these channels from the first to the last of the ascending times are replaced. Where the bones
    have keys beside them, the body stays as it was from a ``frame`` (a time) beside them on; where NLA strips
    alone animate it, these are seen there. While an NLA strip is tweaked, times are those
    outside it. Raises RigError, with nothing changed, where keys cannot go.
    """
    check_armature(ob)
    tracks = list(_tracks(ob, rig, channels))
    check_keys(ob, rig, times, tracks, action_mode)
    has_strips = _are_strips_alone(ob.animation_data, tracks)
    animation = take_action(ob, action_mode)
    if has_strips:
        animation.action_extrapolation = 'NOTHING'
    at = action_times(animation, [times[0] - frame, *times, times[-1] + frame])
    way = slice(None, None, 1 if at[0] < at[-1] else -1)  # a strip may play its action backwards
    before, *own_times, after = at[way]
    curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(animation)}
    before_times, after_times = _keys_beside(rig, curves, np.array(own_times))
    beside = before_times[0], after_times[-1]
    borders = [border if there else None for border, there in zip((before, after), beside, strict=True)]
    for track in tracks:
        place = track.path, track.index
        curve = curves.get(place)
        knows = any(beside) and (curve is not None or not animation.nla_tracks)  # what is there without keys
        curve = curve or new_curve(animation, *place, track.bone)
        if knows:
            replace_between(curve, np.array(own_times), track.values[way], Borders(*borders, track.present))
        else:
            replace_keys(curve, np.array(own_times), track.values[way])
    ob.update_tag()
    return len(tracks)


def _are_strips_alone(animation: AnimData | None, tracks: Sequence[_Track]) -> bool:
    """Return whether NLA strips, without an action, show beside a range what the body is like there.

    What no strip animates is at its default there, once anything in the NLA does.
    """
    if animation is None or animation.action is not None or not animation.use_nla:
        return False
    animated = animated_paths(animation)
    is_any = any(track.path in animated for track in tracks)
    return is_any and all(track.path in animated or track.present == _default(track) for track in tracks)


def _default(track: _Track) -> float:
    properties = bpy.types.PoseBone.bl_rna.properties
    return properties[bone_and_property(track.path)[1]].default_array[track.index]


def keys_beside(ob: Object, rig: Bones, times: Sequence[float]) -> tuple[Mask, Mask]:
    """Return which of the ascending times (n,) a rig has keys before, and which it has keys after."""
    animation = ob.animation_data
    if animation is None or animation.action is None:
        return np.zeros(len(times), bool), np.zeros(len(times), bool)
    at = action_times(animation, times)
    curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(animation)}
    before, after = _keys_beside(rig, curves, at)
    return (before, after) if at[0] <= at[-1] else (after, before)


def _keys_beside(rig: Bones, curves: dict[tuple[str, int], FCurve], times: Array) -> tuple[Mask, Mask]:
    """Return which of the action's times (n,) any bone of the rig has keys before, and keys after."""
    names, firsts, lasts = set(rig.names), [np.inf], [-np.inf]
    for (path, _), curve in curves.items():
        bone, prop = bone_and_property(path)
        if bone in names and is_transform(prop) and len(curve.keyframe_points):
            first, last = curve.range()
            firsts.append(first)
            lasts.append(last)
    return min(firsts) < times - _MARGIN, max(lasts) > times + _MARGIN


class Place(Protocol):
    """Where keys go: an F-curve's data path and index."""

    path: str
    index: int


def check_keys(
    ob: Object, rig: Bones, times: Sequence[float], places: Sequence[Place], action_mode: ActionMode
) -> None:
    """Raise RigError if keys cannot go to these places and times."""
    _check_animation(ob, places, action_mode)
    _check_settings(ob, rig, times)


def take_action(ob: Object, action_mode: ActionMode) -> AnimData:
    """Return the animation data, which has an action that takes keys; 'NEW': a copy of the present one."""
    animation = ob.animation_data or ob.animation_data_create()
    if action_mode == 'NEW' or animation.action is None:
        _assign_new_action(ob, animation)
    choose_slot(animation)
    return animation


def _tracks(ob: Object, rig: Bones, channels: Channels) -> Iterator[_Track]:
    for bone, name in enumerate(rig.names):
        pose_bone = ob.pose.bones[int(rig.indices[bone])]
        rotation = (rotation_path(rig.modes[bone]), channels.rotations, channels.turned)
        for prop, values, changed in (rotation, ("location", channels.locations, channels.moved)):
            for index in np.flatnonzero(changed[bone]).tolist():
                path, present = pose_bone.path_from_id(prop), getattr(pose_bone, prop)[index]
                yield _Track(name, path, index, values[:, bone, index], present)


def _check_animation(ob: Object, places: Sequence[Place], action_mode: ActionMode) -> None:
    if ob.animation_data and ob.animation_data.use_tweak_mode and action_mode == 'NEW':
        raise RigError("An NLA strip is being tweaked: bake into the current action or leave tweak mode")
    check_channels(ob, {(place.path, place.index) for place in places}, action_mode)


def check_channels(
    ob: Object, places: Collection[tuple[str, int]], action_mode: ActionMode = 'CURRENT'
) -> None:
    """Raise RigError if keys of these channels, (data path, index), cannot go there or would not be seen."""
    animation = ob.animation_data
    if animation is None:
        return
    _check_blending(animation)
    action = animation.action
    if action_mode == 'CURRENT' and action is not None and not action.is_editable:
        raise RigError(
            f"Action '{action.name}' of '{ob.name}' is linked and cannot be edited: choose a new one"
        )
    for curve in curves_to_key(animation):
        if (curve.data_path, curve.array_index) in places and (why := _why_stuck(curve)):
            raise RigError(f"F-curve '{curve.data_path}' {why}")


def stuck_paths(ob: Object) -> set[str]:
    """Return the data paths with an F-curve that keys cannot go on, or on which they would not be seen."""
    return {curve.data_path for curve in curves_to_key(ob.animation_data) if _why_stuck(curve)}


def _check_settings(ob: Object, rig: Bones, times: Sequence[float]) -> None:
    """Refuse rotation modes that are animated to be other than those that the channels are for.

    And inverse kinematics limits of solved bones that change: those that are read hold in all frames.
    """
    modes = dict(zip(rig.names, rig.modes, strict=True))
    for curve in curves_of(ob.animation_data):
        name, prop = bone_and_property(curve.data_path)
        if prop == "rotation_mode" and name in modes and not curve.mute:
            choices = ob.pose.bones[name].bl_rna.properties[prop].enum_items
            if any(curve.evaluate(time) != choices[modes[name]].value for time in times):
                raise RigError(f"The rotation mode of bone '{name}' changes during the clip")
        if is_ik_limit(prop) and name in modes and not curve.mute and np.ptp([*map(curve.evaluate, times)]):
            raise RigError(f"The inverse kinematics limits of bone '{name}' ({prop}) change during the clip")


def _check_blending(animation: AnimData) -> None:
    """Refuse an action whose keys are not what is seen, because of what the NLA makes of it."""
    if not (animation.use_nla and len(animation.nla_tracks)):
        return
    for track in animation.nla_tracks:
        tweaked = animation.use_tweak_mode and any(s.action == animation.action for s in track.strips)
        if track.is_solo and not tweaked:
            raise RigError(f"NLA track '{track.name}' plays solo, so keys on the action would do nothing")
    mixed = animation.action_blend_type != 'REPLACE' or animation.action_influence < 1
    if animation.use_tweak_mode:
        strips = (strip for track in animation.nla_tracks for strip in track.strips)
        mixed = any(_is_mixed(strip) for strip in strips if strip.action == animation.action)
    if mixed:
        raise RigError("The action is blended with NLA strips: set it to Replace, with full influence")


def _is_mixed(strip: NlaStrip) -> bool:
    faded = strip.blend_in or strip.blend_out or (strip.use_animated_influence and strip.influence < 1)
    return bool(faded) or strip.blend_type != 'REPLACE'


def _why_stuck(curve: FCurve) -> str:
    """Return why keys cannot go on the curve, or would not be seen; nothing where they can."""
    group = curve.group
    if curve.lock or (group and group.lock):
        return "is locked"
    if is_muted(curve):
        return "is muted, so keys on it would do nothing"
    if len(curve.sampled_points):
        return "is made of samples: turn them into keys (Key > Samples to Keys)"
    # Cycles changes nothing between the first key and the last.
    if any(not modifier.mute and modifier.type != 'CYCLES' for modifier in curve.modifiers):
        return "has a modifier that would change what is keyed"
    return ""


def _assign_new_action(ob: Object, animation: AnimData) -> None:
    old = animation.action
    action = old.copy() if old else bpy.data.actions.new(f"{ob.name} Superpose")
    if old:
        if old.is_editable:  # what is linked stays in its library
            old.use_fake_user = True  # it may have had no other user
        action.name = f"{ob.name} Superpose"
    assign(animation, action)


def action_times(animation: AnimData, times: Sequence[float]) -> Array:
    """Return the scene's times as the action's own, which a tweaked strip scales, shifts and turns round."""
    if not animation.use_tweak_mode:
        return np.array(times, np.float64)
    return np.array([animation.nla_tweak_strip_time_to_scene(float(t), invert=True) for t in times])
