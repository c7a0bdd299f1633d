# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingers of a body that follows a motion: no effector leads them, so their bones are keyed as they turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, PoseBone, Scene

from ...bodies.role import FINGERS
from ...solvers.geometry import Array, Indices, angle_between, matrix_to_quaternion
from ...solvers.limits import group_limits
from ..frames.ranges import animation_times
from ..joints.locks import free_rotation
from ..joints.rotation_modes import to_channels
from ..joints.turns import rotation_channels
from ..rig.mirrors import shown_rotation
from ..rig.obstacles import obstacles
from ..rig.undersides import palm_of
from ..setup.effectors import effectors_of
from ..setup.limits import read_limit
from ..solution.channels import Channels
from ..solution.keyframes import write_keys
from .lead import Lead, body_of, part_and_side

_PARTS = (*FINGERS, "finger")
_STILL = 1e-4  # radians; fingers that turn less than this stay as they are


@dataclass(frozen=True, eq=False)
class Fingers:
    """Bones of fingers: their ``names``, ``indices`` (bones,) in ``ob.pose.bones``, rotation ``modes`` and
    local ``rotations`` (frames, bones, 4), ``wxyz``.
    """

    names: tuple[str, ...]
    indices: Indices
    modes: tuple[str, ...]
    rotations: Array


def fingers_led(follower: Object, leader: Object) -> dict[str, tuple[str, str]]:
    """Return the follower's bones of fingers that turn as the leader's do, each with that one and their role.

    Those that lead to effectors, are placed by more than their channels, or do not turn with their parents
    stay as they are.
    """
    own, others, placed, bones = body_of(follower), body_of(leader), obstacles(follower), follower.data.bones
    leading = {link.name for bone in effectors_of(follower) for link in (bone, *bone.parent_recursive)}
    fingers = {name: str(role) for name, role in own.roles.items() if role.part in _PARTS}
    free = {
        name: role
        for name, role in fingers.items()
        if name not in leading and name not in placed and bones[name].use_inherit_rotation
    }
    return {name: (others.bone(role), role) for name, role in free.items() if others.bone(role)}


def read_fingers(lead: Lead, fingers: Mapping[str, tuple[str, str]], posed: Array) -> Fingers:
    """Return how the ``fingers``, which are bones of the ``lead``, turn; those that never do are left out.

    ``posed`` (frames, n, 4, 4): the leader's bones. Each turns from rest in the frame of its palm as the
    leader's does. Those of a hand are left out too where a palm is not known, or nothing led carries them.
    """
    ob, turned, found = lead.follower, shown_rotation(posed[..., :3, :3]), {}
    palms = {side: _palm_to_palm(lead, side) for side in "LR"}
    for name, (_, role) in fingers.items():
        palm = palms.get(part_and_side(role)[1])
        if lead.carrier(name) and palm is not None:
            turns = _allowed(ob.pose.bones[name], _turns(lead, name, turned, palm))
            if (angle_between(turns, np.eye(3)) > _STILL).any():
                found[name] = matrix_to_quaternion(turns)
    bones = [ob.pose.bones[name] for name in found]
    return Fingers(
        names=tuple(found),
        indices=np.array([ob.pose.bones.find(name) for name in found], dtype=np.int64),
        modes=tuple(bone.rotation_mode for bone in bones),
        rotations=np.stack(list(found.values()), axis=1) if found else np.empty((len(posed), 0, 4)),
    )


def _palm_to_palm(lead: Lead, side: str) -> Array | None:
    """Return what turns the leader's palm at rest into the follower's, (3, 3); None if one is not known."""
    palms = []
    for ob in (lead.leader, lead.follower):
        body = body_of(ob)
        hands = [ob.data.bones[name] for name in body.bones("hand", side)[:1]]
        palms += [palm for hand in hands if (palm := palm_of(body, hand)) is not None]
    return palms[1] @ palms[0].T if len(palms) == 2 else None


def _turns(lead: Lead, name: str, turned: Array, palm: Array) -> Array:
    """Return how a bone turns from its rest, (frames, 3, 3), in its own frame.

    ``turned`` (frames, n, 3, 3): the leader's bones in its armature's space; ``palm``: into the follower's.
    """
    rows, carrier = {bone: row for row, bone in enumerate(lead.bones)}, lead.carrier(name)
    (own, theirs), (_, above) = lead.pairs([name, carrier])
    frames = [np.array(bone.matrix_local)[:3, :3] for bone in (own, theirs, above)]
    relative = np.swapaxes(turned[:, rows[carrier]], -1, -2) @ turned[:, rows[name]]
    moves = palm @ frames[2] @ relative @ frames[1].T @ palm.T
    turns: Array = frames[0].T @ moves @ frames[0]
    return turns


def _allowed(bone: PoseBone, turns: Array) -> Array:
    """Return the turns (frames, 3, 3) from rest that the bone's own limit allows, each the nearest."""
    limit = read_limit(bone) if bone.id_data.superpose.use_limits else None
    for group in group_limits([limit], {bone.name: 0}) if limit else ():
        turns = group.nearest(turns[:, None], turns[:, None])[:, 0]
    return turns


def key_fingers(scene: Scene, ob: Object, fingers: Fingers, numbers: Sequence[int]) -> None:
    """Key the fingers in the scene's frames ``numbers``, in a copy of the armature's action.

    Raises RigError where keys cannot go.
    """
    if not fingers.names:
        return
    bones = [ob.pose.bones[name] for name in fingers.names]
    shape = len(numbers), len(bones)
    before = np.broadcast_to([rotation_channels(bone) for bone in bones], (*shape, 4))
    locked = np.array([list(bone.lock_rotation) for bone in bones])
    channels = Channels(
        rotations=to_channels(fingers.rotations, fingers.modes, before, locked),
        locations=np.zeros((*shape, 3)),
        turned=np.array([free_rotation(bone) for bone in bones]),
        moved=np.zeros((len(bones), 3), dtype=bool),
    )
    write_keys(ob, fingers, animation_times(scene, numbers), channels)
