# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig with controls as arrays: what its controls say, and where Blender shows its joints then."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from bpy.types import Object, PoseBone, ViewLayer, bpy_prop_collection

from ...solvers.fitting import Controls, Fitted, Joints, Placed, Ways, fit, make_ways
from ...solvers.geometry import Array, Indices, Mask, angle_between, nearest_rotation, norm
from ...solvers.pauses import Pausing
from ..errors import RigError
from ..fcurves.paths import CHANNELS
from ..frames.frame_snapshot import pose_column
from ..joints.locks import free_rotation
from ..joints.rotation_modes import to_channels
from ..joints.turns import by_rotation_path, channel_turns, rotation_channels, rotation_path
from ..rig.dependencies import bones_behind
from ..rig.reading import check_armature
from ..setup.sides import extent
from ..solution.channels import Change, Channels
from .joints import controls_of, joints_alike, shifts_free, stay, turns_free


@dataclass(frozen=True, eq=False)
class Fit:
    """What was ``found``, and ``distances`` (j,), in armature units, and ``angles`` (j,), radians, by which
    Blender shows joints elsewhere than the body has them.
    """

    found: Fitted
    distances: Array
    angles: Array


@dataclass(frozen=True, eq=False)
class ControlRig:
    """The controls of the armature object ``ob``: ``names``, ``indices`` (c,) of its bones, and ``modes``.

    ``joints``: for each bone of the ``body`` the joint that has to be there, in ``places`` (j,) of the rig's
    bones, with its ``offsets`` (j, 3, 3): how it is turned from the bone at rest. ``ways`` in which controls
    may be moved.
    """

    view_layer: ViewLayer
    ob: Object
    body: Object
    names: tuple[str, ...]
    indices: Indices
    modes: tuple[str, ...]
    joints: dict[str, str]
    places: Indices
    offsets: Array
    ways: Ways

    @property
    def bones(self) -> list[PoseBone]:
        """The controls."""
        return [self.ob.pose.bones[name] for name in self.names]

    def fitted(self, before: Fitted | None) -> Pausing["Fit"]:
        """Return how the controls have the joints where the body, as it is shown, has them.

        ``before``: what was found for the frame before, where the controls begin then.
        """
        self.view_layer.update()
        goal = self.goal()
        begin, columns = (before.placed.controls, before.columns) if before else (self.said(), None)
        found = yield from fit(self.place, self.ways, goal, begin, columns)
        joints = found.placed.joints
        return Fit(found, norm(joints.points - goal.points), angle_between(joints.rotations, goal.rotations))

    def said(self) -> Controls:
        """Return what the controls say now."""
        return Controls(channel_turns(self.bones), np.array([bone.location for bone in self.bones], float))

    def place(self, controls: Controls) -> Placed:
        """Have the controls say something, and return where Blender shows them and the joints then."""
        channels = self.channels([controls])
        for path, rows in by_rotation_path(self.modes).items():
            self._write(path, rows, channels.rotations[0], channels.turned)
        self._write("location", np.arange(len(self.names)), channels.locations[0], channels.moved)
        self.ob.update_tag(refresh={'DATA'})
        self.view_layer.update()
        matrices = _matrices(self.ob.evaluated_get(self.view_layer.depsgraph).pose.bones)
        return Placed(controls, Joints(*_parts(matrices[self.places])), *_parts(matrices[self.indices]))

    def _write(self, path: str, rows: Indices, values: Array, chosen: Mask) -> None:
        """Write the ``chosen`` parts (c, 4) of one property of the controls in these ``rows``."""
        width = CHANNELS[path]
        column, own = pose_column(path, self.ob, width), self.indices[rows]
        column[own] = np.where(chosen[rows, :width], values[rows, :width], column[own])
        self.ob.pose.bones.foreach_set(path, column.ravel())

    def changes(self, controls: Controls) -> list[Change]:
        """Return what the controls' channels become, in which nothing that is locked changes."""
        channels = self.channels([controls])
        changes = []
        for row, bone in enumerate(self.bones):
            path, values = rotation_path(self.modes[row]), channels.rotations[0, row]
            changes.append(Change(bone, path, values, channels.turned[row]))
            changes.append(Change(bone, "location", channels.locations[0, row], channels.moved[row]))
        return [change for change in changes if change.chosen.any()]

    def channels(self, frames: Sequence[Controls]) -> Channels:
        """Return the channels of what controls say in some frames, each the nearest to the one before."""
        own = np.array([rotation_channels(bone) for bone in self.bones])
        rotations = np.stack([controls.rotations for controls in frames])
        (turned, moved), locked = self._free, np.zeros((len(own), 3), bool)
        return Channels(
            rotations=to_channels(rotations, self.modes, np.broadcast_to(own, rotations.shape), locked),
            locations=np.stack([controls.locations for controls in frames]),
            turned=turned,
            moved=moved,
        )

    @cached_property
    def _free(self) -> tuple[Mask, Mask]:
        """Which rotation channels (c, 4) and which locations (c, 3) of the controls may be written.

        It is the same however often controls are placed, which is hundreds of times.
        """
        turns, shifts = np.zeros(len(self.names), bool), np.zeros((len(self.names), 3), bool)
        turns[self.ways.of[self.ways.are_turns]] = True
        along = ~self.ways.are_turns
        shifts[self.ways.of[along], self.ways.axes[along]] = True
        return np.array([free_rotation(bone) for bone in self.bones]) & turns[:, None], shifts

    def goal(self) -> Joints:
        """Return where the body, as it is shown, has the joints, in the armature space of the rig."""
        body, ob = (each.evaluated_get(self.view_layer.depsgraph) for each in (self.body, self.ob))
        to_rig = ob.matrix_world.inverted() @ body.matrix_world
        posed = (to_rig @ body.pose.bones[name].matrix for name in self.joints)
        rotations, points = _parts(np.array([*posed], float))
        return Joints(rotations @ self.offsets, points)


def read_control_rig(view_layer: ViewLayer, ob: Object, body: Object) -> ControlRig:
    """Return the rig ``ob`` whose controls are to be put where the armature object ``body`` has the joints.

    Raises RigError naming what stands in the way.
    """
    check_armature(ob)
    joints = joints_alike(body, ob)
    behind = bones_behind(ob, joints.values())
    names = controls_of(ob, set().union(*behind.values()))
    if not names:
        raise RigError(f"No bone of '{ob.name}' that is free to be moved by hand moves its joints")
    places = {bone.name: place for place, bone in enumerate(ob.pose.bones)}
    bones = [ob.pose.bones[name] for name in names]
    turns, shifts = (np.array([free(bone) for bone in bones]) for free in (turns_free, shifts_free))
    pairs = [(body.data.bones[name], ob.data.bones[joint]) for name, joint in joints.items()]
    own, others = (
        _parts(np.array([bone.matrix_local for bone in side], float))[0] for side in zip(*pairs, strict=True)
    )
    moves = np.array([[name in behind[joint] for joint in joints.values()] for name in names])
    stays = stay(np.array([bone.parent is None for bone in bones]), shifts.any(axis=1), moves)[:, None]
    return ControlRig(
        view_layer=view_layer,
        ob=ob,
        body=body,
        names=tuple(names),
        indices=np.array([places[name] for name in names]),
        modes=tuple(bone.rotation_mode for bone in bones),
        joints=joints,
        places=np.array([places[name] for name in joints.values()]),
        offsets=own.swapaxes(-1, -2) @ others,
        ways=make_ways(turns & ~stays, shifts & ~stays, moves, extent(ob)),
    )


def _matrices(bones: bpy_prop_collection) -> Array:
    """Return the matrices (bones, 4, 4) of all bones, bone to armature."""
    values = np.empty(16 * len(bones), np.float32)
    bones.foreach_get("matrix", values)
    return np.swapaxes(values.reshape(-1, 4, 4), -1, -2).astype(float)  # Blender gives them column by column


def _parts(matrices: Array) -> tuple[Array, Array]:
    """Return the rotations (m, 3, 3) and the points (m, 3) of matrices (m, 4, 4)."""
    return nearest_rotation(matrices[:, :3, :3]), matrices[:, :3, 3]
