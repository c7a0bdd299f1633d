# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose as it was, keyed or not, after going through frames."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from bpy.types import Object

from ..presence import is_there

CHANNELS = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}


_kept: list[int] = []  # ids, in this session, of the armatures that are gone through


def is_kept(ob: Object) -> bool:
    """Return whether frames are being gone through for this armature: its pose is not to be touched."""
    return ob.session_uid in _kept


@contextmanager
def pose_kept(ob: Object, only_on_failure: bool = False) -> Iterator[None]:
    """Give back the pose at the end, or only where going through the frames fails or is stopped."""
    uid = ob.session_uid
    _kept.append(uid)
    before = {name: np.empty(len(ob.pose.bones) * width, np.float32) for name, width in CHANNELS.items()}
    for name, values in before.items():
        ob.pose.bones.foreach_get(name, values)
    finished = False
    try:
        yield
        finished = True
    finally:  # a closed generator's GeneratorExit comes by here too
        _kept.remove(uid)
        if is_there(ob) and not (finished and only_on_failure):
            for name, values in before.items():
                ob.pose.bones.foreach_set(name, values)
            ob.update_tag()
