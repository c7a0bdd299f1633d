# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig with controls as arrays: what its controls say, and where Blender shows its joints then."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from bpy.types import Object, PoseBone, ViewLayer

from ...solvers.fitting import ARM, Controls, Fitted, Joints, Placed, Ways, fit, make_ways
from ...solvers.geometry import (
    Array,
    Indices,
    Mask,
    angle_between,
    nearest_rotation,
    norm,
    quaternion_to_matrix,
)
from ...solvers.pauses import Pausing
from ..bone_columns import bone_column
from ..errors import RigError
from ..fcurves.actions import paths_with_curves
from ..fcurves.paths import CHANNELS
from ..frames.frame_snapshot import VISIBLE_DISTANCE
from ..frames.pose_kept import KeptPose
from ..frames.standstill import check_object
from ..joints.rotation_modes import to_channels, to_quaternions
from ..joints.turns import by_rotation_path, rotation_path
from ..rig.dependencies import armatures_behind, bones_behind, switched_on
from ..rig.reading import check_armature
from ..setup.body import recognised_body
from ..setup.sides import extent
from ..solution.channels import Change, Channels
from .free import driven_channels, shifts_free, turning_channels, turns_free
from .joints import controls_of, joints_alike, stay

# Radians, or lengths of the figure: controls that would change by less are left as they are.
_UNCHANGED = 2e-5
# How much more than others what hips, head, hands and feet miss counts: limbs that bend by inverse kinematics
# cannot have all joints right, and those are what is seen to stand and hold.
_ENDS = 5.0


@dataclass(frozen=True, eq=False)
class Fit:
    """What was ``found``, and what controls said before, in their own channels: ``rotations`` (c, 4) and
    ``locations`` (c, 3). ``home``: what they said before the first of many frames.
    """

    found: Fitted
    rotations: Array
    locations: Array
    home: Controls


@dataclass(frozen=True, eq=False)
class Apart:
    """How far from where the body has them Blender shows joints: ``distances`` (j,), in scene units, and
    ``angles`` (j,), radians. Distances can be seen from ``visible`` on.
    """

    distances: Array
    angles: Array
    visible: float

    @property
    def is_seen(self) -> bool:
        """Whether any joint is elsewhere, or turned, so far that it is seen about a hand away from it."""
        return bool(self.distances.max() > self.visible or ARM * self.angles.max() > VISIBLE_DISTANCE)


@dataclass(frozen=True, eq=False)
class ControlRig:
    """The controls of the armature object ``ob``, c of them, that are fitted to the joints of a ``body``.

    - ``names``, ``indices`` (c,) among the bones of ``ob``, and ``modes``: the controls
    - ``joints``: for each bone of the ``body`` the joint of the rig that should be there
    - ``places`` (j,): where the joints are among the rig's bones; ``offsets`` (j, 3, 3): how each is turned
      from the body's bone at rest
    - ``ways``: how controls may be moved as long as constraints are ``switched`` as they are
    - ``stay`` (c,): controls that stay, since they only say where the figure is
    - ``locked``: controls that would move joints but are locked
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
    switched: tuple[bool, ...]
    ways: Ways
    stay: Mask
    locked: tuple[str, ...]

    @property
    def bones(self) -> list[PoseBone]:
        """The controls."""
        return [self.ob.pose.bones[name] for name in self.names]

    def as_switched(self) -> "ControlRig":
        """Return the rig with the ways that its controls have now, where other constraints are on."""
        if switched_on(self.ob) == self.switched:
            return self
        return replace(self, **_switching(self.ob, self.names, self.joints.values()))

    def acting(self, fit: Fit) -> Mask:
        """Return which controls (c,) move any joint, as the rig was switched in a fit."""
        return fit.found.columns.acting(len(self.names))

    def fitted(self, before: Fit | None) -> Pausing[Fit]:
        """Return how the controls have the joints where the body, as it is shown, has them.

        ``before``: what was found for the frame before, where controls that move anything begin then.
        """
        self.view_layer.update()
        own, goal = self._own(), self.goal()
        said, columns = self._said(*own), None
        if before is not None and before.found.columns.ways is self.ways:
            columns = before.found.columns
        begin = said if before is None else self._from(before.found, said)
        home = said if before is None else before.home
        kept = KeptPose(self.body)  # else Live would look at it each time that controls are placed
        try:
            found = yield from fit(self.place, self.ways, goal, begin, home, columns)
        finally:
            kept.let_go()
        return Fit(found, *own, home)

    def _from(self, before: Fitted, said: Controls) -> Controls:
        """Return what controls are to begin with: what moved joints in the frame before as it was there."""
        count = len(self.names)
        goes_on = (self.ways.acting(count) & before.columns.acting(count))[:, None]
        there = before.placed.controls
        return Controls(
            np.where(goes_on, there.rotations, said.rotations),
            np.where(goes_on, there.locations, said.locations),
        )

    def _own(self) -> tuple[Array, Array]:
        """Return the channels of controls as they are, rotations (c, 4) and locations (c, 3)."""
        rotations = np.zeros((len(self.names), 4))
        for path, rows in by_rotation_path(self.modes).items():
            width = CHANNELS[path]
            rotations[rows, :width] = bone_column(self.ob.pose.bones, path, width)[self.indices[rows]]
        return rotations, bone_column(self.ob.pose.bones, "location", 3)[self.indices].astype(float)

    def _said(self, rotations: Array, locations: Array) -> Controls:
        return Controls(to_quaternions(rotations, self.modes), locations)

    def place(self, controls: Controls) -> Placed:
        """Put the controls where they are asked to be, as far as their channels are free.

        Return where they were put, and where Blender shows them and the joints then.
        """
        own, (turned, moved) = self._own(), self.free
        rotations = np.where(turned, self._encoded([controls], own[0][None])[0], own[0])
        locations = np.where(moved, controls.locations, own[1])
        for path, rows in by_rotation_path(self.modes).items():
            self._write(path, rows, rotations)
        self._write("location", np.arange(len(self.names)), locations)
        self.ob.update_tag(refresh={'DATA'})
        self.view_layer.update()
        matrices = self._matrices()
        joints, frames = (_parts(matrices[places]) for places in (self.places, self.indices))
        return Placed(self._said(rotations, locations), Joints(*joints), *frames)

    def _write(self, path: str, rows: Indices, values: Array) -> None:
        """Write one property of the controls in these ``rows`` of ``values`` (c, 3 or 4)."""
        width = CHANNELS[path]
        column = bone_column(self.ob.pose.bones, path, width)
        column[self.indices[rows]] = values[rows, :width]
        self.ob.pose.bones.foreach_set(path, column.ravel())

    def _encoded(self, frames: Sequence[Controls], own: Array) -> Array:
        """Return rotations of controls as channels (frames, c, 4), each the nearest to the one before.

        The first is the nearest to the first of their ``own`` (frames, c, 4).
        """
        rotations = np.stack([controls.rotations for controls in frames])
        return to_channels(rotations, self.modes, own, ~self.free[0][:, :3])

    def changes(self, fit: Fit) -> list[Change]:
        """Return what changes of the controls' channels, in which nothing that is locked does."""
        channels, changes = self.channels([fit]), []
        for row, bone in enumerate(self.bones):
            path, values = rotation_path(self.modes[row]), channels.rotations[0, row]
            changes.append(Change(bone, path, values, channels.turned[row]))
            changes.append(Change(bone, "location", channels.locations[0, row], channels.moved[row]))
        return [change for change in changes if change.chosen.any()]

    def channels(self, fits: Sequence[Fit]) -> Channels:
        """Return the channels of what controls say in some frames, and which of them change in any."""
        own, before = (np.stack([getattr(fit, name) for fit in fits]) for name in ("rotations", "locations"))
        rotations = self._encoded([fit.found.placed.controls for fit in fits], own)
        locations = np.stack([fit.found.placed.controls.locations for fit in fits])
        quaternions = (to_quaternions(channels, self.modes) for channels in (own, rotations))
        turns = angle_between(*map(quaternion_to_matrix, quaternions))
        turned, moved = self.free
        shifts = np.abs(locations - before) / self.ways.length
        return Channels(
            rotations=rotations,
            locations=locations,
            turned=turned & (turns > _UNCHANGED).any(axis=0)[:, None],
            moved=moved & (shifts > _UNCHANGED).any(axis=0),
        )

    @cached_property
    def free(self) -> tuple[Mask, Mask]:
        """Which rotation channels (c, 4) and which locations (c, 3) of the controls may be written.

        It is the same however often controls are placed, which is hundreds of times.
        """
        bones, driven = self.bones, driven_channels(self.ob)
        sides = (np.array([free(bone, driven) for bone in bones]) for free in (turning_channels, shifts_free))
        turned, moved = sides
        return turned, moved

    def goal(self) -> Joints:
        """Return where the body, as it is shown, has the joints, in the armature space of the rig."""
        body, ob = (each.evaluated_get(self.view_layer.depsgraph) for each in (self.body, self.ob))
        to_rig = ob.matrix_world.inverted() @ body.matrix_world
        posed = (to_rig @ body.pose.bones[name].matrix for name in self.joints)
        rotations, points = _parts(np.array([*posed], float))
        return Joints(rotations @ self.offsets, points)

    def apart(self) -> Apart:
        """Return how far from where the body has them joints are shown."""
        self.view_layer.update()
        goal, shown = self.goal(), Joints(*_parts(self._matrices()[self.places]))
        to_world = np.array(self.ob.evaluated_get(self.view_layer.depsgraph).matrix_world, float)[:3, :3]
        away = norm((shown.points - goal.points) @ to_world.T)
        visible = VISIBLE_DISTANCE * self.ways.length * float(norm(to_world.T).max())
        return Apart(away, angle_between(shown.rotations, goal.rotations), visible)

    def _matrices(self) -> Array:
        """Return the matrices (bones, 4, 4) of all bones as they are shown, bone to armature."""
        bones = self.ob.evaluated_get(self.view_layer.depsgraph).pose.bones
        return np.swapaxes(bone_column(bones, "matrix", 16).reshape(-1, 4, 4), -1, -2).astype(float)


def read_control_rig(view_layer: ViewLayer, ob: Object, body: Object) -> ControlRig:
    """Return the rig ``ob`` whose controls are to be put where the armature object ``body`` has the joints.

    Raises RigError naming what stands in the way.
    """
    for each in (ob, body):
        check_armature(each)
        check_object(each, f"Armature '{each.name}'", view_layer)
    joints = joints_alike(body, ob)
    behind = bones_behind(ob, joints.values(), paths_with_curves(ob.animation_data))
    names, locked = controls_of(ob, set().union(*behind.values()))
    if not names:
        others = sorted(other.name for other in armatures_behind(ob, joints.values()) - {body})
        where = f": they follow '{others[0]}', whose controls are not fitted" if others else ""
        raise RigError(f"No bone of '{ob.name}' that is free to be moved by hand moves its joints{where}")
    places = {bone.name: place for place, bone in enumerate(ob.pose.bones)}
    pairs = [(body.data.bones[name], ob.data.bones[joint]) for name, joint in joints.items()]
    own, others = (
        _parts(np.array([bone.matrix_local for bone in side], float))[0] for side in zip(*pairs, strict=True)
    )
    return ControlRig(
        view_layer=view_layer,
        ob=ob,
        body=body,
        names=tuple(names),
        indices=np.array([places[name] for name in names]),
        modes=tuple(ob.pose.bones[name].rotation_mode for name in names),
        joints=joints,
        places=np.array([places[name] for name in joints.values()]),
        offsets=own.swapaxes(-1, -2) @ others,
        **_switching(ob, names, joints.values()),
        locked=tuple(locked),
    )


def _switching(ob: Object, names: Sequence[str], joints: Collection[str]) -> dict:
    """Return what hangs on how the rig is switched, by the names that a ``ControlRig`` has for it."""
    bones, driven = [ob.pose.bones[name] for name in names], driven_channels(ob)
    behind = bones_behind(ob, joints)
    turns, shifts = (np.array([free(bone, driven) for bone in bones]) for free in (turns_free, shifts_free))
    moves = np.array([[name in behind[joint] for joint in joints] for name in names])
    stays = stay(np.array([bone.parent is None for bone in bones]), shifts.any(axis=1), moves)
    acts = (moves.any(axis=1) & ~stays)[:, None]
    acting = {bone.name for bone, is_acting in zip(bones, acts[:, 0].tolist(), strict=True) if is_acting}
    carried = np.array([any(link.name in acting for link in bone.parent_recursive) for bone in bones])
    ends = recognised_body(ob).ends()
    weights = np.array([_ENDS if joint in ends else 1.0 for joint in joints])
    ways = make_ways(turns & acts, shifts & acts, moves, extent(ob), weights, carried)
    return {"switched": switched_on(ob), "ways": ways, "stay": stays}


def _parts(matrices: Array) -> tuple[Array, Array]:
    """Return the rotations (m, 3, 3) and the points (m, 3) of matrices (m, 4, 4)."""
    return nearest_rotation(matrices[:, :3, :3]), matrices[:, :3, 3]
