# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all bones look like at the subframes of a clip, as Blender evaluates it."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object
from numpy.typing import NDArray

from ...solvers.geometry import Array
from ...solvers.keys import SUBFRAMES, distances_between
from ..bone_columns import bone_column
from ..frames.frame_snapshot import FrameSnapshot, evaluated_frame
from ..rig.rig import Rig

# Bones that turn about an axis by an angle may turn quickly between two keys, where the axis does: in clips
# with such there are so many times the samples.
_TIMES_FINER = 4
# How far off every bone's head the points are whose distances are measured, in metres: where a skin may be.
SHELL = 0.03


def subframes(numbers: Sequence[int], times_finer: int) -> Array:
    """Return the scene's times of the samples, SUBFRAMES from each frame to the next, or more."""
    samples = SUBFRAMES * times_finer
    places = np.arange(samples * (len(numbers) - 1) + 1) / samples
    return np.interp(places, np.arange(len(numbers)), np.array(numbers, np.float64))


@dataclass(frozen=True, eq=False)
class Shown:
    """All bones at ``times`` (samples,): ``rotations`` (samples, bones, 3, 3) and ``heads``, bone to world.

    ``parents``: place of each bone's, or -1. ``begins`` (bones, 3): heads at the first of the times, bone to
    armature. ``frames``: the bones that are solved, with their channels, SUBFRAMES from each frame to the
    next; empty where these are not asked for.
    """

    times: Array
    rotations: NDArray[np.float32]
    heads: NDArray[np.float32]
    parents: list[int]
    begins: NDArray[np.float32]
    frames: list[FrameSnapshot]


@dataclass(frozen=True)
class Apart:
    """How far two clips are apart: ``distance`` in scene units and ``angle`` in radians, the largest.

    The worst by both together is at the ``time``, and at the ``bone``, a place in ``ob.pose.bones``.
    """

    distance: float
    angle: float
    time: float
    bone: int


def read_shown(
    context: Context, rig: Rig, ob: Object, numbers: Sequence[int], *, whole: bool
) -> Generator[tuple[int, int], None, Shown]:
    """Go to each subframe of these frames and return what is shown, giving how many are read of how many.

    ``whole``: with the channels of the bones that are solved.
    """
    times_finer = _TIMES_FINER if 'AXIS_ANGLE' in rig.modes else 1
    times, scene = subframes(numbers, times_finer), context.scene
    shape = len(times), len(ob.pose.bones)
    rotations, heads = np.empty((*shape, 3, 3), np.float32), np.empty((*shape, 3), np.float32)
    frames = []
    for place, time in enumerate(times):
        scene.frame_set(int(np.floor(time)), subframe=float(time % 1.0))
        depsgraph = context.evaluated_depsgraph_get()
        matrices = bone_column(ob.pose.bones, "matrix", 16).reshape(-1, 4, 4).transpose(0, 2, 1)
        armature_to_world = np.array(ob.matrix_world, np.float32)
        linear = armature_to_world[:3, :3] @ matrices[:, :3, :3]
        rotations[place] = linear / np.maximum(np.linalg.norm(linear, axis=-2, keepdims=True), 1e-12)
        heads[place] = matrices[:, :3, 3] @ armature_to_world[:3, :3].T + armature_to_world[:3, 3]
        if place == 0:
            begins = matrices[:, :3, 3]
        if whole and place % times_finer == 0:
            frames.append(evaluated_frame(rig, ob, depsgraph))
        yield place + 1, len(times)
    places = {bone.name: place for place, bone in enumerate(ob.pose.bones)}
    parents = [places[bone.parent.name] if bone.parent else -1 for bone in ob.pose.bones]
    return Shown(times, rotations, heads, parents, begins, frames)


def apart(before: Shown, after: Shown, shell: float, bound: tuple[float, float]) -> Apart:
    """Return how far the clips are apart; ``bound``: the distance and the angle that weigh as much."""
    pairs = (before.rotations, after.rotations), (before.heads, after.heads)
    exact = (tuple(each.astype(np.float64) for each in pair) for pair in pairs)
    distances, angles = distances_between(*exact, shell)
    badness = np.maximum(distances / bound[0], angles / bound[1])
    sample, bone = np.unravel_index(np.argmax(badness), badness.shape)
    return Apart(float(distances.max()), float(angles.max()), float(before.times[sample]), int(bone))
