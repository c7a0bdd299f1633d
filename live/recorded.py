# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for what a live armature has done while the user moved something by Blender's own means, and records.

Blender keys what it moves itself and makes its step of undo as its move ends; the body and what went along
are keyed right after, and that becomes part of the step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object, Scene

from ..armature import FrameSnapshot, Rig, RigError, own_targets, posed_properties, present_frame
from ..armature.autokey import (
    Owner,
    body_to_key,
    channels_along,
    check_keys,
    keep_in_keys_beside,
    key_channels,
    keyed_parts,
    remarks_on_keys,
    standing_targets,
    values_beside,
)
from ..armature.joints.turns import placing_channels


@dataclass(frozen=True, eq=False)
class Grabbed:
    """How an armature was when the move began.

    ``frame``: its channels; ``number``: the scene's frame; ``targets``: where those were that may go along,
    by their ids in this session.
    """

    number: float
    frame: FrameSnapshot
    targets: Mapping[int, tuple[float, ...]]

    def key(self, context: Context, rig: Rig, ob: Object) -> bool:
        """Key what has changed since, as automatic keyframing says, and return whether any key was asked for.

        Where keys would do nothing none are made, and the panel says why.
        """
        before = self._changed(rig, ob)
        if not before:
            return False
        changed = [(bone, path) for bone, path, _ in before]
        along = [pair for target in self._gone_along(rig, ob) for pair in placing_channels(target)]
        whole = [pair for pair in body_to_key(rig, ob) if pair not in changed]
        holds = [*whole, *channels_along(rig, ob, along), *standing_targets(rig, ob)]
        channels = [*changed, *holds]
        try:
            check_keys(context, channels)
        except RigError as error:
            _note(ob, f"The body was not keyed: {error}")
            return False
        beside = values_beside(context, ob, rig, before)
        key_channels(context, channels, holds=holds)
        keep_in_keys_beside(ob, beside)
        _note(ob, remarks_on_keys(context, channels))
        return any(True for _ in keyed_parts(context, channels))

    def _changed(self, rig: Rig, ob: Object) -> list[tuple[Owner, str, Sequence[float]]]:
        """Return the properties of bones that are not as they were, with their values then."""
        now, rows = present_frame(rig, ob), rig.rows_by_name
        pairs = {"location": (self.frame.locations, now.locations)}
        turns = self.frame.rotations, now.rotations
        return [
            (bone, path, before[rows[bone.name]].tolist()[: len(getattr(bone, path))])
            for bone, path in posed_properties(rig, ob)
            for before, after in (pairs.get(path, turns),)
            if not np.array_equal(before[rows[bone.name]], after[rows[bone.name]])
        ]

    def _gone_along(self, rig: Rig, ob: Object) -> list[Object]:
        """Return the targets that are not where they were, except those of free effectors.

        With a first key these would be asked for in all frames.
        """
        return [
            target
            for row, target in own_targets(rig, ob).items()
            if rig.holds[row] != 'FREE' and self.targets.get(target.session_uid) != _values(target)
        ]


def grabbed(scene: Scene, rig: Rig, ob: Object, frame: FrameSnapshot) -> Grabbed:
    """Return how the armature is, with the channels of ``frame``."""
    targets = {target.session_uid: _values(target) for target in own_targets(rig, ob).values()}
    return Grabbed(scene.frame_current_final, frame, targets)


def _values(target: Object) -> tuple[float, ...]:
    """Return where a target is, and how it is turned."""
    return tuple(part for owner, path in placing_channels(target) for part in getattr(owner, path))


def _note(ob: Object, words: str) -> None:
    """Have the panel say this too, before what it has to say of the pose: its box has few lines."""
    ob.superpose.notes = "\n".join(filter(None, [words, ob.superpose.notes]))
