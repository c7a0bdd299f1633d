# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduce the keys of a clip, and measure on Blender's own poses what that makes of it."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from bpy.types import Context, Object

from ...solvers.geometry import Array, Indices, vecmat
from ...solvers.keys import SUBFRAMES, Bound, Channels, Curve, Motion, extremes, reduce_keys, through
from ...solvers.pauses import passed_on
from ..errors import RigError
from ..frames.frame_snapshot import column
from ..joints.joint import as_blender_sees
from ..joints.rotation_modes import to_quaternions
from ..problem.roots import location_to_armature
from ..problem.stacking import measured, world_lengths
from ..rig.rig import Rig
from .subframes import SHELL, Shown, apart, read_shown
from .tracks import Track, dense_clip

# Parts of the bound that are tried where Blender shows more than was reckoned.
_PARTS = (1.0, 0.8, 0.6, 0.4)


@dataclass(frozen=True)
class ReducedKeys:
    """How many keys are ``kept`` of a ``full`` clip's, and where they are farthest from it.

    ``distance`` in scene units and ``angle`` in radians: the largest. ``frame``, which may be between two,
    and ``bone``: where both together are worst. ``none_fewer``: all stay because none fewer keep the bound.
    """

    kept: int
    full: int
    distance: float
    angle: float
    frame: float
    bone: str
    none_fewer: bool = False


@dataclass(frozen=True)
class KeyChoice:
    """Which keys stay: as few as keep the bound, or those at ``chosen`` frames, or ``on_extremes``.

    The bound: ``distance`` in scene units, ``angle`` in radians. What turns back by less is no extreme.
    """

    distance: float
    angle: float
    chosen: tuple[int, ...] = ()
    on_extremes: bool = False

    def __post_init__(self) -> None:
        """Raise RigError where the bound is no number, which Blender's own minimum lets through."""
        if not (self.distance > 0 and self.angle > 0):
            bound = f"{self.distance} and {self.angle}"
            raise RigError(f"Largest Error and Largest Turn must be more than 0, not {bound}")

    @property
    def is_bound(self) -> bool:
        """Whether the bound decides which keys stay."""
        return not (self.chosen or self.on_extremes)

    def holds(self, distance: float, angle: float) -> bool:
        """Return whether this is within the bound."""
        return distance <= self.distance and angle <= self.angle


class Progress(NamedTuple):
    """How many steps of a phase are ``done``, out of a ``total`` or, where nobody knows that, 0."""

    phase: str
    done: int
    total: int = 0


def reduce_clip(
    context: Context, rig: Rig, ob: Object, numbers: Sequence[int], choice: KeyChoice
) -> Generator[Progress, None, ReducedKeys | None]:
    """Reduce the keys of F-curves that have one in each of the frames; gives how far it is.

    Others stay as they are. Returns None where there are no such curves. Where no fewer keys keep the bound,
    all stay. Whoever stops it midway puts the keys back. Raises RigError as ``measured`` does.
    """
    clip = dense_clip(context.scene, rig, ob, numbers)
    if clip is None:
        return None
    bound = choice.distance, choice.angle
    shell = SHELL / context.scene.unit_settings.scale_length
    reading = read_shown(context, rig, ob, numbers, whole=True)
    before = yield from passed_on(reading, lambda read: Progress("Reading the clip, pose", *read))
    motion = _motion(rig, before, clip.tracks)
    size = float(world_lengths(before.frames, 1.0).max())  # of the armature's unit in the scene's
    for part in _PARTS:
        asked = Bound(part * bound[0] / size, part * bound[1], shell / size)
        finding = _curves(motion, choice, asked, numbers)
        curves = yield from passed_on(finding, partial(Progress, "Finding keys, step"))
        if curves is None:
            break
        clip.write(ob, curves)
        reading = read_shown(context, rig, ob, numbers, whole=False)
        after = yield from passed_on(reading, lambda read: Progress("Checking the keys, pose", *read))
        worst = apart(before, after, shell, bound)
        if not choice.is_bound or choice.holds(worst.distance, worst.angle):
            kept = sum(len(curve.keys) for curve in curves)
            name = ob.pose.bones[worst.bone].name
            return ReducedKeys(kept, clip.keys, worst.distance, worst.angle, worst.time, name)
    clip.put_back(ob)
    return ReducedKeys(clip.keys, clip.keys, 0.0, 0.0, float(numbers[0]), rig.names[0], none_fewer=True)


def _curves(
    motion: Motion, choice: KeyChoice, bound: Bound, numbers: Sequence[int]
) -> Generator[int, None, Sequence[Curve] | None]:
    """Return the curves of fewer keys, or None where none are found."""
    if choice.is_bound:
        found = yield from reduce_keys(motion, bound)
        return found and found.curves
    if choice.on_extremes:
        keys = list(_extremes(motion, bound))
    else:
        inside = [number for number in choice.chosen if numbers[0] <= number <= numbers[-1]]
        nearest = np.abs(np.subtract.outer(inside, numbers)).argmin(axis=1) if inside else []
        keys = [np.unique([0, *nearest, len(numbers) - 1])] * len(motion.channels.values)
    return [through(values, own) for values, own in zip(motion.channels.values, keys, strict=True)]


def _extremes(motion: Motion, bound: Bound) -> Iterator[Indices]:
    """Yield for each channel the keys at which any of its bone's turn back."""
    own, effects = motion.channels, np.linalg.norm(motion.effects(), axis=-1).max(axis=1)
    limits = np.where(own.parts < 4, bound.angle, bound.distance) / np.maximum(effects, 1e-12)
    found = [extremes(row[::SUBFRAMES], limit) for row, limit in zip(own.values, limits, strict=True)]
    for bone in own.bones:
        yield np.unique(np.concatenate([found[row] for row in np.flatnonzero(own.bones == bone)]))


def _motion(rig: Rig, shown: Shown, tracks: Sequence[Track]) -> Motion:
    """Return the clip as it is shown, its tracks as channels; all bones' heads are watched."""
    frames = shown.frames
    rotations, heads = measured(rig, frames)
    channels = column(frames, "rotations")
    locations = column(frames, "locations")
    every = np.concatenate([channels, locations], axis=-1)
    points, holders = _followers(rig, shown, rotations[0], heads[0])
    tracked = Channels(
        values=np.stack([every[:, track.bone, track.part] for track in tracks]),
        bones=np.array([track.bone for track in tracks]),
        parts=np.array([track.part for track in tracks]),
        rotations=channels,
        turns=partial(_seen, rig),
        moves=location_to_armature(rig, frames),
    )
    return Motion(rig.parents, rig.inherits_rotation, rotations, heads, points, holders, tracked)


def _seen(rig: Rig, channels: Array) -> Array:
    return as_blender_sees(rig.joints, to_quaternions(channels, rig.modes))


def _followers(rig: Rig, shown: Shown, rotations: Array, heads: Array) -> tuple[Array, Indices]:
    """Return the heads (points, 3) of bones that go along with solved ones, in the frames of ``holders``."""
    places, holders = {-1: -1} | {int(index): bone for bone, index in enumerate(rig.indices)}, []
    for place in range(len(shown.parents)):
        while place not in places:
            place = shown.parents[place]
        holders.append(places[place])
    goes_along = np.flatnonzero(np.array(holders) >= 0)
    own = np.array(holders)[goes_along]
    away = shown.begins[goes_along].astype(np.float64) - heads[own]
    return vecmat(away, rotations[own]), own
