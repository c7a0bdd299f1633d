# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where animated objects were, keyed or not, after going through frames."""

import bpy
from bpy.types import Object

from ..fcurves.paths import CHANNELS
from ..presence import is_there

Values = tuple[float, ...]


class KeptObjects:
    """The places of all objects that are animated: another frame takes what is not keyed from them."""

    def __init__(self) -> None:
        animated = (ob for ob in bpy.data.objects if ob.animation_data and not ob.library)
        self._before = {ob: object_channels(ob) for ob in animated}

    def give_back(self) -> None:
        """Put those that are there still, and elsewhere, to where they were."""
        for ob, before in self._before.items():
            if is_there(ob):
                _put(ob, before)


def object_channels(ob: Object) -> dict[str, Values]:
    """Return the values of all channels of an object, by name."""
    return {name: tuple(getattr(ob, name)) for name in CHANNELS}


def _put(ob: Object, before: dict[str, Values]) -> None:
    for name, present in object_channels(ob).items():
        if present != before[name]:
            setattr(ob, name, before[name])
