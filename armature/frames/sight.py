# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows once a pose is written: bones and targets, and the joints that controls drive."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Context, Depsgraph, Object

from ...solvers.geometry import Array
from ..rig.driven import DrivenJoint, driven_joints
from ..rig.rig import Rig
from .frame_snapshot import FrameSnapshot, evaluated_frame

_NOWHERE = 1e30  # what is not finite is shown nowhere


@dataclass(frozen=True, eq=False)
class Sight:
    """``frame``: as evaluated. ``lags`` (effectors, 3), armature space: from where a control has the joint
    that it drives to where that joint is; 0 for effectors that drive none. ``driven``: those joints' bones.
    """

    frame: FrameSnapshot
    lags: Array
    driven: tuple[str, ...]


def present_sight(
    depsgraph: Depsgraph, rig: Rig, ob: Object, joints: Sequence[DrivenJoint | None] | None = None
) -> Sight:
    """Return what is shown as evaluated; ``joints``: those that effectors drive, where they are known."""
    return _sight(rig, ob, driven_joints(rig, ob) if joints is None else joints, depsgraph)


def read_sights(
    context: Context, rig: Rig, ob: Object, numbers: Sequence[int]
) -> Generator[int, None, list[Sight]]:
    """Go to each frame and return what is shown there, giving how many are read."""
    joints, sights = driven_joints(rig, ob), []
    for number in numbers:
        context.scene.frame_set(number)
        sights.append(_sight(rig, ob, joints, context.evaluated_depsgraph_get()))
        yield len(sights)
    return sights


def _sight(rig: Rig, ob: Object, joints: Sequence[DrivenJoint | None], depsgraph: Depsgraph) -> Sight:
    frame = evaluated_frame(rig, ob, depsgraph)
    targets, matrices = (_finite(values) for values in (frame.targets, frame.matrices))
    frame = replace(frame, targets=targets, matrices=matrices)
    lags, evaluated = np.zeros((len(joints), 3)), ob.evaluated_get(depsgraph)
    for lag, joint, place in zip(lags, joints, rig.places, strict=True):
        if joint is not None:
            bone = evaluated.pose.bones[joint.name]
            wanted = matrices[place, :3, :3] @ joint.place + matrices[place, :3, 3]
            lag[:] = _finite(np.array(bone.tail if joint.is_tail else bone.head)) - wanted
    driven = tuple(joint.name if joint else "" for joint in joints)
    return Sight(frame, lags, driven)


def _finite(values: Array) -> Array:
    return np.nan_to_num(values, nan=_NOWHERE, posinf=_NOWHERE, neginf=-_NOWHERE)
