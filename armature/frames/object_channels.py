# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of all channels of objects, keyed or not."""

from bpy.types import Object

from ..fcurves.paths import CHANNELS

Values = tuple[float, ...]


def object_channels(ob: Object) -> dict[str, Values]:
    """Return the values of all channels of an object, by name."""
    return {name: tuple(getattr(ob, name)) for name in CHANNELS}
