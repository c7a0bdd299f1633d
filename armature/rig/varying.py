# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much effectors count, and which points of their bones meet targets: what rigs and frames say of it.

Weights that keys, drivers or strips change are 1 in the rig, and frames have factors on that; such offsets
are zero in the rig, and frames have their own. So a rig is the same in whatever frame it was read.
"""

from collections.abc import Sequence, Set

from bpy.types import PoseBone

from ..setup.effectors import OFFSET, WEIGHTS

Varying = Sequence[bool]  # weight of position, weight of rotation, offset
Point = tuple[float, float, float]


def are_varying(bone: PoseBone, paths: Set[str]) -> Varying:
    """Return which of weight of position, weight of rotation and offset frames may change.

    ``paths``: what is animated of the armature object.
    """
    return tuple(bool(paths) and bone.path_from_id(name) in paths for name in (*WEIGHTS, OFFSET))


def lasting_weights(bone: PoseBone, varying: Varying) -> tuple[float, float]:
    """Return the weights of position and rotation that a rig has."""
    pairs = zip(WEIGHTS, varying[:2], strict=True)
    position, rotation = (1.0 if varies else getattr(bone, name) for name, varies in pairs)
    return position, rotation


def lasting_offset(bone: PoseBone, varying: Varying) -> Point:
    """Return the offset that a rig has, along the axes that are shown."""
    x, y, z = (0.0, 0.0, 0.0) if varying[2] else getattr(bone, OFFSET)
    return x, y, z


def frame_weights(bone: PoseBone, varying: Varying) -> list[float]:
    """Return the factors that the present frame has on the weights of a rig: 1 where that has them."""
    pairs = zip(WEIGHTS, varying[:2], strict=True)
    return [getattr(bone, name) if varies else 1.0 for name, varies in pairs]
