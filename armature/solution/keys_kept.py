# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The armature's animation as it was, where what is done with new keys fails or is stopped."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Action, AnimData, Object

from ..fcurves.actions import (
    Assigned,
    assigned,
    curves_to_key,
    group_names,
    remove_curve,
    remove_group,
)
from ..fcurves.keys import WHOLE, Keys, read_keys, write_keys
from ..presence import is_there

_NOTHING = Assigned(None)


@contextmanager
def keys_kept(ob: Object) -> Iterator[None]:
    """Give back action and keys unless what is done meanwhile comes to its end."""
    animation = ob.animation_data
    before = assigned(animation) if animation else _NOTHING
    has_fake_user = before.action is not None and before.action.use_fake_user
    keys = _keys(animation) if before.action else {}
    groups = group_names(animation) if before.action else set()
    actions = set(bpy.data.actions)
    finished = False
    try:
        yield
        finished = True
    finally:  # a closed generator's GeneratorExit comes by here too
        if not is_there(ob):
            _remove_unused(set(bpy.data.actions) - actions)
        elif not finished and ob.animation_data is not None:
            if ob.animation_data.action == before.action:
                _put_back(ob.animation_data, keys, groups)
            else:
                _remove_action(ob.animation_data)
            before.put_back(ob.animation_data)
            if animation is None:
                ob.animation_data_clear()
            ob.update_tag()
        if not finished and before.action is not None:
            before.action.use_fake_user = has_fake_user


def _remove_unused(actions: set[Action]) -> None:
    for action in actions:
        if not action.users:
            bpy.data.actions.remove(action)


def _keys(animation: AnimData) -> dict[tuple[str, int], Keys]:
    return {
        (curve.data_path, curve.array_index): read_keys(curve, WHOLE) for curve in curves_to_key(animation)
    }


def _put_back(animation: AnimData, keys: dict[tuple[str, int], Keys], groups: set[str]) -> None:
    for curve in curves_to_key(animation):
        before = keys.get((curve.data_path, curve.array_index))
        if before is None:
            remove_curve(animation, curve)
        elif len(before["co"]):
            write_keys(curve, before)
    for name in group_names(animation) - groups:
        remove_group(animation, name)


def _remove_action(animation: AnimData) -> None:
    new = animation.action
    animation.action = None
    bpy.data.actions.remove(new)
