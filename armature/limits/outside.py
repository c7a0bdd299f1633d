# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones lie outside their limits, at rest and as they are posed."""

from collections.abc import Collection, Sequence
from math import radians

import numpy as np
from bpy.types import Object

from ...solvers import LimitError
from ...solvers.geometry import Array
from ...solvers.limits import Limit, angles_outside
from ..euler_angles import blenders_angles
from ..joints.joint import Joint, as_box
from ..joints.limit_rotation import uses_limits
from ..setup.limits import read_limit
from .making import shown_turns

# A smaller angle beyond a limit is not worth a word.
_NOTICEABLE = radians(1.0)


def outside_at_rest(limits: Sequence[Limit]) -> set[str]:
    """Return the names of the bones whose rest pose their limits do not allow."""
    return set(first_outside(limits, np.tile((1.0, 0.0, 0.0, 0.0), (1, len(limits), 1))))


def outside_as_posed(ob: Object, limits: Sequence[Limit]) -> set[str]:
    """Return the names of the armature's bones that are posed as their limits do not allow."""
    return set(first_outside(limits, turns_of(ob, limits)[None]))


def turns_of(ob: Object, limits: Sequence[Limit]) -> Array:
    """Return how the armature's bones with these limits are turned (limits, 4), as Blender shows it."""
    return shown_turns(ob, [ob.pose.bones[limit.bone] for limit in limits])


def first_outside(limits: Sequence[Limit], turns: Array) -> dict[str, int]:
    """Return the bones that ``turns`` (rows, limits, 4) have outside, each with the first row that does."""
    outside = angles_outside(limits, turns) > _NOTICEABLE
    first = outside.argmax(axis=0)
    return {limits[place].bone: int(first[place]) for place in np.flatnonzero(outside.any(axis=0))}


def left_outside(ob: Object, solved: Collection[str]) -> list[str]:
    """Return the bones that are outside limits of their own, where a solve of the others leaves them."""
    limits, impossible = limits_beside(ob, solved)
    outside = impossible | outside_as_posed(ob, limits)
    return [bone.name for bone in ob.pose.bones if bone.name in outside]


def locked_outside(ob: Object, names: Sequence[str], joints: Sequence[Joint], turns: Array) -> dict[str, int]:
    """Return the bones of which rotation locks keep an angle that their own limit does not allow.

    Each with the first row of ``turns`` (rows, bones, 4) where they do; what turns about other axes stays in.
    """
    found = {}
    for place, (name, joint) in enumerate(zip(names, joints, strict=True)):
        own = read_limit(ob.pose.bones[name]) if uses_limits(ob) and any(joint.kept) else None
        box = as_box(own, joint.order) if own and joint.order else None
        if box:
            angles = blenders_angles(turns[:, place], joint.order)
            beyond = np.maximum(box[0] - angles, angles - box[1])[:, np.array(joint.kept)]
            rows = np.flatnonzero((beyond > _NOTICEABLE).any(axis=1))
            found |= {name: int(rows[0])} if len(rows) else {}
    return found


def limits_beside(ob: Object, solved: Collection[str]) -> tuple[list[Limit], set[str]]:
    """Return the limits of bones that a solve does not turn, and the names of those that no pose is in."""
    limits: list[Limit] = []
    impossible: set[str] = set()
    for bone in ob.pose.bones if uses_limits(ob) else ():
        try:
            limit = None if bone.name in solved else read_limit(bone)
        except LimitError:
            impossible.add(bone.name)  # it allows nothing
        else:
            limits += [limit] if limit else []
    return limits, impossible
