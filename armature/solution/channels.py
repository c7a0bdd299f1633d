# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the solver's pose to bones' channels: in their own rotation modes, respecting locks."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers import Pose
from ...solvers.geometry import Array, Mask
from ..fcurves.paths import CHANNELS
from ..frames.frame_snapshot import FrameSnapshot, column, figure_extents, present_frame
from ..frames.pose_channels import channels_of
from ..joints.joint import as_blender_sees
from ..joints.rotation_modes import to_channels, to_quaternions
from ..joints.turns import rotation_path
from ..problem.roots import constant_freedom, location_to_armature
from ..rig.precision import are_even, is_fine
from ..rig.rig import Rig

# Smaller changes are rounding: what the solve did not turn or move is left untouched.
_UNCHANGED = 1e-9


@dataclass(frozen=True, eq=False)
class Channels:
    """What to write: ``rotations`` (frames, bones, 4) in each bone's mode, ``locations`` (frames, bones, 3).

    ``turned`` (bones, 4) and ``moved`` (bones, 3): which of them the solve changed in any frame. ``is_fine``:
    single precision, and scales, show all frames as they were solved, as far as can be seen.
    """

    rotations: Array
    locations: Array
    turned: Mask
    moved: Mask
    is_fine: bool = True


def channels(rig: Rig, frames: list[FrameSnapshot], pose: Pose) -> Channels:
    """Return the pose's rows as channels of the frames they were solved from, continuous over the frames."""
    animated = column(frames, "rotations")
    before = column(frames, "locations")
    locations = _locations(rig, frames, before, pose.translations)
    seen = as_blender_sees(rig.joints, to_quaternions(animated, rig.modes))
    turned = rig.turning & _differ(pose.rotations, seen)
    shifts = np.abs(locations - before) > _UNCHANGED * (1 + np.abs(before))
    rotations = to_channels(pose.rotations, rig.modes, animated, rig.locked_axes)
    farthest = max(np.abs(frame.matrices[:, :3, 3]).max() for frame in frames)
    return Channels(
        rotations=rotations,
        locations=locations,
        turned=turned[:, None] & rig.free_rotation,
        moved=rig.free_location & shifts.any(axis=0),
        is_fine=are_even(column(frames, "scales"))
        and is_fine(
            farthest + np.abs(pose.translations).max(), figure_extents(frames).min(), np.abs(rotations).max()
        ),
    )


@dataclass(frozen=True, eq=False)
class Change:
    """What a pose changes of one property of a bone: its ``values`` where they are ``chosen``."""

    bone: PoseBone
    path: str
    values: Array
    chosen: Mask

    def write(self) -> None:
        """Set the chosen parts in one go; the others keep every bit."""
        present = getattr(self.bone, self.path)
        triples = zip(present, self.values[: len(present)], self.chosen[: len(present)], strict=True)
        setattr(self.bone, self.path, [new if change else old for old, new, change in triples])


def pose_changes(rig: Rig, ob: Object, pose: Pose, present: FrameSnapshot | None = None) -> list[Change]:
    """Return what the pose, of one row, changes of the armature object, before anything is written.

    Rotations are continuous with the ``present`` ones, which need not be read anew where they just were.
    """
    new = channels(rig, [present or present_frame(rig, ob)], pose)
    turned, moved = new.turned.any(axis=1), new.moved.any(axis=1)
    changes, bones = [], ob.pose.bones
    for index in np.flatnonzero(turned | moved).tolist():
        bone = bones[int(rig.indices[index])]
        if turned[index]:
            path = rotation_path(rig.modes[index])
            changes.append(Change(bone, path, new.rotations[0, index], new.turned[index]))
        if moved[index]:
            changes.append(Change(bone, "location", new.locations[0, index], new.moved[index]))
    return changes


def posed_properties(rig: Rig, ob: Object) -> list[tuple[PoseBone, str]]:
    """Return the properties of bones that say how the body is posed: all that the solve may turn or move."""
    found = []
    for index in np.flatnonzero(rig.moving):
        bone = ob.pose.bones[int(rig.indices[index])]
        found += [(bone, rotation_path(rig.modes[index]))] if rig.turning[index] else []
        found += [(bone, "location")] if rig.free_location[index].any() else []
    return found


def write_pose(rig: Rig, ob: Object, pose: Pose, present: FrameSnapshot | None = None) -> list[Change]:
    """Write the pose, of one row, to the armature object; return what it changed.

    ``present`` as of ``pose_changes``. Tagging the object and updating the view layer is the caller's.
    """
    changes = pose_changes(rig, ob, pose, present)
    for change in changes:
        change.write()
    return changes


def write_channels(rig: Rig, ob: Object, frame: FrameSnapshot) -> None:
    """Write a frame's own channels, as they were read, to what the solve may turn or move."""
    present = present_frame(rig, ob)
    for index in np.flatnonzero(rig.moving):
        bone, path = ob.pose.bones[int(rig.indices[index])], rotation_path(rig.modes[index])
        for name, old, new in (
            (path, present.rotations, frame.rotations),
            ("location", present.locations, frame.locations),
        ):
            Change(bone, name, new[index], new[index] != old[index]).write()


def channels_with(rig: Rig, ob: Object, frame: FrameSnapshot) -> dict[str, Array]:
    """Return the values of all channels of all bones, with the frame's own of what the solve may turn or
    move.
    """
    values = channels_of(ob)
    for index in np.flatnonzero(rig.moving):
        place, path = rig.indices[index], rotation_path(rig.modes[index])
        values[path][place] = frame.rotations[index, : CHANNELS[path]]
        values["location"][place] = frame.locations[index]
    return values


def _locations(rig: Rig, frames: list[FrameSnapshot], before: Array, translations: Array) -> Array:
    """Return the location channels (frames, bones, 3) that move the roots by ``translations``.

    The part of the locations ``before`` that is not free to change stays.
    """
    roots, locations = np.flatnonzero(rig.free_location.any(axis=1)), before.copy()
    maps = location_to_armature(rig, frames)[:, roots]
    present = constant_freedom(rig, frames)[roots] @ maps @ before[:, roots, :, None]
    moves = np.linalg.solve(maps, translations[:, roots, :, None] - present)
    locations[:, roots] += moves[..., 0]
    return locations


def _differ(a: Array, b: Array) -> Mask:
    """Return for each bone whether its rotations (frames, bones, 4) differ in any frame."""
    apart = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return (apart > _UNCHANGED).any(axis=0)
