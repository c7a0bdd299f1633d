# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors that give way to what is dragged: their targets go along, as places without one do."""

from collections.abc import Mapping, Set

import numpy as np
from bpy.types import Object

from ...armature import VISIBLE_TURN, Batch, FrameSnapshot, Rig, made_targets, own_targets, places_in_pose
from ...armature.problem.spaces import check_transforms
from ...armature.problem.varying import weights_in
from ...armature.rig.mirrors import shown_rotation
from ...dragging import Found
from ...reports import visible_distance
from ...solvers import Pose, Skeleton
from ...solvers.geometry import Array, angle_between


def followers_with_targets(rig: Rig, ob: Object, frame: FrameSnapshot, held: Set[int]) -> dict[str, int]:
    """Return the rows, by bone, of effectors that are not held and whose targets go where their bones go.

    Targets of pinned effectors do so while pins are released. All of them were made for the armature and are
    met. Those of effectors that go with the body, such as free ones, need not be met, unless something else
    places them, such as keys. Raises RigError naming a target without place or size.
    """
    batch = Batch(rig, [frame])
    posed = batch.skeleton, batch.pose  # what carries an effector nowhere is named before that
    check_transforms(rig.targets, frame.targets[None])
    away, _ = _off(rig, frame, *posed)
    is_met = away <= visible_distance([frame])[0]
    rows = {row for row in made_targets(rig, ob) if is_met[row]}
    rows |= own_targets(rig, ob, [row for row, hold in enumerate(rig.holds) if hold != 'FOLLOWS']).keys()
    return {rig.effectors[row].bone: row for row in sorted(rows - held)}


def gave_way(followers: Mapping[str, int], found: Found, share: float) -> list[str]:
    """Return the bones of followers that are not at their targets in the pose that was found.

    By more than a ``share`` of what can be seen.
    """
    away, turned = _off(found.rig, found.frame, found.skeleton, found.solution.pose)
    turns = weights_in(found.rig.as_listed, [found.frame])[0, :, 1] > 0
    off = (away > share * visible_distance([found.frame])[0]) | (turns & (turned > share * VISIBLE_TURN))
    return [bone for bone, row in followers.items() if off[row]]


def _off(rig: Rig, frame: FrameSnapshot, skeleton: Skeleton, pose: Pose) -> tuple[Array, Array]:
    """Return how far (effectors,) bones are from their targets in a pose of one row, scene units, and by what
    angles they are turned from them, radians."""
    return apart(places_in_pose(rig, frame, skeleton, pose), frame.targets)


def apart(places: Array, targets: Array) -> tuple[Array, Array]:
    """Return how far (n,) places (n, 4, 4) are from targets (n, 4, 4), and how far turned, radians."""
    lengths = np.linalg.norm(places[:, :3, 3] - targets[:, :3, 3], axis=-1)
    return lengths, angle_between(places[:, :3, :3], shown_rotation(targets[:, :3, :3]))
