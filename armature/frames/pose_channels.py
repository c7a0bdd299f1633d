# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of all channels of a pose, keyed or not."""

from collections.abc import Mapping

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ..bone_columns import bone_column
from ..fcurves.paths import CHANNELS

Values = NDArray[np.float32]


def channels_of(ob: Object) -> dict[str, Values]:
    """Return the values of all channels (bones, 3 or 4) of all bones, by name."""
    return {name: bone_column(ob.pose.bones, name, width) for name, width in CHANNELS.items()}


def set_channels(ob: Object, channels: Mapping[str, Values]) -> None:
    """Give all bones these values of their channels (bones, 3 or 4), by name."""
    for name, values in channels.items():
        ob.pose.bones.foreach_set(name, values.ravel())
    ob.update_tag()


def taken_back(
    present: Mapping[str, Values], left: Mapping[str, Values], before: Mapping[str, Values]
) -> dict[str, Values]:
    """Return the channels as they were ``before``, all (bones, 3 or 4) by name.

    What is not as it was ``left`` any more has been set by others or by keys, and stays.
    """
    return {name: np.where(now == left[name], before[name], now) for name, now in present.items()}
