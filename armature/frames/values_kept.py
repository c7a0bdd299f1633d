# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is animated, keyed or not, as it was, after going through frames."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import ID, Object

from ..fcurves.actions import all_curves_of
from ..fcurves.paths import bone_and_property, is_transform
from .ranges import animation_times

_LAST = re.compile(
    r'(.*?)\.?(\w+|\["(?:[^"\\]|\\.)*"\])', re.DOTALL
)  # of a path: what it leads to in the end

# What is animated: its number in this session, which outlives undo, and whether it is the node tree that is
# part of that.
Key = tuple[int, bool]


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
        self._posed = {ob.session_uid for ob in posed}
        self._before = {key: self._values_of(key, owner) for key, owner in animated().items()}

    def is_there(self) -> bool:
        """Return whether nothing has come to something else."""
        return next(self._lost(), None) is None

    def give_back(self) -> None:
        """Set what is there still and has come to something else, but for what has other keys here by now."""
        for owner, path, value in list(self._lost()):
            _put(owner, path, value)
            owner.update_tag()

    def _lost(self) -> Iterator[tuple[ID, str, Any]]:
        for key, owner in animated().items():
            before = self._before.get(key, {})
            changed = [path for path, kept in before.items() if _value(owner, path) not in (kept.value, None)]
            keyed = self._keyed(key, owner) if changed else {}
            for path in changed:
                if keyed.get(path) == before[path].keyed:
                    yield owner, path, before[path].value

    def _values_of(self, key: Key, owner: ID) -> dict[str, _Kept]:
        """Return what the curves of the owner animate, by data path."""
        kept = {path: _Kept(_value(owner, path), keyed) for path, keyed in self._keyed(key, owner).items()}
        return {path: value for path, value in kept.items() if value.value is not None}

    def _keyed(self, key: Key, owner: ID) -> dict[str, list[float]]:
        """Return what the curves of the owner come to in the present frame, by data path."""
        scene, is_posed, found = bpy.context.scene, key[0] in self._posed, defaultdict(list)
        (time,) = animation_times(scene, [scene.frame_current_final])
        for curve in all_curves_of(owner.animation_data):
            if not (is_posed and _poses(curve.data_path)):
                found[curve.data_path].append(curve.evaluate(time))
        return found


def animated() -> dict[Key, ID]:
    """Return all that is animated and may be changed."""
    users = set().union(*bpy.data.user_map(subset=bpy.data.actions).values())
    found = {(user.session_uid, False): user for user in users}
    trees = {(uid, True): getattr(user, "node_tree", None) for (uid, _), user in found.items()}
    owners = ((key, owner) for key, owner in (found | trees).items() if owner and not owner.library)
    return {key: owner for key, owner in owners if owner.animation_data}


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
