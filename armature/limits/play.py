# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much play the hinges of a rig have, where its own motion says so."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import radians

import numpy as np
from bpy.types import Context, Object

from ...presets.animal_joints import ANIMAL_JOINTS
from ...solvers import Hinge
from ...solvers.geometry import quaternion_to_matrix
from ...solvers.limits import Limit
from ...solvers.pauses import finished
from ..fcurves.actions import curves_of
from ..frames.samples import present_take, sampled_rotations

_HINGED = {"ELBOW", "KNEE", *ANIMAL_JOINTS}
# Looked at is every so-manieth frame. So much play that this share of them is inside, never more than that.
_STEP, _INSIDE, _MOST = 5, 0.98, radians(30.0)


def played(context: Context, ob: Object, limits: Sequence[Limit], joints: Mapping[str, str]) -> list[Limit]:
    """Return the limits, hinges of limbs with as much play as the armature's action uses.

    ``joints``: which joint, a key of the tables, each bone is. Raises RigError where the action cannot be
    read.
    """
    hinges = [limit for limit in limits if isinstance(limit, Hinge) and joints[limit.bone] in _HINGED]
    if not hinges or ob.animation_data is None or not curves_of(ob.animation_data):
        return list(limits)
    bones = [ob.pose.bones[hinge.bone] for hinge in hinges]
    seen = quaternion_to_matrix(finished(sampled_rotations(context, ob, bones, present_take(ob, _STEP))))
    used = [float(np.quantile(hinge.tilts(seen[:, row]), _INSIDE)) for row, hinge in enumerate(hinges)]
    plays = {hinge.bone: max(hinge.play, min(play, _MOST)) for hinge, play in zip(hinges, used, strict=True)}
    return [replace(limit, play=plays[limit.bone]) if limit.bone in plays else limit for limit in limits]
