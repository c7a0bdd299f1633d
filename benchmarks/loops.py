# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: walk cycles of a human body, on the spot and some way on, baked as the loops that they are.

And once with a hand's last target a millimetre off, so that they are none: how far apart the ends are then,
how much joints accelerate where the cycle begins again and at most elsewhere, and processor time.
"""

from time import process_time

import bpy
import numpy as np

from . import own
from .kinematics import rotation_angle
from .report import publish
from .rigs import METARIG_EFFECTORS, add_human_metarig

CYCLES = {  # frames in a cycle, how far feet go to and fro, and how far all of it goes on, metres
    "on the spot": (24, 0.25, 0.0),
    "on the spot, slowly": (30, 0.25, 0.0),
    "some way on": (24, 0.25, 1.2),
    "on the spot, quickly": (16, 0.32, 0.0),
}
OFF = 1e-3


def place(bone, home, turn, stride):
    """Where a bone's target is so far round the cycle, (3,)."""
    side = 1 if bone.endswith(".L") else -1
    if bone.startswith("foot"):
        own_turn = turn + (0 if side > 0 else np.pi)
        return np.add(home, (0, stride * np.sin(own_turn), 0.15 * max(0.0, np.cos(own_turn))))
    if bone.startswith("hand"):
        swing = np.sin(turn + (np.pi if side > 0 else 0))
        return np.array((0.32 * side, -0.05 + 0.2 * swing, 0.92 + 0.08 * swing**2))
    return np.add(home, (0.02 * np.sin(turn), 0, -0.1 - 0.02 * np.cos(2 * turn)))


def cycle(period, stride, on, off, comfort):
    """The metarig, its targets keyed in a cycle and the frame after it; a hand's last one is ``off``."""
    armature_object, _ = add_human_metarig()
    own.enable_extension()
    targets = own.set_up_drag(armature_object, METARIG_EFFECTORS, comfort)
    armature_object.superpose_live = False
    for bone, target in targets.items():
        home = np.array(target.location)
        for frame in range(period + 1):
            target.location = place(bone, home, 2 * np.pi * frame / period, stride)
            target.location.y -= on * frame / period
            target.location.z += off if bone == "hand.L" and frame == period else 0.0
            target.keyframe_insert("location", frame=frame + 1)
    return armature_object


def shown(armature_object, frames):
    """Bone matrices (frames, bones, 4, 4), armature space."""
    found = []
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        found.append([bone.matrix.copy() for bone in armature_object.pose.bones])
    return np.array(found)


def accelerations(heads):
    """How much joints accelerate at most, (frames - 2,), in lengths a frame squared."""
    return np.linalg.norm(np.diff(heads, 2, axis=0), axis=-1).max(axis=1)


def row(name, comfort, off):
    """One line of the table."""
    period, stride, on = CYCLES[name]
    armature_object = cycle(period, stride, on, off, comfort)
    begin = process_time()
    own.bake(period + 1)
    seconds = process_time() - begin
    found = shown(armature_object, period + 1)
    heads, way = found[..., :3, 3], np.array((0, -on, 0))
    turned = rotation_angle(np.swapaxes(found[0, :, :3, :3], -1, -2) @ found[-1, :, :3, :3])
    again = np.concatenate([heads[:-1], heads + way])
    return {
        "cycle": name + (", comfort" if comfort else ""),
        "baked": "a target off" if off else "as a loop",
        "ends apart mm": 1e3 * float(np.linalg.norm(heads[-1] - heads[0] - way, axis=-1).max()),
        "degrees": float(np.degrees(turned).max()),
        "acceleration at the ends mm": 1e3 * float(accelerations(again)[period - 2 : period + 1].max()),
        "elsewhere at most": 1e3 * float(accelerations(heads).max()),
        "CPU s": seconds,
    }


def main():
    """Bake them all."""
    given = [(name, comfort, off) for name in CYCLES for comfort in (False, True) for off in (OFF, 0.0)]
    publish("loops", [row(*one) for one in given])
