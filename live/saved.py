# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What live poses were solved from, kept in files, so that a file shows its frames as before when it is
opened.

A file has the pose of one frame. In every other frame, bones without keys begin from the pose that they were
left in, and not from what was solved for that one frame.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from bpy.types import Object

from ..armature import CHANNELS, channels_of, set_channels, taken_back
from ..armature.setup.array_text import from_text, to_text
from ..solvers.geometry import Array
from .left import Left


def keep(ob: Object, known: "Left | Opened | None") -> None:
    """Store what the present pose was solved from, where it was solved for its frame."""
    began = None if known is None else known.began(ob)
    if began is not None:
        ob.superpose.begun = f"{_digest(ob)}|{to_text(_stacked(began))}"


def forget(ob: Object) -> None:
    """Forget what was stored: as long as the file is open, it is known."""
    ob.superpose.property_unset("begun")


@dataclass(frozen=True, eq=False)
class Opened:
    """The channels ``saved`` with a file, and those ``before`` that this pose was solved from."""

    saved: Mapping[str, Array]
    before: Mapping[str, Array]

    def take_back(self, ob: Object) -> None:
        """Give the armature the pose back that its own was solved from."""
        set_channels(ob, self.began(ob))

    def began(self, ob: Object) -> Mapping[str, Array]:
        """Return the channels that the pose was solved from; the present ones where bones came or went."""
        present, count = channels_of(ob), len(self.saved["scale"])
        return taken_back(present, self.saved, self.before) if len(ob.pose.bones) == count else present


def opened(ob: Object) -> Opened | None:
    """Return what was stored with a pose in a file that is being opened, and forget it; None where there is
    none. Nothing is evaluated yet, so keys have not changed the pose that was saved.
    """
    if not ob.is_property_set("superpose") or not ob.superpose.begun:
        return None
    digest, _, text = ob.superpose.begun.partition("|")
    forget(ob)
    if digest != _digest(ob):  # posed where the add-on was switched off
        return None
    values = from_text(text).reshape(len(ob.pose.bones), -1)
    parts = np.split(values, np.cumsum([*CHANNELS.values()])[:-1], axis=1)
    return Opened(channels_of(ob), dict(zip(CHANNELS, parts, strict=True)))


def _digest(ob: Object) -> str:
    return sha256(_stacked(channels_of(ob)).tobytes()).hexdigest()


def _stacked(channels: Mapping[str, Array]) -> Array:
    """Return the values (bones, 17) of all channels, in their order."""
    return np.concatenate([channels[name] for name in CHANNELS], axis=1, dtype=np.float32)
