# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig at rest: where its joints are, which of them are known, and which way it stands."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from bpy.types import Bone

from ...solvers.geometry import Array


@dataclass(frozen=True, eq=False)
class BodyAtRest:
    """``kind`` of body, ``joints`` (bone to key of the tables), ``bones``, unit axes ``left`` and ``up``.

    All in armature space. ``sides``: "L", "R" or nothing of each bone with a role. ``ends`` (3,): where legs
    without feet end, by their last bones.
    """

    kind: str
    joints: Mapping[str, str]
    bones: Mapping[str, Bone]
    left: Array
    up: Array
    sides: Mapping[str, str]
    ends: Mapping[str, Array] = field(default_factory=dict)

    @property
    def front(self) -> Array:
        """The unit axis along which the body looks."""
        return np.cross(self.left, self.up)

    @property
    def size(self) -> float:
        """Return how far the joints are apart at most along an axis of the armature."""
        return float(np.ptp(self.heads, axis=0).max())

    @cached_property
    def heads(self) -> Array:
        """The heads (bones, 3) of all bones."""
        return np.array([head_of(bone) for bone in self.bones.values()])


def head_of(bone: Bone) -> Array:
    """Return where a bone's head is at rest, in armature space."""
    return np.array(bone.head_local, dtype=np.float64)
