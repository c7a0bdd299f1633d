# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""From frames to the arrays that the solver takes, and from its residuals to scene units.

How bones hang together is measured from Blender's own pose matrices of each frame rather than worked out
from the rest pose. So posed scale, animated offsets and every way of inheriting scale come out as Blender
has them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from bpy.types import Context, Object

from ...solvers import Goal, Hinge, Pose, Request, Settings, Skeleton, Targets
from ...solvers.geometry import (
    Array,
    Mask,
    conjugate,
    matrix_to_quaternion,
    multiply,
    nearest_rotation,
    norm,
    quaternion_to_matrix,
)
from ...solvers.limits import Limit
from ...solvers.model import IDENTITY_QUATERNION
from ...solvers.pauses import finished
from ..errors import RigError
from ..frames.blocks import in_blocks, kept_once
from ..frames.frame_snapshot import FrameSnapshot, column, figure_extents
from ..frames.ranges import read_frames
from ..joints.joint import as_blender_sees, limit_of
from ..joints.rotation_modes import to_quaternions
from ..rig.effectors import NOWHERE
from ..rig.precision import are_sheared
from ..rig.rig import Rig
from .ease import away_from_targets, share_of_comfort
from .goals import Made, goals_of
from .roots import constant_freedom, location_to_armature
from .soles import goals_of_soles, standing_on_balls
from .spaces import mean_scale
from .targets import Aimed, moved_on, targets_of
from .varying import points_in, weights_in

_ZERO = 1e-12


@dataclass(eq=False)
class Batch:
    """Frames as one batch for the solver; each part is worked out once, where it is asked for.

    What was asked last is kept, as long as the next request asks for some of it again: ``_aimed``, where
    effectors should be, ``_soles``, the goals of soles and what they were made from, and ``_goals``.
    Raises RigError naming a bone that inherits shear or is scaled to zero, or a target that cannot be used.
    """

    rig: Rig
    frames: Sequence[FrameSnapshot]
    _aimed: Aimed | None = field(default=None, init=False, repr=False)
    _soles: tuple[bytes, tuple[Goal, ...]] = field(default=(b"", ()), init=False, repr=False)
    _goals: Made = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def build(self) -> tuple[Array, Array]:
        """How the bones hang together: offsets (frames or 1, bones, 3) and rests (frames or 1, bones, 4)."""
        (rotations, heads), turns, moves = self._measured, self._turns, self._moves

        def part(rows: slice) -> tuple[Array, ...]:
            offsets = _offsets(self.rig, rotations[rows], heads[rows]) - moves[rows]
            return offsets, _rests(self.rig, rotations[rows], turns[rows])

        offsets, rests = map(kept_once, in_blocks(part, len(self.frames)))
        return offsets, rests

    @cached_property
    def skeleton(self) -> Skeleton:
        """The bones as the solver takes them."""
        rig, (offsets, rests) = self.rig, self.build
        return Skeleton(
            names=rig.names,
            parents=rig.parents,
            offsets=offsets,
            rests=rests,
            inherits_rotation=rig.inherits_rotation,
            stiffness=rig.stiffness,
            freedom=self.freedom,
            limits=(*_limits(rig, self._turns), *_only_twisting(rig, self._turns, offsets, rests)),
            comforts=rig.comforts,
            twists=rig.twists,
        )

    @cached_property
    def pose(self) -> Pose:
        """The animated poses."""
        return Pose(self._turns, self._moves)

    def request_in(self, frames: Sequence[FrameSnapshot], settings: Settings) -> Request:
        """Return what is asked of the bones in frames in which they are posed as in these.

        Of its goals those of the user come first, and those of soles after them.
        """
        targets = moved_on(self.rig, frames, *self._measured, self._aimed)
        if targets is None:
            targets = targets_of(self.rig, frames, *self._measured)
        self._aimed = (frames, targets) if len(frames) == 1 else None  # one frame: as in a drag
        own = goals_of(self.rig, frames, *self._measured, targets, self._goals)
        goals = *own, *self.soles_in(frames, targets)
        return Request(self.skeleton, self.pose, self.rig.effectors, targets, settings, goals)

    def at_once(self, frames: Sequence[FrameSnapshot], settings: Settings) -> Request:
        """Return what ``request_in`` does where all targets are asked for, as in a solve.

        Joints that keys turn are drawn to these, and to their comfort the more, the farther targets are from
        there: so what was dragged and keyed comes back.
        """
        request, rig = self.request_in(frames, settings), self.rig
        keyed = rig.keyed & {comfort.bone for comfort in rig.comforts}
        if not keyed:
            return request
        away = away_from_targets(rig, self.frames, *self._measured, request.targets)
        shares = share_of_comfort(away, figure_extents(self.frames))
        return replace(request, skeleton=self.skeleton.with_comfort_near(self.pose, shares, keyed))

    def soles_in(self, frames: Sequence[FrameSnapshot], targets: Targets) -> tuple[Goal, ...]:
        """Return what holds pinned feet by their soles where the ``targets`` have them.

        Worked out anew only where feet are asked to be elsewhere: while others are dragged they are not.
        """
        if not self.rig.soles:
            return ()
        feet = {sole.foot for sole in self.rig.soles}
        rows = [row for row, effector in enumerate(self.rig.effectors) if effector.bone in feet]
        parts = (targets.positions, targets.rotations, targets.weights, targets.offsets)
        asked = [part[:, rows].tobytes() for part in parts if part is not None]
        made_from = b"".join([*asked, *(frame.armature_to_world.tobytes() for frame in frames)])
        if made_from != self._soles[0]:
            self._soles = made_from, goals_of_soles(self.rig, frames, *self._measured, targets)
        return self._soles[1]

    def standing_on_balls(self) -> Mask:
        """Return which effectors (frames, effectors) are pinned feet with their balls where their targets
        have them, whether their heels are lifted or not."""
        targets = targets_of(self.rig, self.frames, *self._measured)
        return standing_on_balls(self.rig, self.frames, *self._measured, targets)

    @cached_property
    def _measured(self) -> tuple[Array, Array]:
        return measured(self.rig, self.frames)

    @cached_property
    def _turns(self) -> Array:
        """What the channels turn the bones by, as Blender sees them (frames, bones, 4)."""
        rig = self.rig

        def part(rows: slice) -> tuple[Array, ...]:
            channels = column(self.frames[rows], "rotations")
            return (as_blender_sees(rig.joints, to_quaternions(channels, rig.modes)),)

        return in_blocks(part, len(self.frames))[0]

    @cached_property
    def freedom(self) -> Array:
        """The projectors (bones, 3, 3) on the directions in which roots may move, armature space."""
        return constant_freedom(self.rig, self.frames)

    @cached_property
    def _moves(self) -> Array:
        """What the channels move the roots by, as far as they are free to (frames, bones, 3)."""

        def part(rows: slice) -> tuple[Array, ...]:
            frames = self.frames[rows]
            # Of connected bones Blender leaves the location aside, whatever it is.
            locations = column(frames, "locations")
            locations = np.where(np.isfinite(locations), locations, 0.0)[..., None]
            return ((self.freedom @ location_to_armature(self.rig, frames) @ locations)[..., 0],)

        return in_blocks(part, len(self.frames))[0]


def stack(rig: Rig, frames: Sequence[FrameSnapshot], settings: Settings) -> Request:
    """Return what is asked of the frames as one batch, which starts at the animated poses.

    Raises RigError as ``Batch`` does.
    """
    return Batch(rig, frames).at_once(frames, settings)


def stack_clip(
    rig: Rig, numbers: Sequence[int], frames: Sequence[FrameSnapshot], settings: Settings
) -> Request:
    """Return what ``stack`` does of the frames with these numbers; an error names the first that has it."""
    try:
        return stack(rig, frames, settings)
    except RigError:
        for number, frame in zip(numbers, frames, strict=True):
            try:
                stack(rig, [frame], settings)
            except RigError as error:
                raise RigError(f"Frame {number}: {error}") from error
        raise


def usable_frames(
    context: Context, rig: Rig, ob: Object, numbers: Sequence[int], settings: Settings
) -> list[int]:
    """Return the frames in this order, up to one that cannot be read or solved."""
    found: list[int] = []
    for number in numbers:
        try:
            stack(rig, finished(read_frames(context, rig, ob, [number])), settings)
        except RigError:
            break
        found.append(number)
    return found


def measured(rig: Rig, frames: Sequence[FrameSnapshot]) -> tuple[Array, Array]:
    """Return the bones' rotations (frames, bones, 3, 3) and heads (frames, bones, 3) in armature space.

    The rotation is that of the parent's transform and the channels, without the bone's own scale, so it turns
    as the channels do, also for mirrored bones. Raises RigError naming the bone.
    """
    rotations, heads = in_blocks(lambda rows: _measured(rig, frames[rows]), len(frames))
    return rotations, heads


def _measured(rig: Rig, frames: Sequence[FrameSnapshot]) -> tuple[Array, Array]:
    matrices = column(frames, "matrices")
    scales = column(frames, "scales")
    _refuse(rig, ~np.isfinite(matrices).all(axis=(0, 2, 3)), NOWHERE)
    linear = matrices[..., :3, :3]
    sizes = np.sqrt((linear * linear).sum(axis=-2))
    empty = (sizes < _ZERO) | (np.abs(scales) < _ZERO)
    _refuse(rig, empty.any(axis=(0, 2)), "is scaled to zero")
    # Without its own scale a bone's matrix is its parent's transform, then its rotation; where scale is
    # inherited along the bone's own axes, that part is taken off too.
    divisors = np.where(rig.aligned[:, None], np.sign(scales) * sizes, scales)
    unscaled = linear / divisors[..., None, :]
    askew = are_sheared(unscaled / norm(unscaled.swapaxes(-1, -2))[..., None, :]) & _along_axes(rig, frames)
    uneven = np.flatnonzero((are_sheared(unscaled) & rig.turning | askew).any(axis=0))
    if len(uneven):
        raise RigError(_uneven_words(rig, int(uneven[0])))
    clamped = np.array([bool(joint.clamps) for joint in rig.joints])
    _refuse(rig, clamped & (scales < 0).any(axis=(0, 2)), "has a negative scale under its Limit Rotation")
    return nearest_rotation(unscaled), matrices[..., :3, 3].copy()


def pose_of(rig: Rig, frames: Sequence[FrameSnapshot], skeleton: Skeleton) -> Pose:
    """Return the pose in which the skeleton's bones are as in the frames; raises RigError like ``stack``."""
    rotations, heads = measured(rig, frames)
    unturned = np.broadcast_to(IDENTITY_QUATERNION, (len(frames), len(rig.names), 4))
    local = multiply(conjugate(skeleton.rests), _rests(rig, rotations, unturned))
    return Pose(local, np.where((rig.parents < 0)[:, None], heads - skeleton.offsets, 0.0))


def world_lengths(frames: Sequence[FrameSnapshot], lengths: Array) -> Array:
    """Return lengths (frames, ...) in the armature's units as scene units."""
    return lengths * mean_scale(column(frames, "armature_to_world"))[:, None]


def _along_axes(rig: Rig, frames: Sequence[FrameSnapshot]) -> Mask:
    """Return the bones (bones,) of effectors that are asked for something along their axes.

    Of sheared bones these are not at right angles, and no rotation is along them.
    """
    along: Mask = np.zeros(len(rig.names), dtype=bool)
    counts = weights_in(rig, frames) > 0
    asked = counts[..., 1] | (counts[..., 0] & points_in(rig, frames).any(axis=-1))
    along[rig.places[asked.any(axis=0)]] = True
    return along


def _uneven_words(rig: Rig, bone: int) -> str:
    """Return what to say of a bone whose scale is uneven: which constraint may be why, and what to do."""
    sized = next((above for above in rig.way_up(bone) if rig.sizers[above]), None)
    by = "" if sized is None else f" or by {rig.sizers[sized]} of '{rig.names[sized]}'"
    what = f"Bone '{rig.names[bone]}' has a sheared or non-uniform scale"
    return f"{what}, inherited{by}: scale it alike along all axes"


def _offsets(rig: Rig, rotations: Array, heads: Array) -> Array:
    child = rig.parents >= 0
    parents = rig.parents[child]
    offsets = heads.copy()
    away = heads[:, child] - heads[:, parents]
    offsets[:, child] = (rotations[:, parents].swapaxes(-1, -2) @ away[..., None])[..., 0]
    return offsets


def _rests(rig: Rig, rotations: Array, local: Array) -> Array:
    turned = rotations.copy()
    follows = (rig.parents >= 0) & rig.inherits_rotation
    turned[:, follows] = rotations[:, rig.parents[follows]].swapaxes(-1, -2) @ rotations[:, follows]
    return multiply(matrix_to_quaternion(turned), conjugate(local))


def _limits(rig: Rig, local: Array) -> tuple[Limit, ...]:
    """Return what the joints may do from each of the poses (frames, bones, 4)."""
    parts = zip(rig.joints, rig.names, local.swapaxes(0, 1), rig.turning, strict=True)
    limits = (limit_of(joint, name, rows) for joint, name, rows, turns in parts if turns)
    return tuple(limit for limit in limits if limit is not None)


def _only_twisting(rig: Rig, local: Array, offsets: Array, rests: Array) -> Iterator[Limit]:
    """Yield limits of bones within a limb that share its twist and have none: they do not bend."""
    for bone in (rig.names.index(twist.bone) for twist in rig.twists if twist.carries):
        axis = quaternion_to_matrix(rests[0, bone]).T @ offsets[0, bone]
        if axis.any() and limit_of(rig.joints[bone], rig.names[bone], local[:, bone]) is None:
            yield Hinge(rig.names[bone], tuple(axis.tolist()))


def _refuse(rig: Rig, bad: Array, complaint: str) -> None:
    if bad.any():
        raise RigError(f"Bone '{rig.names[int(np.argmax(bad))]}' {complaint}")
