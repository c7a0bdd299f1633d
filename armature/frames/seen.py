# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was posed and placed as keys were written, to be shown again where undo brings it back.

Scripts' edits of F-curves have Blender evaluate these anew: as they are made, and once more where their step
of undo is taken back. What is not keyed would be lost.
"""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np
from bpy.types import AnimData, FCurve, NlaStrip, NlaTrack, Object

from ..fcurves.actions import curves_of
from ..fcurves.keys import read_keys
from .object_channels import Places, object_channels, put
from .pose_channels import Values, channels_of, set_channels

_TOLD = ("co", "interpolation", "handle_left", "handle_right")  # of keys; choices are slow to read

_OF_EDITORS = {"select", "lock", "use_pin"}  # of strips, tracks and all: what moves nothing


@dataclass(frozen=True, eq=False)
class SeenBefore:
    """The ``pose`` of an armature, of the ``uid`` in this session, which outlives undo, in a ``frame``, and
    the ``places`` of animated objects, by theirs. ``keys``: those with which that was seen, before they were
    written and after; with others, of whoever wrote them, Blender showed what is keyed.
    """

    frame: float
    uid: int
    pose: Mapping[str, Values]
    places: Mapping[int, Places]
    keys: set[int] = field(default_factory=set)

    def note_keys(self) -> None:
        """Note the keys that there are now."""
        self.keys.add(_keys_there(self.frame))

    def is_there(self) -> bool:
        """Return whether all is posed and placed like that, in the same frame."""
        if bpy.context.scene.frame_current_final != self.frame:
            return False
        is_found = any(ob.session_uid == self.uid for ob in bpy.data.objects)
        return is_found and next(self._elsewhere(), None) is None

    def put_back(self) -> bool:
        """Pose and place all like that; return whether any was not."""
        moved = list(self._elsewhere())
        for ob in moved:
            if ob.session_uid in self.places:
                put(ob, self.places[ob.session_uid])
            if ob.session_uid == self.uid:
                set_channels(ob, self.pose)
        return bool(moved)

    def _elsewhere(self) -> Iterator[Object]:
        """Yield the objects that are not posed or placed like that."""
        for ob in bpy.data.objects:
            uid = ob.session_uid
            is_moved = uid in self.places and object_channels(ob) != self.places[uid]
            if is_moved or (uid == self.uid and not self._is_pose_of(ob)):
                yield ob

    def _is_pose_of(self, ob: Object) -> bool:
        return all(np.array_equal(values, self.pose[name]) for name, values in channels_of(ob).items())


# What was seen as keys were written last, so many times.
_seen: deque[SeenBefore] = deque(maxlen=16)


def remember(seen: SeenBefore) -> None:
    """Remember what is seen as keys are written, and with which."""
    seen.note_keys()
    _seen.append(seen)


def seen_again() -> SeenBefore | None:
    """Return what undo or redo has just brought back of what was seen, before anything is evaluated.

    None where that is something else.
    """
    posed = [seen for seen in reversed(_seen) if seen.is_there()]
    keys = _keys_there(posed[0].frame) if posed else None
    return next((seen for seen in posed if keys in seen.keys), None)


def _keys_there(frame: float) -> int:
    """Return a number by which all keys and strips, and what curves come to in the frame, are told."""
    animated = [(ob.session_uid, ob.animation_data) for ob in bpy.data.objects if ob.animation_data]
    acting = [(uid, *_strips_of(animation)) for uid, animation in animated]
    curves = [_keys_of(curve, frame) for _, animation in animated for curve in curves_of(animation)]
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
