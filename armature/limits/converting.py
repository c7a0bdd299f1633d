# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig says of a joint, as a limit of the bone's own that solves the same."""

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers import EulerLimit, Hinge
from ...solvers.limits import Limit
from ..euler_angles import blenders_angles
from ..joints.joint import read_joints
from ..setup.limits import limit_kind
from .making import shown_turn

_NOTHING = 1e-6


def converted_limit(ob: Object, bone: PoseBone) -> Limit | None:
    """Return what locks, Limit Rotation and IK settings say; None for nothing, or beside a limit of its own.

    What they keep as it is, is kept at its present angle; bones that may not turn at all need no limit.
    """
    if limit_kind(bone) != 'NONE':
        return None
    (joint,) = read_joints(ob, [bone])
    if joint.held or not joint.order:
        return None
    angles = blenders_angles(shown_turn(ob, bone), joint.order)
    bounds = (np.where(joint.kept, angles, bound) for bound in (joint.lower, joint.upper))
    limit = EulerLimit(bone.name, joint.order, *bounds)
    return _hinge(limit) or limit


def _hinge(limit: EulerLimit) -> Hinge | None:
    """Return the hinge that the limit is if it leaves one angle only."""
    (lower,), (upper,) = limit.lower, limit.upper
    (turning,) = np.nonzero(np.maximum(np.abs(lower), np.abs(upper)) > _NOTHING)
    if len(turning) != 1:
        return None
    axis = tuple(np.eye(3)[turning[0]].tolist())
    return Hinge(limit.bone, axis, float(lower[turning[0]]), float(upper[turning[0]]))
