# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that undo or redo brings back, which are shown as they were.

Blender may evaluate an action that comes back with them, whose keys then have their own way.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ..armature import channels_of, set_channels
from ..solvers.geometry import Array


@dataclass(frozen=True, eq=False)
class Restored:
    """The ``channels`` (bones, 3 or 4), by name, that came back."""

    channels: Mapping[str, Array]

    def put_back(self, ob: Object) -> bool:
        """Give the armature these again; return whether it has others, of the same bones."""
        present = channels_of(ob)
        is_same = (np.array_equal(self.channels[name], values) for name, values in present.items())
        if len(present["scale"]) != len(self.channels["scale"]) or all(is_same):
            return False
        set_channels(ob, self.channels)
        return True


def restored(ob: Object) -> Restored:
    """Return how an armature has come back; nothing is evaluated yet."""
    return Restored(channels_of(ob))
