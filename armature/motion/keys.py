# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of targets that follow a motion, in actions of their own."""

from collections.abc import Iterable, Mapping, Sequence

import bpy
import numpy as np
from bpy.types import AnimData, Context, Object, Scene

from ...solvers.geometry import Array, matrix_to_quaternion
from ..fcurves.actions import assign, choose_slot, new_curve
from ..fcurves.keys import replace_keys
from ..frames.ranges import animation_times
from ..joints.rotation_modes import to_channels
from ..joints.turns import rotation_path
from .tracks import Tracks

_GROUP = "Object Transforms"


def key_targets(scene: Scene, targets: Mapping[str, Object], tracks: Tracks, name: str) -> None:
    """Key the targets, by effector, where the tracks have them, in new actions that begin with ``name``.

    Actions that they had stay in the file.
    """
    times = np.array(animation_times(scene, tracks.numbers))
    for column, effector in enumerate(tracks.effectors):
        _key(targets[effector], f"{name} {effector}", times, tracks.places[:, column])


def _key(target: Object, name: str, times: Sequence[float], places: Array) -> None:
    """Key one target in a new action of that name, at ``places`` (times, 4, 4), to the world."""
    path = rotation_path(target.rotation_mode)
    present = np.zeros((1, 1, 4))
    own = np.array(getattr(target, path))
    present[..., : len(own)] = own
    turns = matrix_to_quaternion(places[:, None, :3, :3])
    before, free = np.broadcast_to(present, turns.shape), np.zeros((1, 3), bool)
    channels = to_channels(turns, [target.rotation_mode], before, free)[:, 0, : len(own)]
    animation = _with_new_action(target, name)
    for prop, values in (("location", places[:, :3, 3]), (path, channels)):
        for index, column in enumerate(values.T):
            replace_keys(new_curve(animation, prop, index, _GROUP), times, column)


def show_keyed(context: Context, targets: Iterable[Object]) -> None:
    """Show targets where they have keys in the present frame, wherever they were put meanwhile."""
    for target in targets:
        target.update_tag(refresh={'TIME'})
    context.view_layer.update()


def _with_new_action(target: Object, name: str) -> AnimData:
    """Return the animation data, with a new action; the one before stays in the file."""
    animation = target.animation_data or target.animation_data_create()
    if animation.action is not None:
        animation.action.use_fake_user = True  # it may have had no other user
    assign(animation, bpy.data.actions.new(name))
    choose_slot(animation)
    return animation
