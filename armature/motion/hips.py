# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hips of a body that follows a motion: as low as its legs need them.

Legs of both bodies are equally long at rest. If the leader's are bent more there, they can stretch farther
than the follower's. Then the follower's feet would come off the ground as soon as the leader stretches.
"""

import numpy as np
from bpy.types import Bone
from mathutils import Matrix

from ...solvers.geometry import Array, matvec, norm
from .lead import Lead
from .proportions import length_along


def lowered(lead: Lead, leader_to_world: Matrix, places: Array) -> Array:
    """Return the places of bones (frames, n, 4, 4), to the world, with all lowered except feet and what they
    carry.

    All is lowered by as much as the legs need in the frame that needs most, but by no more than the leader's
    legs can stretch farther than these: places that were recorded may be out of reach in any case.
    """
    rows, feet = {name: row for row, name in enumerate(lead.bones)}, lead.feet
    hips = lead.bone_of("hips")
    if not (hips and feet):
        return places
    needed = max(
        _needed(lead, leader_to_world, hips, foot, places[:, [rows[hips], rows[foot]]]) for foot in feet
    )
    lower: Array = places.copy()
    lower[:, [row for name, row in rows.items() if not {name, lead.carrier(name)} & {*feet}], 2, 3] -= needed
    return lower


def _needed(lead: Lead, leader_to_world: Matrix, hips: str, foot: str, places: Array) -> float:
    """Return by how much the hips have to be lower for a leg, at ``places`` (frames, 2, 4, 4) of both."""
    own, theirs = lead.limb_bones(foot)
    follower = lead.follower
    most = _bent(*theirs, leader_to_world) - _bent(*own, follower.matrix_world)
    joint = follower.data.bones[hips].matrix_local.inverted() @ own[0].head_local
    ways = matvec(places[:, 0, :3], np.array([*joint, 1.0])) - places[:, 1, :3, 3]
    length = length_along(*own, follower.matrix_world)
    reaches = np.sqrt(np.maximum(length**2 - norm(ways[:, :2]) ** 2, 0.0))
    return float(np.clip((ways[:, 2] - reaches).max(), 0.0, max(most, 0.0)))


def _bent(begin: Bone, end: Bone, to_world: Matrix) -> float:
    """Return by how much farther apart the ends of a limb can be than at rest, in the world."""
    return (
        length_along(begin, end, to_world) - (to_world @ end.head_local - to_world @ begin.head_local).length
    )
