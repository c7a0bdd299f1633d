"""Part: a clip of 250 frames baked end to end, by Blender's ``nla.bake`` and by Superpose.

Seconds are those of the processor, which other work on the machine hardly lengthens.
"""

from functools import partial
from time import process_time

import bpy
import numpy as np
from mathutils import Matrix

from . import blender_ik, own
from .metrics import residuals, solved
from .problems import smooth_poses, targets_of
from .report import publish
from .rigs import add_human_metarig

FRAMES = 250
WAYS = {
    "together": {"frames": "TOGETHER"},
    "together, smoothness 0.6": {"frames": "TOGETHER", "smoothness": 0.6},
    "from the frame before": {"frames": "FOLLOWING"},
    "each alone": {"frames": "ALONE"},
}


def animate(empties, clip):
    """Key the empties, from frame 1 on, to world matrices (frames, effectors, 4, 4)."""
    for empty, matrices in zip(empties, clip.swapaxes(0, 1), strict=True):
        quaternion = None
        for frame, matrix in enumerate(matrices, start=1):
            location, turn, _ = Matrix(matrix.tolist()).decompose()
            if quaternion is not None:
                turn.make_compatible(quaternion)
            empty.location, empty.rotation_quaternion, quaternion = location, turn, turn
            empty.keyframe_insert("location", frame=frame)
            empty.keyframe_insert("rotation_quaternion", frame=frame)


def select_bones(armature_object, rig):
    """Pose mode with only the rig's bones selected."""
    bpy.context.view_layer.objects.active = armature_object
    armature_object.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature_object.pose.bones:
        owner = bone if hasattr(bone, "select") else bone.bone  # the pose bone's own only from Blender 5.0
        owner.select = bone.name in rig.names


def nla_bake(frames):
    """Blender's own bake of the constraints' result."""
    bpy.ops.nla.bake(
        frame_start=1,
        frame_end=frames,
        step=1,
        only_selected=True,
        visual_keying=True,
        clear_constraints=True,
        use_current_action=True,
        bake_types={"POSE"},
    )


def read_clip(armature_object, rig, frames):
    """Pose matrices (frames, bones, 4, 4) in armature space, re-read frame by frame."""
    order, poses = blender_ik.bone_order(armature_object, rig), []
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        poses.append(blender_ik.read_pose(armature_object, order))
    return np.array(poses)


def row(rig, baker, targets, poses, seconds):
    """One line of the table."""
    metres, degrees = residuals(rig, poses, targets)
    return {
        "baker": baker,
        "frames": len(poses),
        "seconds": seconds,
        "ms per frame": 1e3 * seconds / len(poses),
        "solved %": 100 * float(solved(rig, poses, targets).mean()),
        "mean mm": 1e3 * float(metres.mean()),
        "worst mm": 1e3 * float(metres.max()),
        "worst deg": float(degrees.max()),
    }


def prepare(frames):
    """A fresh scene at frame 1 with the whole metarig: the object, the rig, the targets."""
    armature_object, rig = add_human_metarig()
    bpy.context.scene.render.fps = 30
    bpy.context.scene.frame_end = frames
    return armature_object, rig, targets_of(rig, smooth_poses(rig, frames=frames))


def time_of(baker, frames):
    """Seconds one bake takes, from frame 1."""
    bpy.context.scene.frame_set(1)
    begin = process_time()
    baker(frames)
    return process_time() - begin


def measure_blender(solver, frames=FRAMES):
    """``nla.bake`` over one of Blender's solvers."""
    armature_object, rig, targets = prepare(frames)
    empties = blender_ik.add_constraints(armature_object, rig, solver)
    animate(empties, blender_ik.goals(armature_object, rig, targets))
    select_bones(armature_object, rig)
    seconds = time_of(nla_bake, frames)
    return row(rig, f"nla.bake, {solver}", targets, read_clip(armature_object, rig, frames), seconds)


def measure_own(way="together", frames=FRAMES):
    """``superpose.bake`` on the same clip, one of its ``WAYS``."""
    armature_object, rig, targets = prepare(frames)
    own.enable_extension()  # only now: preparing loads an empty file with factory settings
    empties = [blender_ik.add_target(rig.names[effector]) for effector in rig.effectors]
    animate(empties, np.array(armature_object.matrix_world) @ targets)
    select_bones(armature_object, rig)
    own.set_up(armature_object, rig, empties)
    seconds = time_of(partial(own.bake, **WAYS[way]), frames)
    return row(rig, f"superpose.bake, {way}", targets, read_clip(armature_object, rig, frames), seconds)


def main():
    """Measure every contender on the same clip."""
    blender = [measure_blender(solver) for solver in blender_ik.SOLVERS]
    publish("bake", blender + [measure_own(way) for way in WAYS])
