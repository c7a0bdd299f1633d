# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How bones are turned in the frames of an animation, as Blender evaluates it.

Where F-curves alone say so they are read (keyed_rotations.py); else the scene goes to every frame.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, AnimData, Context, FCurve, Object, PoseBone

from ...solvers.geometry import Array, matrix_to_quaternion, nearest_rotation
from ..bone_columns import bone_column
from ..errors import RigError
from ..fcurves.actions import acting_alone, curves_in, curves_of, slots_for_objects
from ..fcurves.paths import bone_and_property, is_turn
from ..rig.precision import are_sheared
from .keyed_rotations import acting_curves, keyed_rotations
from .pose_kept import pose_kept
from .ranges import animation_times, present_frame_kept

_ZERO = 1e-12
_MANY = 200  # frames of strips to look at: the scene goes to each


@dataclass(frozen=True)
class Take:
    """Frames to look at, with one action alone or, without one, with all that moves the armature."""

    frames: Sequence[int]
    action: Action | None = None
    slot: Any = None

    def acting(self, ob: Object) -> AbstractContextManager[None]:
        """Return what lets the action act meanwhile."""
        return acting_alone(ob.animation_data, self.action, self.slot) if self.action else nullcontext()

    @property
    def curves(self) -> list[FCurve] | None:
        """The F-curves of the one action; None without."""
        return curves_in(self.action, self.slot) if self.action else None


def present_take(ob: Object, step: int) -> list[Take]:
    """Return the frames of the armature's own action; raises RigError if it has none."""
    animation = ob.animation_data
    if animation is None or animation.action is None:
        raise RigError(f"Armature '{ob.name}' has no action: choose other frames to learn from")
    if not curves_of(animation):
        raise RigError(f"Action '{animation.action.name}' does not animate armature '{ob.name}'")
    _check_tracks(ob)
    slot = getattr(animation, "action_slot", None)
    return [Take(_frames(animation.action, step), animation.action, slot)]


def own_takes(ob: Object, step: int) -> list[Take]:
    """Return the frames of the armature's own action or, where that says nothing, of its strips, some
    hundreds of them at most; nothing of what has neither. Raises RigError where they cannot be read.
    """
    animation = ob.animation_data
    if animation is None or curves_of(animation):
        return present_take(ob, step) if animation else []
    strips = [strip for track in animation.nla_tracks if not track.mute for strip in track.strips]
    if not (animation.use_nla and strips):
        return []
    _check_tracks(ob)
    start = floor(min(strip.frame_start for strip in strips))
    end = ceil(max(strip.frame_end for strip in strips))
    return [Take(range(start, end + 1, max(step, (end - start) // _MANY)))]


def fitting_takes(ob: Object, step: int) -> list[Take]:
    """Return the frames of every action in the file that turns bones of the armature, and mostly such.

    Raises RigError if there is none.
    """
    takes = [
        Take(_frames(action, step), action, slot)
        for action in bpy.data.actions
        for slot in slots_for_objects(action)
        if _fits(ob, curves_in(action, slot))
    ]
    if not takes:
        raise RigError(f"No action in this file turns bones of armature '{ob.name}'")
    _check_tracks(ob)
    return takes


def sampled_rotations(
    context: Context, ob: Object, bones: Sequence[PoseBone], takes: Sequence[Take]
) -> Generator[int, None, Array]:
    """Read the takes, giving how many frames are read so far; at the end return the rotations.

    Local ones (frames, bones, 4), ``wxyz``, relative to rest in the parent's frame. Channels that a take does
    not animate are as they are at present. Raises RigError naming a bone that is sheared or scaled to zero.
    """
    found, done = [], 0
    for take in takes:
        curves = acting_curves(ob, take.curves)
        times = animation_times(context.scene, take.frames)
        keyed = None if curves is None else keyed_rotations(ob, bones, curves, times)
        found.append((yield from _shown(context, ob, bones, take, done)) if keyed is None else keyed)
        done += len(take.frames)
        yield done
    return np.concatenate(found)


def _shown(
    context: Context, ob: Object, bones: Sequence[PoseBone], take: Take, done: int
) -> Generator[int, None, Array]:
    """Go through the frames of a take, ``done`` before; return the rotations that are shown in them."""
    reader, found = _Reader(ob, bones), []
    with pose_kept(ob), present_frame_kept(context.scene), _animated(ob), take.acting(ob):
        for frame in take.frames:
            context.scene.frame_set(frame)
            found.append(reader.read(ob.evaluated_get(context.evaluated_depsgraph_get())))
            yield done + len(found)
    return np.array(found)


def _frames(action: Action, step: int) -> range:
    start, end = action.frame_range
    return range(floor(start), ceil(end) + 1, step)


def _check_tracks(ob: Object) -> None:
    if ob.animation_data is not None and ob.animation_data.use_tweak_mode:
        raise RigError(f"A strip of armature '{ob.name}' is in tweak mode: leave that first")


def _fits(ob: Object, curves: Iterable[FCurve]) -> bool:
    places = (bone_and_property(curve.data_path) for curve in curves)
    names = {name for name, prop in places if name and is_turn(prop)}
    return 2 * len(names & set(ob.pose.bones.keys())) > len(names)


@contextmanager
def _animated(ob: Object) -> Iterator[AnimData]:
    """Give an object that has none animation data for as long as it takes."""
    had = ob.animation_data is not None
    try:
        yield ob.animation_data or ob.animation_data_create()
    finally:
        if not had:
            ob.animation_data_clear()


class _Reader:
    """Reads the local rotations of some bones, all at once."""

    def __init__(self, ob: Object, bones: Sequence[PoseBone]) -> None:
        places = {bone.name: place for place, bone in enumerate(ob.pose.bones)}
        self.names = [bone.name for bone in bones]
        self.own = np.array([places[name] for name in self.names])
        follows = [bone.parent is not None and bone.bone.use_inherit_rotation for bone in bones]
        self.follows = np.array(follows)
        self.parents = np.array(
            [places[bone.parent.name] if turns else -1 for bone, turns in zip(bones, follows, strict=True)]
        )
        rests = np.array([np.array(bone.bone.matrix_local)[:3, :3] for bone in bones], np.float64)
        above = np.array(
            [
                np.array(bone.parent.bone.matrix_local)[:3, :3] if turns else np.eye(3)
                for bone, turns in zip(bones, follows, strict=True)
            ],
            np.float64,
        )
        self.rests = above.swapaxes(-1, -2) @ rests

    def read(self, ob: Object) -> Array:
        """Return the rotations (bones, 4) of the evaluated object."""
        bones = ob.pose.bones
        matrices = bone_column(bones, "matrix", 16).reshape(-1, 4, 4).transpose(0, 2, 1)
        linear, signs = matrices[:, :3, :3].astype(np.float64), np.sign(bone_column(bones, "scale", 3))
        turned = self._turns(linear[self.own], signs[self.own])
        above = np.broadcast_to(np.eye(3), turned.shape).copy()
        parents = self.parents[self.follows]
        above[self.follows] = self._turns(linear[parents], signs[parents], self.follows)
        return matrix_to_quaternion(self.rests.swapaxes(-1, -2) @ above.swapaxes(-1, -2) @ turned)

    def _turns(self, linear: Array, signs: Array, owners: Array | slice = slice(None)) -> Array:
        """Return matrices (n, 3, 3) without the scale along their own axes; raises RigError."""
        sizes = np.linalg.norm(linear, axis=-2)
        self._refuse((sizes < _ZERO).any(axis=-1) | (signs == 0).any(axis=-1), owners, "is scaled to zero")
        unscaled = linear / (signs * sizes)[:, None]
        self._refuse(are_sheared(unscaled), owners, "is sheared")
        return nearest_rotation(unscaled)

    def _refuse(self, bad: Array, owners: Array | slice, complaint: str) -> None:
        if bad.any():
            name = np.array(self.names)[owners][int(np.argmax(bad))]
            raise RigError(f"Bone '{name}', or its parent, {complaint}")
