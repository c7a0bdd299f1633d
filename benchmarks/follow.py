# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: a second armature, at rest, follows a clip's own by ``superpose.bake``; read back from Blender.

Every clip, every frame at the clip's own rate but the lead-in, position and rotation of each effector.
"""

from time import perf_counter

import bpy
import numpy as np

from . import own
from .blender_ik import bone_order, read_pose
from .clips import FOLDER, HAND, LEAD_IN, effectors_of, import_bvh, is_trimmed
from .metrics import residuals
from .report import publish
from .rigs import read_rig


def follower_of(source):
    """A copy of the clip's armature without its action, at rest."""
    follower = source.copy()
    follower.animation_data_clear()
    bpy.context.collection.objects.link(follower)
    for bone in follower.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.objects.active = follower
    source.select_set(False)
    follower.select_set(True)
    return follower


def aim(follower, source, names):
    """Let the named bones follow the same bones of the source."""
    for order, name in enumerate(names):
        effector = follower.pose.bones[name].superpose
        effector.is_effector, effector.order = True, order
        effector.target, effector.target_bone = source, name


def read_frames(rig, armature_object, frames):
    """Pose matrices (frames, bones, 4, 4) in armature space as Blender evaluates them."""
    order, poses = bone_order(armature_object, rig), []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        poses.append(read_pose(armature_object, order))
    return np.array(poses)


def row(path):
    """One line of the table: one clip."""
    source, names = import_bvh(path), effectors_of(path) or HAND
    own.enable_extension()
    first, last = map(int, source.animation_data.action.frame_range)
    first += 0 if is_trimmed(path) else LEAD_IN
    follower, rig = follower_of(source), read_rig(source.data, names)
    aim(follower, source, names)
    begin = perf_counter()
    bpy.ops.superpose.bake(range="CUSTOM", frame_start=first, frame_end=last)
    seconds = perf_counter() - begin
    frames = range(first, last + 1)
    targets = read_frames(rig, source, frames)[:, rig.effectors]
    metres, degrees = residuals(rig, read_frames(rig, follower, frames), targets)
    return {
        "clip": path.stem,
        "frames": len(frames),
        "effectors": len(names),
        "solved %": 100 * float(((metres < 1e-3) & (degrees < 0.1)).all(axis=1).mean()),
        "worst mm": 1e3 * float(metres.max()),
        "worst deg": float(degrees.max()),
        "mean mm": 1e3 * float(metres.mean()),
        "seconds": seconds,
        "ms per frame": 1e3 * seconds / len(frames),
    }


def main():
    """Bake and read back every clip."""
    publish("follow", [row(path) for path in sorted(FOLDER.glob("*.bvh"))])
