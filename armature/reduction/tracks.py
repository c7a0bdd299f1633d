# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves of solved bones that have a key in every frame of a clip: those of a bake, and of no animator."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import FCurve, Object, Scene

from ...solvers.geometry import Array
from ...solvers.keys import Curve
from ...solvers.motion import spans_of
from ..errors import RigError
from ..fcurves.actions import curves_of
from ..fcurves.keys import WHOLE, Keys, read_keys, replace_by_fewer, write_keys
from ..frames.ranges import animation_times
from ..joints.turns import rotation_path
from ..rig.rig import Rig
from ..solution.keyframes import ActionMode, action_times, check_keys

_MARGIN = 1e-3  # frames
_LONG = 8  # frames, from which on it is worth while to speak of keys in all of them
# Handles of keys that bakes make: those beside a part that was baked again become free.
_BAKED = ("AUTO", "AUTO_CLAMPED", "FREE")


@dataclass(frozen=True)
class Track:
    """An F-curve of a ``bone`` of the rig; ``part``: rotation channels 0 to 3, location 4 to 6."""

    bone: int
    part: int
    path: str
    index: int

    def curve(self, ob: Object) -> FCurve:
        """Return the F-curve, which may have moved in memory."""
        curves = curves_of(ob.animation_data)
        return next(c for c in curves if (c.data_path, c.array_index) == (self.path, self.index))


@dataclass(frozen=True, eq=False)
class DenseClip:
    """``tracks`` with baked keys at all of the action's ``times`` and none between, and what they had.

    ``backwards``: whether the clip plays them from the last to the first, as an NLA strip may.
    """

    tracks: tuple[Track, ...]
    times: Array
    backwards: bool
    before: tuple[Keys, ...]

    @property
    def keys(self) -> int:
        """How many keys there are."""
        return len(self.tracks) * len(self.times)

    def write(self, ob: Object, curves: Sequence[Curve]) -> None:
        """Replace the keys at these times by those of the curves."""
        for track, curve in zip(self.tracks, curves, strict=True):
            turned = curve.backwards(len(self.times) - 1) if self.backwards else curve
            replace_by_fewer(track.curve(ob), self.times, turned)
        ob.update_tag()

    def put_back(self, ob: Object) -> None:
        """Give the tracks the keys that they had."""
        for track, keys in zip(self.tracks, self.before, strict=True):
            write_keys(track.curve(ob), keys)
        ob.update_tag()


def dense_clip(scene: Scene, rig: Rig, ob: Object, numbers: Sequence[int]) -> DenseClip | None:
    """Return the tracks of solved bones that have keys in all of these frames, if there are any."""
    if ob.animation_data is None or len(numbers) < 2:
        return None
    shown = action_times(ob.animation_data, animation_times(scene, numbers))
    times, backwards = np.sort(shown), bool(shown[0] > shown[-1])
    curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(ob.animation_data)}
    there = ((track, curves.get((track.path, track.index))) for track in _tracks(ob, rig))
    dense = {track: read_keys(curve, WHOLE) for track, curve in there if curve and _is_dense(curve, times)}
    return DenseClip(tuple(dense), times, backwards, tuple(dense.values())) if dense else None


def check_dense(scene: Scene, rig: Rig, ob: Object, numbers: Sequence[int], action_mode: ActionMode) -> None:
    """Raise RigError where solved bones have no keys in all of these frames, or they cannot be changed."""
    clip = dense_clip(scene, rig, ob, numbers)
    if clip is None:
        there, ends = _longest_dense(scene, rig, ob, numbers), f"{numbers[0]} to {numbers[-1]}"
        cure = (
            f"choose {there[0]} to {there[-1]}, which have" if there else "Bake to Keyframes makes such keys"
        )
        raise RigError(
            f"No bone of '{ob.name}' that a solve moves has keys in all frames from {ends}: {cure}"
        )
    check_keys(ob, rig, animation_times(scene, numbers), clip.tracks, action_mode)


def _longest_dense(scene: Scene, rig: Rig, ob: Object, numbers: Sequence[int]) -> Sequence[int]:
    """Return the longest run of these frames in which solved bones have keys in all, if there is any."""
    if ob.animation_data is None:
        return ()
    times = action_times(ob.animation_data, animation_times(scene, numbers))
    own = {(track.path, track.index) for track in _tracks(ob, rig)}
    curves = (one for one in curves_of(ob.animation_data) if (one.data_path, one.array_index) in own)
    keyed = (read_keys(curve)["co"][:, 0] for curve in curves)
    masks = (np.abs(at[:, None] - times).min(axis=0, initial=np.inf) < _MARGIN for at in keyed)
    runs = {span.rows.indices(len(numbers)) for mask in masks for span in spans_of(mask)}
    found = sorted((numbers[slice(*run)] for run in runs), key=len, reverse=True)
    return next((run for run in found if len(run) >= _LONG and dense_clip(scene, rig, ob, run)), ())


def _tracks(ob: Object, rig: Rig) -> Iterator[Track]:
    """Yield the channels that solves may change."""
    for bone, index in enumerate(rig.indices):
        pose_bone = ob.pose.bones[int(index)]
        rotation = 0, rotation_path(rig.modes[bone]), rig.free_rotation[bone] & rig.turning[bone]
        for first, prop, free in (rotation, (4, "location", rig.free_location[bone])):
            for part in np.flatnonzero(free[: len(getattr(pose_bone, prop))]).tolist():
                yield Track(bone, first + part, pose_bone.path_from_id(prop), part)


def _is_dense(curve: FCurve, times: Array) -> bool:
    keys = read_keys(curve)
    at = keys["co"][:, 0]
    inside = (at > times[0] - _MARGIN) & (at < times[-1] + _MARGIN)
    if inside.sum() != len(times) or (np.abs(at[inside] - times) > _MARGIN).any():
        return False
    choices = bpy.types.Keyframe.bl_rna.properties["handle_left_type"].enum_items
    baked = [choices[name].value for name in _BAKED]
    sides = keys["handle_left_type"], keys["handle_right_type"]
    return all(np.isin(kinds[inside], baked).all() for kinds in sides)
