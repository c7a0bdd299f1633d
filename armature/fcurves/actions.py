# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place that knows where an action keeps its F-curves: slots came in 4.4, ``fcurves`` went in 5.0."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Action, AnimData, FCurve, NlaStrip

HAS_SLOTS = bpy.app.version >= (4, 4, 0)


def curves_of(animation: AnimData | None) -> list[FCurve]:
    """Return the F-curves that the assigned action (and slot) holds for the owner of the animation data."""
    if animation is None or animation.action is None:
        return []
    if not HAS_SLOTS:
        return list(animation.action.fcurves)
    bag = _channelbag(animation.action, animation.action_slot)
    return list(bag.fcurves) if bag is not None else []


def plays_strips(animation: AnimData) -> bool:
    """Return whether NLA tracks have a say: not where all are muted, as imports leave them."""
    tracks = animation.nla_tracks
    return animation.use_nla and any(track.is_solo or not track.mute for track in tracks)


def all_curves_of(animation: AnimData) -> list[FCurve]:
    """Return the F-curves of the assigned action and of all strips, whether they act or not."""
    strips = (strip for track in animation.nla_tracks for strip in with_inner(track.strips))
    return [*curves_of(animation), *(curve for strip in strips for curve in curves_of_strip(strip))]


def with_inner(strips: Iterable[NlaStrip]) -> Iterator[NlaStrip]:
    """Yield the strips, each with those of a meta strip after it."""
    for strip in strips:
        yield strip
        yield from with_inner(strip.strips)


def curves_to_key(animation: AnimData | None) -> list[FCurve]:
    """Return the F-curves of the assigned action that take the owner's keys, also where no slot is chosen."""
    if animation is None or animation.action is None or not HAS_SLOTS:
        return curves_of(animation)
    bag = _channelbag(animation.action, _slot_to_key(animation))
    return list(bag.fcurves) if bag is not None else []


def drivers_of(animation: AnimData | None) -> list[FCurve]:
    """Return the drivers of the owner's properties that are not muted."""
    return [curve for curve in animation.drivers if not curve.mute] if animation else []


def is_muted(curve: FCurve) -> bool:
    """Return whether the curve does nothing, as it or its group is muted."""
    return curve.mute or bool(curve.group and curve.group.mute)


def paths_with_curves(animation: AnimData | None) -> set[str]:
    """Return the data paths that the assigned action has curves for, and drivers, be they muted or not."""
    drivers = animation.drivers if animation else ()
    return {curve.data_path for curve in (*curves_of(animation), *drivers)}


def others_moved(animation: AnimData) -> list[str]:
    """Return the names of the objects that the assigned action moves by the same F-curves as the owner."""
    owner, action = animation.id_data, animation.action
    if action is None:
        return []
    if HAS_SLOTS:
        users = animation.action_slot.users() if animation.action_slot is not None else []
    else:
        users = [ob for ob in bpy.data.objects if _plays(ob.animation_data, action)]
    return sorted(user.name for user in users if user != owner)


def _plays(animation: AnimData | None, action: Action) -> bool:
    """Return whether the action, which has no slots, acts there by itself or by a strip."""
    if animation is None:
        return False
    strips = (strip for track in animation.nla_tracks for strip in track.strips)
    return action in (animation.action, *(strip.action for strip in strips))


def choose_slot(animation: AnimData) -> None:
    """See to it that the assigned action acts, and takes keys, through a slot."""
    if HAS_SLOTS and animation.action_slot is None:
        owner, slots = animation.id_data, animation.action.slots
        animation.action_slot = _slot_to_key(animation) or slots.new(owner.id_type, owner.name)


def _slot_to_key(animation: AnimData) -> Any:  # noqa: ANN401
    """Return the slot that takes the owner's keys; where none is chosen one that moves nobody, or None."""
    if animation.action_slot is not None:
        return animation.action_slot
    slots, owner = animation.action_suitable_slots, animation.id_data
    return next((slot for slot in slots if all(user == owner for user in slot.users())), None)


def new_curve(animation: AnimData, path: str, index: int, group: str) -> FCurve:
    """Return a new F-curve of the assigned action, in the named group; makes slot and channelbag."""
    if not HAS_SLOTS:
        return animation.action.fcurves.new(path, index=index, action_group=group)
    bag = _ensured_channelbag(animation)
    curve = bag.fcurves.new(path, index=index)
    curve.group = bag.groups.get(group) or bag.groups.new(group)
    return curve


def remove_curve(animation: AnimData, curve: FCurve) -> None:
    """Remove one of the curves that ``curves_of`` gives."""
    holder(animation.action, _slot_to_key(animation) if HAS_SLOTS else None).fcurves.remove(curve)


def assign(animation: AnimData, action: Action) -> None:
    """Make this the action; a copy of the present action is used through the copy of the present slot."""
    identifier = animation.action_slot.identifier if HAS_SLOTS and animation.action_slot else None
    animation.action = action
    if identifier is not None:
        animation.action_slot = action.slots.get(identifier)


@dataclass(frozen=True)
class Assigned:
    """Which action is assigned, and through which slot; ``key_slot``: the one that takes the owner's keys;
    ``slots`` and ``layers``: how many the action has; ``beyond``: what is shown beside its keys.
    """

    action: Action | None
    slot: Any = None
    key_slot: Any = None
    slots: int = 0
    layers: int = 0
    beyond: str = 'HOLD'

    def put_back(self, animation: AnimData) -> None:
        """Assign the action again, through the slot that it had."""
        _put(animation, self.action, self.slot)
        animation.action_extrapolation = self.beyond
        if HAS_SLOTS and self.action is not None and self.slot is None:
            animation.action_slot = None

    def remove_new_parts(self) -> None:
        """Remove the slots and layers that the action has been given since."""
        if not HAS_SLOTS or self.action is None or self.slot is not None:
            return
        for things, count in ((self.action.slots, self.slots), (self.action.layers, self.layers)):
            for thing in list(things)[count:]:
                things.remove(thing)


def assigned(animation: AnimData) -> Assigned:
    """Return which action is assigned."""
    action, beyond = animation.action, animation.action_extrapolation
    if not HAS_SLOTS or action is None:
        return Assigned(action, beyond=beyond)
    slots = animation.action_slot, _slot_to_key(animation)
    return Assigned(action, *slots, len(action.slots), len(action.layers), beyond)


def slots_for_objects(action: Action) -> list[Any]:
    """Return the slots of the action that may move an object; before 4.4 an action is one, told by None."""
    if not HAS_SLOTS:
        return [None] if action.id_root == 'OBJECT' else []
    return [slot for slot in action.slots if slot.target_id_type in {'OBJECT', 'UNSPECIFIED'}]


def curves_in(action: Action, slot: Any) -> list[FCurve]:  # noqa: ANN401  ActionSlot is no type before 4.4
    """Return the F-curves of the action that the slot has."""
    if slot is None:
        return list(action.fcurves)
    strips = (strip for layer in action.layers for strip in layer.strips)
    bags = (strip.channelbag(slot) for strip in strips)
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def curves_of_strip(strip: NlaStrip) -> list[FCurve]:
    """Return the F-curves that an NLA strip plays, which are those of its action and slot."""
    slot = strip.action_slot if HAS_SLOTS else None
    return curves_in(strip.action, slot) if strip.action and (slot or not HAS_SLOTS) else []


@contextmanager
def acting_alone(animation: AnimData, action: Action, slot: Any) -> Iterator[None]:  # noqa: ANN401
    """Let the action, through the slot, be all that moves the owner meanwhile."""
    before = animation.action, animation.action_slot if HAS_SLOTS else None
    used_tracks = animation.use_nla
    try:
        animation.use_nla = False
        _put(animation, action, slot)
        yield
    finally:
        _put(animation, *before)
        animation.use_nla = used_tracks


def _put(animation: AnimData, action: Action | None, slot: Any) -> None:  # noqa: ANN401
    if animation.action != action:  # which of a strip in tweak mode cannot be assigned
        animation.action = action
    if slot is not None:
        animation.action_slot = slot


def holder(action: Action, slot: Any) -> Any:  # noqa: ANN401
    """Return what holds the curves and groups, ``fcurves`` and ``groups``, of the slot; None for nothing."""
    return _channelbag(action, slot) if HAS_SLOTS else action


def _channelbag(action: Action, slot: Any) -> Any:  # noqa: ANN401  ActionChannelbag is no type before 4.4
    strips = (strip for layer in action.layers for strip in layer.strips) if slot else ()
    return next((bag for bag in (strip.channelbag(slot) for strip in strips) if bag is not None), None)


def _ensured_channelbag(animation: AnimData) -> Any:  # noqa: ANN401
    action = animation.action
    choose_slot(animation)
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type='KEYFRAME')
    return strip.channelbag(animation.action_slot, ensure=True)
