# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which poses were solved for frames that have been left: undo may bring any of them back as it was shown."""

from dataclasses import dataclass, field

from bpy.types import Object

from ..armature import channels_of
from .left import Left

_MOST = 64  # frames


@dataclass(frozen=True, eq=False)
class Past:
    """How one armature was left in the latest frames, by all channels that it had."""

    poses: dict[bytes, Left] = field(default_factory=dict)

    def leave(self, ob: Object, left: Left | None) -> None:
        """Take back what was solved for the frame that the armature is shown in, now or before an undo."""
        key = b"".join(values.tobytes() for values in channels_of(ob).values())
        if left is not None and left.began(ob) is not None:
            self.poses.pop(key, None)
            self.poses[key] = left
            while len(self.poses) > _MOST:
                del self.poses[next(iter(self.poses))]
        known = self.poses.get(key)
        if known is not None:
            known.take_back(ob)
