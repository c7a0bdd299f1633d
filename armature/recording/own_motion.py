# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion that a body has, as targets of its own effectors: what is recorded is then the body itself."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.types import Context, Object

from ...solvers.geometry import Array, matrix_to_quaternion
from ..errors import RigError
from ..fcurves.actions import new_curve
from ..fcurves.keys import replace_keys
from ..frames.ranges import animation_times, present_frame_kept
from ..joints.rotation_modes import to_channels
from ..problem.places import target_matrix
from ..rig.effectors import NOWHERE
from ..setup.effectors import effectors_of


@contextmanager
def led_by_own_motion(context: Context, ob: Object, numbers: Sequence[int]) -> Iterator[None]:
    """Have effectors meet targets that move as their bones are animated to in the frames ``numbers``.

    In the end they have the targets that they had. Raises RigError where there are no effectors, or where
    a bone is not finite.
    """
    bones = effectors_of(ob)
    if not bones:
        raise RigError(f"'{ob.name}' has no effectors")
    settings = [bone.superpose for bone in bones]
    before = [(setting.target, setting.target_bone) for setting in settings]
    times = animation_times(context.scene, numbers)
    targets = [_moving(context, times, track) for track in _tracks(context, ob, numbers)]
    for setting, target in zip(settings, targets, strict=True):
        setting.target, setting.target_bone = target, ""
    try:
        yield
    finally:
        for setting, (target, bone) in zip(settings, before, strict=True):
            setting.target, setting.target_bone = target, bone
        for target in targets:
            action = target.animation_data.action
            bpy.data.objects.remove(target)
            bpy.data.actions.remove(action)


def _tracks(context: Context, ob: Object, numbers: Sequence[int]) -> Array:
    """Return where a target meets each effector in each frame, (effectors, frames, 4, 4), world.

    Raises RigError naming the first bone that is not finite.
    """
    bones, frames = effectors_of(ob), []
    with present_frame_kept(context.scene):
        for number in numbers:
            context.scene.frame_set(number)
            graph = context.evaluated_depsgraph_get()
            _check_finite(ob.evaluated_get(graph), number)
            frames.append([target_matrix(ob, bone.name, bone.superpose_offset, graph) for bone in bones])
    return np.array(frames, dtype=np.float64).swapaxes(0, 1)


def _check_finite(shown: Object, number: int) -> None:
    """Raise RigError naming the first bone of the evaluated armature that is nowhere in the frame."""
    for bone in shown.pose.bones:
        if not np.isfinite(np.array(bone.matrix)).all():
            raise RigError(f"Frame {number}: The bone '{bone.name}' {NOWHERE}")


def _moving(context: Context, times: Sequence[float], track: Array) -> Object:
    """Return a new empty with keys at the times (frames,) that moves along a track (frames, 4, 4)."""
    target = bpy.data.objects.new("Motion", None)
    context.scene.collection.objects.link(target)
    target.rotation_mode = 'QUATERNION'
    animation = target.animation_data_create()
    animation.action = bpy.data.actions.new(target.name)
    turned = matrix_to_quaternion(track[:, None, :3, :3])
    turned = to_channels(turned, [target.rotation_mode], turned, np.zeros((1, 3), dtype=bool))[:, 0]
    for path, values in (("location", track[:, :3, 3]), ("rotation_quaternion", turned)):
        for index, channel in enumerate(values.T):
            replace_keys(new_curve(animation, path, index, "Motion"), np.array(times), channel)
    return target
