# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that somebody has chosen: those with keys of the body or of its targets."""

from collections.abc import Iterator, Sequence
from itertools import compress

from bpy.types import Object, Scene

from ..fcurves.actions import curves_of
from ..fcurves.paths import bone_and_property, paths_of_goal
from ..frames.ranges import frame_length
from ..rig.rig import Rig


def keyed_frames(scene: Scene, rig: Rig, ob: Object, numbers: Sequence[int]) -> set[int]:
    """Return the frames nearest to keys of solved bones, of goals and of what their targets' actions move.

    F-curves with keys in all of the frames ``numbers`` say nothing.
    """
    stretch = frame_length(scene)
    bones = compress(rig.effector_bones(ob), ~rig.targetless)
    goals = [ob.superpose.goals[goal.index] for goal in rig.goals]
    settings = [*(bone.superpose for bone in bones), *goals]
    aims = [(setting.target, {setting.target_bone}) for setting in settings if setting.target]
    asked = set(rig.names).union(*map(paths_of_goal, goals))
    curves = (times for thing, names in (*aims, (ob, asked)) for times in _key_times(thing, names))
    frames = ({round(time / stretch) for time in times} for times in curves)
    return {frame for own in frames if not own.issuperset(numbers) for frame in own}


def _key_times(thing: Object, names: set[str]) -> Iterator[list[float]]:
    """Yield when each F-curve of the object or its bones has keys: of the bones or paths with these names."""
    for curve in curves_of(thing.animation_data):
        name, _ = bone_and_property(curve.data_path)
        if name in names or curve.data_path in names:
            yield [key.co.x for key in curve.keyframe_points]
