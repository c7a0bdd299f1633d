"""The yardstick: Blender's own inverse kinematics on the same rig and targets.

Copy Transforms on the hips, one IK constraint per other effector whose chain ends below the hips; tail and
rotation as goals, no stretch, 500 iterations. Its time is a dependency-graph update with the constraints less
one without.
"""

from contextlib import contextmanager
from time import process_time

import bpy
import numpy as np
from mathutils import Matrix

from .kinematics import own_transforms
from .rigs import path_to_hips

SOLVERS = {
    "standard": {"ik_solver": "LEGACY"},
    "itasc": {"ik_solver": "ITASC"},
    "itasc fine": {"ik_solver": "ITASC", "precision": 1e-5, "iterations": 500},
}


def add_target(name):
    """An empty to hold one effector's target."""
    target = bpy.data.objects.new(f"target {name}", None)
    bpy.context.scene.collection.objects.link(target)
    target.rotation_mode = "QUATERNION"
    return target


def add_ik(pose_bone, target, chain_count):
    """An IK constraint with tail and rotation as goals."""
    constraint = pose_bone.constraints.new("IK")
    constraint.target = target
    constraint.chain_count = chain_count
    constraint.use_tail = constraint.use_rotation = True
    constraint.use_stretch = False
    constraint.iterations = 500


def choose_solver(armature_object, name):
    """Set the object's IK solver and, for iTaSC, its parameters (Blender's defaults unless named)."""
    settings = dict(SOLVERS[name])
    armature_object.pose.ik_solver = settings.pop("ik_solver")
    for key, value in settings.items():
        setattr(armature_object.pose.ik_param, key, value)


def add_constraints(armature_object, rig, solver="standard"):
    """The yardstick's set-up; the targets (empties), in the order of the rig's effectors."""
    choose_solver(armature_object, solver)
    targets = [add_target(rig.names[effector]) for effector in rig.effectors]
    bones = [armature_object.pose.bones[rig.names[effector]] for effector in rig.effectors]
    bones[0].constraints.new("COPY_TRANSFORMS").target = targets[0]
    for effector, bone, target in zip(rig.effectors[1:], bones[1:], targets[1:], strict=True):
        add_ik(bone, target, len(path_to_hips(rig, effector)))
    return targets


def remove_constraints(armature_object):
    """Take every constraint off the armature."""
    for bone in armature_object.pose.bones:
        for constraint in list(bone.constraints):
            bone.constraints.remove(constraint)


def goals(armature_object, rig, targets):
    """World matrices (batch, effectors, 4, 4) for the empties: at the bones' tails, except the hips'."""
    at_tail = np.broadcast_to(np.eye(4), (len(rig.effectors), 4, 4)).copy()
    at_tail[1:, 1, 3] = rig.lengths[rig.effectors[1:]]
    return np.array(armature_object.matrix_world) @ targets @ at_tail


def place(empties, matrices):
    """Move the empties to world matrices (effectors, 4, 4)."""
    for empty, matrix in zip(empties, matrices, strict=True):
        empty.matrix_world = Matrix(matrix.tolist())


def bone_order(armature_object, rig):
    """Index of each of the rig's bones in the armature's pose bones."""
    return [armature_object.pose.bones.find(name) for name in rig.names]


def read_pose(armature_object, order):
    """Evaluated pose matrices (bones, 4, 4) in armature space."""
    bones = armature_object.pose.bones
    buffer = np.empty(16 * len(bones), dtype=np.float32)
    bones.foreach_get("matrix", buffer)
    return buffer.reshape(-1, 4, 4).transpose(0, 2, 1)[order].astype(float)


def write_basis(armature_object, rig, basis):
    """Set the channels of the rig's bones to basis matrices (bones, 4, 4)."""
    for name, matrix in zip(rig.names, basis, strict=True):
        armature_object.pose.bones[name].matrix_basis = Matrix(matrix.tolist())


def timed_update():
    """Seconds of processor time that one dependency-graph update takes: a busy machine adds nothing to it."""
    start = process_time()
    bpy.context.view_layer.update()
    return process_time() - start


def follow(armature_object, rig, empties, goal_matrices, warm):
    """Pose matrices (batch, bones, 4, 4) and seconds (batch,) of one update per row of goals.

    Cold starts each row at rest. Warm writes each result to the channels, where the next row's solve starts.
    """
    order, rest = bone_order(armature_object, rig), np.broadcast_to(np.eye(4), (len(rig.names), 4, 4))
    write_basis(armature_object, rig, rest)
    poses, seconds = [], []
    for matrices in goal_matrices:
        place(empties, matrices)
        armature_object.update_tag(refresh={"DATA"})
        seconds.append(timed_update())
        poses.append(read_pose(armature_object, order))
        if warm:
            write_basis(armature_object, rig, own_transforms(rig, poses[-1][None])[0])
    return np.array(poses), np.array(seconds)


@contextmanager
def constrained(armature_object, rig, solver):
    """The set-up for as long as the block runs; gives the empties."""
    empties = add_constraints(armature_object, rig, solver)
    try:
        yield empties
    finally:
        remove_constraints(armature_object)
        for empty in empties:
            bpy.data.objects.remove(empty)


def solve(armature_object, rig, targets, solver="standard", warm=False):
    """Pose matrices (batch, bones, 4, 4) in armature space and the net seconds per row (batch,)."""
    matrices = goals(armature_object, rig, targets)
    with constrained(armature_object, rig, solver) as empties:
        poses, gross = follow(armature_object, rig, empties, matrices, warm)
        remove_constraints(armature_object)
        _, without = follow(armature_object, rig, empties, matrices, warm=False)
    return poses, gross - np.median(without)
