# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was posed, placed and set when keys were written, to be shown again if undo brings that state back.

When scripts edit F-curves, Blender evaluates these anew: at once, and again when their step of undo is taken
back. What is not keyed would be lost.
"""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from bpy.types import AnimData, FCurve, NlaStrip, NlaTrack, Object

from ..fcurves.actions import curves_of
from ..fcurves.keys import read_keys
from .pose_channels import Values, channels_of, set_channels
from .values_kept import KeptValues, animated

_TOLD = ("co", "interpolation", "handle_left", "handle_right")  # of keys; choices are slow to read

_OF_EDITORS = {"select", "lock", "use_pin"}  # of strips, tracks and all: what moves nothing


@dataclass(frozen=True)
class SeenPose:
    """How an armature was posed: of the ``uid`` in this session, which outlives undo."""

    uid: int
    channels: Mapping[str, Values]

    def is_there(self) -> bool:
        """Return whether it is posed like that."""
        return any(self._is_of(ob) for ob in self._armature())

    def give_back(self) -> None:
        """Pose it like that."""
        for ob in self._armature():
            set_channels(ob, self.channels)

    def _armature(self) -> list[Object]:
        return [ob for ob in bpy.data.objects if ob.session_uid == self.uid]

    def _is_of(self, ob: Object) -> bool:
        return all(np.array_equal(values, self.channels[name]) for name, values in channels_of(ob).items())


@dataclass(frozen=True, eq=False)
class SeenBefore:
    """What was seen in a ``frame``: ``parts``, the pose of an armature and the values of all else that is
    animated. ``keys``: those with which that was seen, before they were written and after; with others, of
    whoever wrote them, Blender showed what is keyed.
    """

    frame: float
    parts: Sequence[SeenPose | KeptValues]
    keys: set[int] = field(default_factory=set)

    def note_keys(self) -> None:
        """Note the keys that there are now."""
        self.keys.add(_keys_there(self.frame))

    def again(self) -> "SeenBefore":
        """Return of it what is there, in the same frame."""
        is_in_frame = bpy.context.scene.frame_current_final == self.frame
        return replace(self, parts=[part for part in self.parts if is_in_frame and part.is_there()])


# What was seen as keys were written last, so many times.
_seen: deque[SeenBefore] = deque(maxlen=16)


def remember(seen: SeenBefore) -> None:
    """Remember what is seen as keys are written, and with which."""
    seen.note_keys()
    _seen.append(seen)


def seen_again() -> list[SeenBefore]:
    """Return what undo or redo has just brought back of what was seen, before anything is evaluated."""
    return [again for seen in _seen if (again := seen.again()).parts]


def show_again(again: Sequence[SeenBefore]) -> bool:
    """Show what is there no longer, where it was seen with the keys that there are.

    Return whether anything was.
    """
    lost = [(seen, part) for seen in again for part in seen.parts if not part.is_there()]
    keys = _keys_there(lost[0][0].frame) if lost else None
    found = [part for seen, part in lost if keys in seen.keys]
    for part in found:
        part.give_back()
    return bool(found)


def _keys_there(frame: float) -> int:
    """Return a number by which all keys and strips, and what curves come to in the frame, are told."""
    found = [(key, owner.animation_data) for key, owner in animated().items()]
    acting = [(key, *_strips_of(animation)) for key, animation in found]
    curves = [_keys_of(curve, frame) for _, animation in found for curve in curves_of(animation)]
    return hash((*acting, *curves))


def _keys_of(curve: FCurve, frame: float) -> int:
    keys = [values.tobytes() for values in read_keys(curve, _TOLD).values()]
    return hash((curve.data_path, curve.array_index, curve.mute, curve.evaluate(frame), *keys))


def _strips_of(animation: AnimData) -> Iterator[Hashable]:
    """Yield what says how the action and the NLA strips act."""
    yield from _values_of(animation)
    for track in animation.nla_tracks:
        yield from _values_of(track)
        for strip in track.strips:
            yield from _values_of(strip)


def _values_of(owner: AnimData | NlaTrack | NlaStrip) -> Iterator[Hashable]:
    """Yield its numbers and choices, and the action that it plays."""
    action = getattr(owner, "action", None)
    yield action and action.session_uid
    plain = (prop for prop in owner.bl_rna.properties if prop.type in {'BOOLEAN', 'ENUM', 'FLOAT', 'INT'})
    names = (prop.identifier for prop in plain if not prop.is_readonly)
    yield from (getattr(owner, name) for name in names if name not in _OF_EDITORS)
