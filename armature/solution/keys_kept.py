# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The armature's animation as it was, where what is done with new keys fails or is stopped."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Action, AnimData, FCurve, Object

from ..fcurves.actions import Assigned, assigned, holder
from ..fcurves.keys import WHOLE, Keys, read_keys, write_keys
from ..presence import is_there

_NOTHING = Assigned(None)


@contextmanager
def keys_kept(ob: Object) -> Iterator[None]:
    """Give back action and keys unless what is done meanwhile comes to its end."""
    animation = ob.animation_data
    before = assigned(animation) if animation else _NOTHING
    has_fake_user = before.action is not None and before.action.use_fake_user
    keys, groups = _keys(before), _group_names(before)
    actions = set(bpy.data.actions)
    finished = False
    try:
        yield
        finished = True
    finally:  # a closed generator's GeneratorExit comes by here too
        if not is_there(ob):
            _remove_unused(set(bpy.data.actions) - actions)
        elif not finished and ob.animation_data is not None:
            if ob.animation_data.action != before.action:
                _remove_action(ob.animation_data)
            before.put_back(ob.animation_data)
            if animation is None:
                ob.animation_data_clear()
            ob.update_tag()
        if not finished and before.action in set(bpy.data.actions):
            before.action.use_fake_user = has_fake_user
            before.remove_new_parts()
            _put_back(before, keys, groups)


def _remove_unused(actions: set[Action]) -> None:
    for action in actions:
        if not action.users:
            bpy.data.actions.remove(action)


def _keys(before: Assigned) -> dict[tuple[str, int], Keys]:
    return {(curve.data_path, curve.array_index): read_keys(curve, WHOLE) for curve in _curves(before)}


def _curves(before: Assigned) -> list[FCurve]:
    held = before.action and holder(before.action, before.key_slot)
    return list(held.fcurves) if held is not None else []


def _group_names(before: Assigned) -> set[str]:
    held = before.action and holder(before.action, before.key_slot)
    return set(held.groups.keys()) if held is not None else set()


def _put_back(before: Assigned, keys: dict[tuple[str, int], Keys], groups: set[str]) -> None:
    """Give the action, which may have no owner any more, the keys and groups that it had."""
    held = holder(before.action, before.key_slot)
    for curve in _curves(before):
        own = keys.get((curve.data_path, curve.array_index))
        if own is None:
            held.fcurves.remove(curve)
        elif len(own["co"]):
            write_keys(curve, own)
    for name in _group_names(before) - groups:
        held.groups.remove(held.groups[name])


def _remove_action(animation: AnimData) -> None:
    new = animation.action
    animation.action = None
    bpy.data.actions.remove(new)
