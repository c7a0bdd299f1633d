# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: bakes of a human body in which what follows has to give way to what is keyed.

Each scene leads some of its targets away and back, farther than the others can stay where they are. How many
frames miss what is keyed, how far what follows is off at most, how much joints accelerate, and processor
time; frames each alone, and together.
"""

from math import cos, pi
from time import process_time

import bpy
import numpy as np
from mathutils import Vector

from . import own
from .report import publish
from .rigs import add_human_metarig

FRAMES, FPS = 60, 24
FOLLOWING = ("spine.006", "hand.L", "hand.R")  # where they are not led
SCENES = {
    "hand up and out": {"hand.L": (0.5, -0.5, 0.6)},
    "hips down": {"spine": (0, 0, -0.42)},
    "head and hand down": {"spine.006": (0, -0.6, -0.9), "hand.R": (0, -0.5, -0.7)},
}


def keyed(ways):
    """A body set up by one press, whose targets go these ``ways``, {bone: metres}, and back."""
    armature_object, _ = add_human_metarig()
    own.enable_extension()
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.context.scene.frame_end = FRAMES
    for bone, way in ways.items():
        target = armature_object.pose.bones[bone].superpose.target
        place = target.location.copy()
        for frame in range(1, FRAMES + 1):
            share = 0.5 - 0.5 * cos(2 * pi * (frame - 1) / (FRAMES - 1))
            target.location = place + share * Vector(way)
            target.keyframe_insert("location", frame=frame)
    return armature_object


def seen(armature_object, bones):
    """Joints (frames, bones, 3) as Blender shows them, and distances (frames, n) from targets of bones."""
    joints, away = [], []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        posed = armature_object.pose.bones
        joints.append([tuple(bone.head) for bone in posed])
        targets = (posed[bone].superpose.target.matrix_world.translation for bone in bones)
        away.append([(posed[bone].head - at).length for bone, at in zip(bones, targets, strict=True)])
    return np.array(joints), np.array(away)


def row(scene, frames):
    """One line of the table."""
    armature_object = keyed(SCENES[scene])
    begin = process_time()
    bpy.ops.superpose.bake(frames=frames)
    seconds = process_time() - begin
    led = list(SCENES[scene])
    joints, distances = seen(armature_object, led + [bone for bone in FOLLOWING if bone not in led])
    away, given = np.split(distances, [len(led)], axis=1)
    accelerations = np.linalg.norm(np.diff(joints, 2, axis=0), axis=-1) * FPS**2
    return {
        "scene": scene,
        "frames": frames.lower(),
        "missed by 1 mm": int((away > 1e-3).any(axis=1).sum()),
        "gave way cm": 100 * float(given.max()),
        "m/s2 rms": float(np.sqrt((accelerations**2).mean())),
        "m/s2 most": float(accelerations.max()),
        "CPU s": seconds,
    }


def main():
    """Bake all of them."""
    publish("giving_way", [row(scene, frames) for scene in SCENES for frames in ("ALONE", "TOGETHER")])
