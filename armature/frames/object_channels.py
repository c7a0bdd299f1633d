# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of all channels of objects, keyed or not."""

from collections.abc import Mapping

import bpy
from bpy.types import Object

from ..fcurves.paths import CHANNELS

Values = tuple[float, ...]
Places = Mapping[str, Values]


def placed() -> dict[int, Places]:
    """Return where animated objects are, by their ids in this session, which outlive undo."""
    animated = (ob for ob in bpy.data.objects if ob.animation_data and not ob.library)
    return {ob.session_uid: object_channels(ob) for ob in animated}


def object_channels(ob: Object) -> dict[str, Values]:
    """Return the values of all channels of an object, by name."""
    return {name: tuple(getattr(ob, name)) for name in CHANNELS}


def put(ob: Object, before: Places) -> None:
    """Put an object to where it was ``before``."""
    for name, present in object_channels(ob).items():
        if present != before[name]:
            setattr(ob, name, before[name])
