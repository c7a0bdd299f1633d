# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pose is the one that was solved: cheap enough to be asked whenever the panel is drawn.

Told from the channels of the solved bones and from where the armature and the targets are. Not to the bit:
keys give back what was keyed with the rounding of their curves.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence

import numpy as np
from bpy.types import Object, PoseBone
from numpy.typing import NDArray

from ..armature import CHANNELS, Rig, pose_column

_SAME = 1e-6  # a difference in single precision that is rounding


def stand_of(ob: Object, rig: Rig) -> str:
    """Return which bones of ``ob.pose.bones`` are effectors and solved, and how they and the targets are."""
    effectors, bones = rig.indices[rig.places].tolist(), rig.indices.tolist()
    values = b64encode(_values(ob, effectors, bones).tobytes()).decode()
    return "|".join((" ".join(map(str, effectors)), " ".join(map(str, bones)), values))


def is_outdated(ob: Object) -> bool:
    """Return whether bones or targets are elsewhere than when the outcome of a single pose was stored."""
    effectors, bones, values = (ob.superpose.stand or "||").split("|")
    if not values:
        return False
    places = [int(place) for place in bones.split()]
    if len(ob.pose.bones) <= max(places):
        return True
    before = np.frombuffer(b64decode(values), np.float32)
    present = _values(ob, [int(place) for place in effectors.split()], places)
    return before.shape != present.shape or not np.allclose(before, present, rtol=_SAME, atol=_SAME)


def _values(ob: Object, effectors: Sequence[int], bones: Sequence[int]) -> NDArray[np.float32]:
    parts = [pose_column(name, ob, width)[bones] for name, width in CHANNELS.items()]
    parts += [np.array(ob.matrix_world), *(_wanted(ob.pose.bones[place]) for place in effectors)]
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def _wanted(bone: PoseBone) -> np.ndarray:
    """Return what says where the effector should be, as an array of any shape."""
    settings = bone.superpose
    own, target = np.array([*settings.offset, bone.superpose_influence]), settings.target
    if target is None:
        return own
    aim = target.pose.bones.get(settings.target_bone) if target.pose else None
    matrix = target.matrix_world @ aim.matrix if aim else target.matrix_world
    return np.append(own, np.array(matrix))
