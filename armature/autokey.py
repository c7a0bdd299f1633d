# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic keyframing as the user has set it, for channels that an operator has written."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from bpy.types import Context, FCurve, KeyingSet, Object, Operator, PoseBone

from ..solvers import Pose
from .fcurves.actions import curves_of, drivers_of, plays_strips
from .fcurves.generated import place_key, placed_times
from .fcurves.paths import bone_and_property, is_transform
from .fcurves.refused import plain_curves, refuses
from .frames.frame_snapshot import present_frame
from .joints.turns import placing_channels
from .problem.pins import keyed_pins
from .rig.animated import are_targets_animated, shows_keys
from .rig.effectors import has_made_target
from .rig.rig import Rig
from .solution.channels import Change, pose_changes, posed_properties
from .solution.keyframes import check_channels, stuck_paths

Owner = PoseBone | Object
_Part = tuple[Owner, str, int]  # a channel: of what, by its property and index
Curves = dict[tuple[str, int], FCurve]  # by path and index
# A property with its values at a time.
Beside = tuple[Owner, str, float, list[float]]
_HERE = 1e-3  # frames; keys this near are in the frame
_SAME = 1e-6  # of values in single precision, which is rounding


def is_on(context: Context) -> bool:
    """Return whether the user records what is done."""
    return context.scene.tool_settings.use_keyframe_insert_auto


def check_keys(context: Context, channels: list[tuple[Owner, str]]) -> None:
    """Raise RigError if what ``key_channels`` would key cannot take keys, or would not show them."""
    places: dict[Object, set[tuple[str, int]]] = {}
    for owner, path, index in keyed_parts(context, channels):
        places.setdefault(owner.id_data, set()).add((owner.path_from_id(path), index))
    for ob, parts in places.items():
        check_channels(ob, parts)


def write_and_key(context: Context, ob: Object, rig: Rig, pose: Pose) -> list[tuple[Owner, str]]:
    """Write a pose of one row to the armature, and key what it changed where automatic keyframing says so.

    If targets are animated, all is keyed that a solve may change, except what stays and takes no keys: *Live*
    and bakes go on from there. Returns all that is keyed where the user records. Raises RigError, with
    nothing changed, where keys would do nothing.
    """
    return write_changes(context, ob, pose_changes(rig, ob, pose), rig, body_to_key(rig, ob))


def body_to_key(rig: Rig, ob: Object) -> list[tuple[Owner, str]]:
    """Return the properties to key beside those that change: where targets are animated all that says how the
    body is posed and takes keys, else none.
    """
    if not are_targets_animated(rig, ob):
        return []
    stuck = stuck_paths(ob)
    return [(bone, path) for bone, path in posed_properties(rig, ob) if bone.path_from_id(path) not in stuck]


def write_changes(
    context: Context,
    ob: Object,
    changes: list[Change],
    rig: Rig | None = None,
    whole: Sequence[tuple[Owner, str]] = (),
) -> list[tuple[Owner, str]]:
    """Write changes of bones, and key them and the ``whole`` body, as ``write_and_key`` does.

    ``rig``: none where nothing is asked of the bones.
    """
    changed = [(change.bone, change.path) for change in changes if change.chosen.any()]
    changed += [pair for pair in whole if pair not in changed]
    check_keys(context, changed)
    before = [(bone, path, tuple(getattr(bone, path))) for bone, path in changed]
    beside = values_beside(context, ob, rig, before)
    for change in changes:
        change.write()
    ob.update_tag()
    context.view_layer.update()
    key_channels(context, changed, holds=whole)
    keep_in_keys_beside(ob, beside)
    return changed


def values_beside(
    context: Context, ob: Object, rig: Rig | None, before: Sequence[tuple[Owner, str, Sequence[float]]]
) -> list[Beside]:
    """Return what properties are in the keys before and after this frame, before they are keyed in it.

    That is in the keys of the body; of limbs whose pins stand then, in keys of the limb. Nothing where the
    user does not record, or wants keys only replaced. ``before``: the properties with their values where they
    have no curves. Raises RigError.
    """
    if not is_on(context) or 'INSERTKEY_REPLACE' in insertion_options(context):
        return []
    curves, found = plain_curves(ob), []
    bones = {owner.name for owner, _, _ in before}.union(rig.names if rig else ())
    pins = keyed_pins(rig, ob) if rig and shows_keys(rig, ob) else None
    for side, time in _times_beside(curves, bones, context.scene.frame_current_final):
        limbs = pins.limbs_between(present_frame(rig, ob), time) if pins else {}
        for owner, path, values in before:
            at = limbs.get(owner.name, (time, time))[side]
            own = (curves.get((owner.path_from_id(path), index)) for index in range(len(values)))
            pairs = zip(own, values, strict=True)
            there = [curve.evaluate(at) if curve else value for curve, value in pairs]
            found.append((owner, path, at, there))
    return found


def _times_beside(curves: Curves, bones: Collection[str], frame: float) -> list[tuple[int, float]]:
    """Return when the ``bones`` have the last keys before a frame (0), and the first ones after it (1)."""
    named = [(bone_and_property(path), curve) for (path, _), curve in curves.items()]
    posed = [curve for (bone, prop), curve in named if bone in bones and is_transform(prop)]
    times = {float(time) for curve in posed for time in placed_times(curve)}
    before = max((time for time in times if time < frame - _HERE), default=None)
    after = min((time for time in times if time > frame + _HERE), default=None)
    return [(side, time) for side, time in enumerate((before, after)) if time is not None]


def keep_in_keys_beside(ob: Object, beside: Sequence[Beside]) -> None:
    """Have properties stay as they were in the body's keys ``beside`` the frame in which they were keyed.

    Without keys of their own there they would turn what was posed in these frames.
    """
    curves = plain_curves(ob)
    for owner, path, time, values in beside:
        own = {index: curves.get((owner.path_from_id(path), index)) for index in range(len(values))}
        pairs = [(curve.evaluate(time), values[index]) for index, curve in own.items() if curve]
        if not all(np.isclose(*pair, rtol=_SAME, atol=_SAME) for pair in pairs):
            _key_values(owner, path, [index for index, curve in own.items() if curve], values, time)


def _key_values(
    owner: Owner, path: str, indices: Sequence[int], values: Sequence[float], time: float
) -> None:
    """Key ``values`` of a property, by indices, in another frame, and leave it as it is.

    Keys that are put into curves themselves have Blender animate all of the action anew, now and once the
    step is undone: what is posed and not keyed would be lost.
    """
    present = tuple(getattr(owner, path))
    setattr(owner, path, values)
    for index in indices:
        owner.keyframe_insert(path, index=index, frame=time)
    setattr(owner, path, present)


def key_channels(
    context: Context, channels: Sequence[tuple[Owner, str]], holds: Sequence[tuple[Owner, str]]
) -> None:
    """Key properties of bones and objects, where the user records; see ``keyed_parts``.

    Keys that the user's preferences forbid are not asked for: Blender would warn of each in the console.
    ``holds``: channels that are keyed even where the user wants only needed keys. Nothing else keeps them
    where they are in this frame once keys beside it change.
    """
    options, frame = insertion_options(context), context.scene.frame_current_final
    _key(context, [pair for pair in channels if pair not in holds], options, frame)
    _key(context, [pair for pair in channels if pair in holds], options - {'INSERTKEY_NEEDED'}, frame)


def _key(context: Context, channels: list[tuple[Owner, str]], options: set[str], frame: float) -> None:
    curves: dict[Object, Curves] = {}
    for owner, path, index in keyed_parts(context, channels):
        if owner.id_data not in curves:
            curves[owner.id_data] = plain_curves(owner.id_data)
        curve = curves[owner.id_data].get((owner.path_from_id(path), index))
        if not (curve and refuses(curve, options, frame, getattr(owner, path)[index])):
            group = owner.name if isinstance(owner, PoseBone) else "Object Transforms"
            owner.keyframe_insert(path, index=index, frame=frame, options=options, group=group)
        if curve:
            place_key(owner, path, curve, frame)
        owner.id_data.update_tag()  # an action that is new beside NLA tracks acts only once this is told


def keyed_parts(context: Context, channels: list[tuple[Owner, str]]) -> Iterator[_Part]:
    """Yield the channels of properties to key where the user records: those that are not locked, of the
    active keying set or with a curve if the user wants only those, or keys replaced.
    """
    if is_on(context):
        yield from _parts(
            _in_keying_set(context, channels), only_available=bool(_why_only_available(context))
        )


def _why_only_available(context: Context) -> str:
    """Return by which setting of the user's only channels with curves are keyed, or nothing."""
    if context.preferences.edit.use_keyframe_insert_available:
        return "Only Insert Available is on: key all bones first, or switch it off in Preferences > Animation"
    replaces = context.scene.tool_settings.auto_keying_mode == 'REPLACE_KEYS'
    return "automatic keyframing only replaces keys" if replaces else ""


def report_on_keys(operator: Operator, context: Context, channels: list[tuple[Owner, str]]) -> None:
    """Have an operator say what there is to remark on the keys of what it wrote."""
    words = remarks_on_keys(context, channels)
    if words:
        operator.report({'INFO'}, words)


def remarks_on_keys(context: Context, channels: list[tuple[Owner, str]]) -> str:
    """Return what to say of keys where the user records, or nothing.

    There is something to say if some of the channels, or all, have no curves to take the key; and if all that
    is keyed also has keys in the frames right before and after.
    """
    if not is_on(context):
        return ""
    keyed, in_set = list(keyed_parts(context, channels)), _owners(_parts(_in_keying_set(context, channels)))
    left, why = [name for name in in_set if name not in _owners(keyed)], _why_only_available(context)
    if left:
        return f"Not keyed: {_some(left)}: {why}" if keyed else f"Nothing was keyed: {why}"
    if not in_set and _owners(_parts(channels)):
        return "Nothing was keyed: it is not in the active keying set"
    closely = _owners(_keyed_beside(keyed, context.scene.frame_current_final))
    alone = "Seen in this frame alone: there are keys in the frames beside, of "
    return f"{alone}{_some(closely)}" if closely else ""


def _keyed_beside(parts: Sequence[_Part], frame: float) -> Iterator[_Part]:
    """Yield those of the channels that have keys in the frame before and in the one after."""
    curves = {ob: plain_curves(ob) for ob in {owner.id_data for owner, _, _ in parts}}
    for owner, path, index in parts:
        curve = curves[owner.id_data].get((owner.path_from_id(path), index))
        away = placed_times(curve) - frame if curve else np.empty(0)
        if all(((side * away > _HERE) & (side * away < 1 + _HERE)).any() for side in (-1, 1)):
            yield owner, path, index


def _some(names: list[str]) -> str:
    """Return the names in a few words."""
    return f"'{names[0]}'" + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _owners(parts: Iterable[_Part]) -> list[str]:
    """Return the names of what the channels are of, each once."""
    return list(dict.fromkeys(owner.name for owner, _, _ in parts))


def _parts(channels: list[tuple[Owner, str]], only_available: bool = False) -> Iterator[_Part]:
    """Yield those of the channels that are not locked or driven; ``only_available``: and have a curve."""
    obs = {owner.id_data for owner, _ in channels}
    curves = ((ob, curve) for ob in obs for curve in drivers_of(ob.animation_data))
    driven = {(ob, curve.data_path, curve.array_index) for ob, curve in curves}
    for owner, path in channels:
        available = animated_indices(owner, path) if only_available else range(4)
        for index, locked in enumerate(locks_of(owner, path)):
            is_driven = bool(driven) and (owner.id_data, owner.path_from_id(path), index) in driven
            if index in available and not (locked or is_driven):
                yield owner, path, index


def channels_along(rig: Rig, ob: Object, channels: list[tuple[Owner, str]]) -> list[tuple[Owner, str]]:
    """Return which of these properties of targets to key, where the targets go along with the body.

    Where frames show the body as it is keyed, only those that have curves: keys of others would have *Live*
    pose every frame after targets that stand still.
    """
    if not shows_keys(rig, ob):
        return channels
    return [(owner, path) for owner, path in channels if animated_indices(owner, path)]


def standing_targets(rig: Rig, ob: Object) -> list[tuple[Owner, str]]:
    """Return the properties of targets to key beside those that go along.

    If any target is animated, these are the targets that were made for the armature and whose keys can be
    edited. Else keys beside this frame would move them in it, such as the ground under a foot that stands.
    """
    if not are_targets_animated(rig, ob):
        return []
    targets = [bone.superpose.target for bone in rig.effector_bones(ob) if has_made_target(bone)]
    return [
        (target, path)
        for target in targets
        for _, path in placing_channels(target)
        if _takes_keys(target) and animated_indices(target, path) and path not in stuck_paths(target)
    ]


def _takes_keys(ob: Object) -> bool:
    """Return whether nothing but an action that can be edited animates the object."""
    data = ob.animation_data
    return bool(data and data.action and data.action.is_editable and not plays_strips(data))


def insertion_options(context: Context) -> set[str]:
    """Return what ``keyframe_insert`` has to be told of the user's preferences."""
    edit, tools = context.preferences.edit, context.scene.tool_settings
    choices = {
        'INSERTKEY_NEEDED': edit.use_auto_keyframe_insert_needed,
        'INSERTKEY_REPLACE': tools.auto_keying_mode == 'REPLACE_KEYS',
        'INSERTKEY_CYCLE_AWARE': tools.use_keyframe_cycle_aware,
    }
    return {name for name, chosen in choices.items() if chosen}


def _in_keying_set(context: Context, channels: list[tuple[Owner, str]]) -> list[tuple[Owner, str]]:
    """Return the properties that are in the active keying set, if only that is to be keyed, else all.

    Blender's own sets say what of each bone or object is keyed; here it is asked of what is written, not of
    what is selected.
    """
    keying_set = context.scene.keying_sets_all.active
    if not (context.scene.tool_settings.use_keyframe_insert_keyingset and keying_set):
        return channels
    if not keying_set.is_path_absolute:
        keying_set.paths.clear()
        for owner in {owner for owner, _ in channels if isinstance(owner, _owners_of(keying_set))}:
            keying_set.type_info.generate(context, keying_set, owner)
    paths = {(path.id, path.data_path) for path in keying_set.paths}
    return [(owner, path) for owner, path in channels if (owner.id_data, owner.path_from_id(path)) in paths]


def _owners_of(keying_set: KeyingSet) -> type | tuple[type, ...]:
    """Return of what one of Blender's own sets can say what is keyed."""
    return PoseBone if keying_set.bl_idname.startswith("WholeCharacter") else (PoseBone, Object)


def animated_indices(owner: Owner, path: str) -> set[int]:
    """Return which channels of the property have an F-curve; Blender's own option warns of the others."""
    curves, full_path = curves_of(owner.id_data.animation_data), owner.path_from_id(path)
    return {curve.array_index for curve in curves if curve.data_path == full_path}


def locks_of(owner: Owner, path: str) -> list[bool]:
    """Return which channels of the property the user has locked."""
    if path == "location":
        return list(owner.lock_location)
    if path == "scale":
        return list(owner.lock_scale)
    if path == "rotation_euler":
        return list(owner.lock_rotation)
    if owner.lock_rotations_4d:
        return [owner.lock_rotation_w, *owner.lock_rotation]
    return [all(owner.lock_rotation)] * 4
