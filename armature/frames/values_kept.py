# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is animated, keyed or not, as it was, after going through frames."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import ID, FCurve, Object

from ..fcurves.actions import all_curves_of
from ..fcurves.paths import bone_and_property, is_transform
from ..presence import is_there
from .ranges import animation_times

_LAST = re.compile(
    r'(.*?)\.?(\w+|\["(?:[^"\\]|\\.)*"\])', re.DOTALL
)  # of a path: what it leads to in the end


@dataclass(frozen=True)
class _Kept:
    """A value, and what its curves come to in the present frame."""

    value: Any
    keyed: Sequence[float]


class KeptValues:
    """The values of all that is animated in the file: another frame takes what is not keyed from them.

    But for how bones are posed of the armatures ``posed``, which is kept as a whole.
    """

    def __init__(self, posed: Collection[Object]) -> None:
        self._posed = posed
        self._before = {owner: self._values_of(owner) for owner in _animated()}

    def give_back(self) -> None:
        """Set what is there still and has come to something else, but for what has other keys here by now."""
        for owner, before in self._before.items():
            now = self._values_of(owner) if is_there(owner) else {}
            lost = {path: kept.value for path, kept in before.items() if _is_lost(kept, now.get(path))}
            for path, value in lost.items():
                _put(owner, path, value)
            if lost:
                owner.update_tag()

    def _values_of(self, owner: ID) -> dict[str, _Kept]:
        """Return what the curves of the owner animate, by data path."""
        by_path: dict[str, list[FCurve]] = {}
        for curve in all_curves_of(owner.animation_data):
            if not (owner in self._posed and _poses(curve.data_path)):
                by_path.setdefault(curve.data_path, []).append(curve)
        scene = bpy.context.scene
        (time,) = animation_times(scene, [scene.frame_current_final])
        found = {path: _value(owner, path) for path in by_path}
        return {
            path: _Kept(value, [curve.evaluate(time) for curve in by_path[path]])
            for path, value in found.items()
            if value is not None
        }


def _is_lost(before: _Kept, now: _Kept | None) -> bool:
    return now is not None and now.keyed == before.keyed and now.value != before.value


def _animated() -> Iterator[ID]:
    """Yield all that is animated and may be changed; node trees are parts of others."""
    users = set().union(*bpy.data.user_map(subset=bpy.data.actions).values())
    parts = {getattr(user, "node_tree", None) for user in users} - {None}
    return (owner for owner in users | parts if owner.animation_data and not owner.library)


def _poses(path: str) -> bool:
    bone, prop = bone_and_property(path)
    return bool(bone) and is_transform(prop)


def _value(owner: ID, path: str) -> Any:  # noqa: ANN401  of all kinds of properties
    """Return the value that a path leads to; None if that is nothing, which Blender says by an error."""
    try:
        value = owner.path_resolve(path)
    except ValueError:
        return None
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def _put(owner: ID, path: str, value: Any) -> None:  # noqa: ANN401
    way, name = _LAST.fullmatch(path).groups()
    thing = owner.path_resolve(way) if way else owner
    if name.startswith("["):
        thing[bpy.utils.unescape_identifier(name[2:-2])] = value
    else:
        setattr(thing, name, value)
