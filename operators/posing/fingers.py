# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingers of humans that are dragged: they bend, and the hand stays as it is as long as they reach.

As all short bones they are slow to turn beside arms, and would take the hand along by its wrist.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from bpy.types import Object

from ...armature import Batch, FrameSnapshot, Rig, places_in_pose
from ...bodies import Body
from ...bodies.role import FINGERS
from ...solvers import Comfort
from .carried import way_up

# Radians, a standard deviation: how far joints of a finger and of the palm stray from where the drag began.
_SPREADS = {**dict.fromkeys(("finger", *FINGERS), 0.5), "palm": 0.05}


def finger_of(ob: Object, body: Body, held: str) -> dict[str, float]:
    """Return how far the joints of a human's finger stray, down to the one that is held.

    Nothing for other bones, nor where the armature is no body for sure.
    """
    if not (body.is_sure and body.kind == "human"):
        return {}
    line = way_up(ob, held)
    joints = takewhile(lambda bone: bone in body.roles and body.roles[bone].part in _SPREADS, line)
    return {bone: _SPREADS[body.roles[bone].part] for bone in joints}


def with_loose(rig: Rig, bones: Mapping[str, float], frame: FrameSnapshot) -> tuple[Rig, FrameSnapshot]:
    """Return the rig in which the ``bones`` of fingers stray so far, and the frame in which their hands stay.

    Fingers stray from where they are in the frame, unless they have a comfort of their own. The hands that
    carry them are asked for their turn. Where nothing has comfort, hands stay in any case.
    """
    if not (bones and rig.comforts):
        return rig, frame
    batch, names = Batch(rig, [frame]), rig.names
    own = {comfort.bone for comfort in rig.comforts}
    joints = ((name, batch.pose.rotations[0, names.index(name)]) for name in bones if name not in own)
    loose = (Comfort(name, rotation, bones[name]) for name, rotation in joints)
    hands = {names[rig.parents[names.index(name)]] for name in bones} - {*bones}
    effectors, targets = list(rig.effectors), frame.targets.copy()
    places = places_in_pose(rig, frame, batch.skeleton, batch.pose)
    for row, effector in enumerate(effectors):
        if effector.bone in hands and not effector.rotation_weight:
            effectors[row] = replace(effector, rotation_weight=1.0)
            targets[row, :3, :3] = places[row, :3, :3]
    rig = replace(rig, comforts=(*rig.comforts, *loose), effectors=tuple(effectors))
    return rig, replace(frame, targets=targets)
