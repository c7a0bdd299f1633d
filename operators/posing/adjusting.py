# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag whose values are changed once it has ended: Blender undoes it, and it goes on from that end."""

from copy import copy

import numpy as np
from bpy.types import Object

from ...armature import VISIBLE_TURN, places_in_pose
from ...dragging import Drag
from ...solvers.geometry import Array
from .motion import Motion
from .puppet import Puppet

_ALIKE = 1e-6  # of matrices' entries


def goes_on(puppet: Puppet, ob: Object, ended: Drag, motion: Motion, are_pins_released: bool) -> bool:
    """Pose the body for a motion from where another drag has ended; return whether it gets there that way.

    It does not if this drag begins elsewhere, or if a bone has to take another way to turn as it should.
    Raises RigError or SolverError.
    """
    if not _begins_there(puppet, ended):
        return False
    puppet.follow(ob, motion, are_pins_released)
    puppet.rest(ob)
    left = puppet.found.solution.rotation_residuals[0, [*puppet.rows.values()]]
    if puppet.turns and (left > VISIBLE_TURN).any():
        puppet.asked = None  # for the same to be asked once more
        return False
    return True


def _begins_there(puppet: Puppet, ended: Drag) -> bool:
    """Have the body go on where another drag has ended, if it began as that did; return whether it did.

    What is turned, and was not, turns from how it has come there.
    """
    asked = [(_bones(drag), drag.moved, drag.settings) for drag in (puppet.drag, ended)]
    begun = [(drag.begin.matrices, drag.begin.targets) for drag in (puppet.drag, ended)]
    if asked[0] != asked[1] or not all(_are_alike(*pair) for pair in zip(*begun, strict=True)):
        return False
    if puppet.drag.rig.effectors == ended.rig.effectors:
        puppet.drag = copy(ended)
        return True
    if puppet.turns:
        puppet.drag.move({puppet.rows[bone]: place for bone, place in puppet.begin.items()})  # as it begins
        puppet.drag.pose = ended.pose
        places = places_in_pose(ended.rig, ended.begin, ended.request.skeleton, ended.pose)
        for bone, place in puppet.begin.items():
            place[:3, :3] = places[puppet.rows[bone], :3, :3]
    return puppet.turns


def _bones(drag: Drag) -> list[str]:
    """Return the bones of the effectors."""
    return [effector.bone for effector in drag.rig.effectors]


def _are_alike(one: Array, other: Array) -> bool:
    """Return whether matrices are the same, as Blender has them again once it has undone what came after."""
    return one.shape == other.shape and np.allclose(one, other, atol=_ALIKE)
