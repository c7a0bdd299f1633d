# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose as it was, keyed or not, after going through frames."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import bpy
from bpy.types import Context, Object

from ..presence import is_there
from .pose_channels import Values, channels_of, set_channels, taken_back
from .shown_again import SeenBefore, SeenPose, remember
from .values_kept import KeptValues

_AS_POSED = "as posed"

_kept: list["KeptPose"] = []  # of the armatures whose pose somebody is at work on


def leave_as_posed(ob: Object, dragged: Iterable[str] = ()) -> None:
    """Have live posing take the pose as found, and begin the next drag there; ``dragged``: the bones that
    were dragged to it."""
    ob.superpose.followed = "\n".join((_AS_POSED, *dragged))


def is_as_posed(ob: Object) -> bool:
    """Return whether live posing is to take the pose as it is."""
    return ob.superpose.followed.partition("\n")[0] == _AS_POSED


def dragged_bones(ob: Object) -> frozenset[str]:
    """Return the names of the bones that were dragged to the pose that live posing is to take as it is."""
    return frozenset(ob.superpose.followed.split("\n")[1:] if is_as_posed(ob) else ())


def is_kept(ob: Object) -> bool:
    """Return whether somebody is at work on this armature's pose: nobody else is to touch it."""
    return any(kept.uid == ob.session_uid for kept in _kept)


def is_on_its_way(ob: Object) -> bool:
    """Return whether somebody goes through frames with this armature: it is posed for none of them."""
    return any(kept.uid == ob.session_uid and kept.is_on_its_way for kept in _kept)


class KeptPose:
    """The pose that an armature, of the ``uid`` in this session, had ``before``, to the bit.

    Until it is let go of nobody else is to touch the pose. ``is_on_its_way``: it goes through frames.
    """

    def __init__(self, ob: Object, is_on_its_way: bool = False) -> None:
        self.uid, self.is_on_its_way = ob.session_uid, is_on_its_way
        self._bones, self.before = ob.pose.bones.keys(), channels_of(ob)
        _kept.append(self)

    def let_go(self) -> None:
        """Let others touch the pose again."""
        _kept.remove(self)

    def give_back(self, ob: Object, left: Mapping[str, Values] | None = None) -> None:
        """Give the pose back to the bones that are there still, under whatever name.

        Where it is known how it was ``left``, what others have set since stays.
        """
        pairs, present = self._still_there(ob.pose.bones.keys()), channels_of(ob)
        old, new = list(pairs), list(pairs.values())
        before = _rows(self.before, old)
        back = taken_back(_rows(present, new), _rows(left, old), before) if left else before
        for name, values in back.items():
            present[name][new] = values
        set_channels(ob, present)

    def _still_there(self, present: Sequence[str]) -> dict[int, int]:
        """Return the places of bones by the places where they were before.

        As long as no bone is added or removed, a new name is that of the bone in the same place.
        """
        places, before = {name: place for place, name in enumerate(present)}, set(self._bones)
        pairs = {place: places[name] for place, name in enumerate(self._bones) if name in places}
        if len(present) == len(self._bones):
            pairs |= {place: place for place, name in enumerate(present) if name not in before}
        return pairs


@contextmanager
def left_as_posed(ob: Object) -> Iterator[None]:
    """Have live posing leave pose and targets as they are at the end: this is no edit by hand."""
    kept = KeptPose(ob)
    try:
        yield
        if ob.superpose_live:
            leave_as_posed(ob)
    finally:
        kept.let_go()
    ob.update_tag()


def _rows(channels: Mapping[str, Values], bones: Sequence[int]) -> dict[str, Values]:
    return {name: values[bones] for name, values in channels.items()}


@contextmanager
def pose_kept(ob: Object, only_on_failure: bool = False) -> Iterator[None]:
    """Give back the pose at the end, or only where going through the frames fails or is stopped.

    All else that is animated is given back in any case: targets may have been moved, or settings changed,
    without keys. What has other keys in the present frame by then is shown as it is keyed, and other live
    armatures are as they are posed there. If undo brings that state back, it is shown again.
    """
    live = [other for other in bpy.data.objects if other.type == 'ARMATURE' and other.superpose_live]
    kept, values, finished = KeptPose(ob, True), KeptValues([ob, *live]), False
    seen = SeenBefore(bpy.context.scene.frame_current_final, (SeenPose(kept.uid, kept.before), values))
    remember(seen)
    try:
        yield
        finished = True
    finally:  # a closed generator's GeneratorExit comes by here too
        kept.let_go()
        seen.note_keys()
        values.give_back()
        if is_there(ob) and not (finished and only_on_failure):
            kept.give_back(ob)


@contextmanager
def pose_kept_from_keys(context: Context, ob: Object) -> Iterator[None]:
    """Keep what is posed and placed and not keyed while F-curves of the armature are written.

    Once curves of an action were changed Blender shows all that it animates as it is keyed.
    """
    with pose_kept(ob):
        yield
        context.view_layer.update()
