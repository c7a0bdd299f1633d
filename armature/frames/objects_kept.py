# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where animated objects were, keyed or not, after going through frames."""

from collections.abc import Mapping

import bpy
from bpy.types import Object

from ..fcurves.paths import CHANNELS
from ..presence import is_there

Values = tuple[float, ...]
Places = Mapping[str, Values]


class KeptObjects:
    """The places of all objects that are animated: another frame takes what is not keyed from them."""

    def __init__(self) -> None:
        animated = (ob for ob in bpy.data.objects if ob.animation_data and not ob.library)
        self._before = {ob: object_channels(ob) for ob in animated}

    @property
    def places(self) -> dict[int, Places]:
        """The values of all channels by the objects' ids in this session, which outlive undo."""
        return {ob.session_uid: before for ob, before in self._before.items()}

    def give_back(self) -> None:
        """Put those that are there still, and elsewhere, to where they were."""
        for ob, before in self._before.items():
            if is_there(ob):
                put(ob, before)


def object_channels(ob: Object) -> dict[str, Values]:
    """Return the values of all channels of an object, by name."""
    return {name: tuple(getattr(ob, name)) for name in CHANNELS}


def put(ob: Object, before: Places) -> None:
    """Put an object to where it was ``before``."""
    for name, present in object_channels(ob).items():
        if present != before[name]:
            setattr(ob, name, before[name])
