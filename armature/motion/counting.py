# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the effectors of a body that follows a motion count, and whether they come before each other."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from bpy.types import Object

from ..fcurves.actions import paths_with_curves
from ..setup.effectors import Setting, effector_setting, store_effector_setting
from .lead import Lead

_PLACE, _TURN, _HOLD = "position_weight", "rotation_weight", "hold"


def let_turn(lead: Lead) -> AbstractContextManager[list[str]]:
    """Let the rotation count of those that follow with their places alone, as hands do; as ``_changed``."""
    turns = _of_all(lead, _TURN)
    return _changed(lead.follower, _TURN, {name: 1.0 for name, weight in turns.items() if not weight})


@contextmanager
def let_count_alike(lead: Lead, along: Collection[str]) -> Iterator[list[str]]:
    """Let all that counts count as much, and come before nothing else; of what goes ``along`` no place does.

    A recorded motion asks for all of the body at once: what is pinned or soft where one part is dragged has
    no reason to come first or last there. Only toes keep their *Hold*: they go with feet that are dragged. As
    ``_changed``; yields those whose places count no longer.
    """
    ob, turns = lead.follower, _of_all(lead, _TURN)
    places = {name: float(name not in along) for name, weight in _of_all(lead, _PLACE).items() if weight}
    with (
        _changed(ob, _PLACE, places) as moved,
        _changed(ob, _TURN, {name: 1.0 for name, weight in turns.items() if weight}),
        _changed(ob, _HOLD, dict.fromkeys(lead.bones.keys() - {*lead.toes}, 'FOLLOWS')),
    ):
        yield [name for name in moved if name in along]


def _of_all(lead: Lead, setting: str) -> dict[str, Setting]:
    bones = lead.follower.pose.bones
    return {name: effector_setting(bones[name], setting) for name in lead.bones}


@contextmanager
def _changed(ob: Object, setting: str, values: Mapping[str, Setting]) -> Iterator[list[str]]:
    """Give effectors other ``values`` of a setting; yields whose are others now.

    Those that keys or drivers set stay so. Where what is done with them fails or is stopped, each has its own
    again.
    """
    set_by_others, bones = paths_with_curves(ob.animation_data), ob.pose.bones
    before = {
        name: known
        for name, value in values.items()
        if (known := effector_setting(bones[name], setting)) != value
        and f"{bones[name].path_from_id()}.superpose_{setting}" not in set_by_others
    }
    for name in before:
        store_effector_setting(bones[name], setting, values[name])
    try:
        yield list(before)
    except BaseException:  # a closed generator's GeneratorExit comes by here too
        for name, known in before.items():
            store_effector_setting(bones[name], setting, known)
        raise
