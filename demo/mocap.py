# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the metarig follow a BVH clip: its targets become children of six bones of the clip's own armature.

Environment: MOTION (the file), AXIS_UP (Y), and HIPS, HEAD, HAND_L, HAND_R, FOOT_L, FOOT_R: bones of the clip
where the guesses from their names are wrong.
"""

import os
import re
from pathlib import Path

import addon_utils
import bpy
import numpy as np
from mathutils import Matrix, Vector
from metarig import target

# For each effector: the option that names its bone, and what such bones are called.
BONES = {
    "spine": ("HIPS", r"(hips?|pelvis|root)"),
    "spine.006": ("HEAD", r"head"),
    "hand.L": ("HAND_L", r"(l|left)[ _.-]?(hand|wrist)|(hand|wrist)[ _.-]?(l|left)"),
    "hand.R": ("HAND_R", r"(r|right)[ _.-]?(hand|wrist)|(hand|wrist)[ _.-]?(r|right)"),
    "foot.L": ("FOOT_L", r"(l|left)[ _.-]?(foot|ankle)|(foot|ankle)[ _.-]?(l|left)"),
    "foot.R": ("FOOT_R", r"(r|right)[ _.-]?(foot|ankle)|(foot|ankle)[ _.-]?(r|right)"),
}
LIMBS = {"hand.L": "upper_arm.L", "hand.R": "upper_arm.R", "foot.L": "thigh.L", "foot.R": "thigh.R"}
FORWARD = {"X": "Y", "Y": "-Z", "Z": "-Y"}
NOTES = """
## What is approximated

The two skeletons differ, so the targets are not the clip's bones: they stand beside them, each at a fixed
place in its bone's frame. To find these places, both skeletons are laid over each other at rest: the same
way ahead, the clip scaled by {scale:.4g} so that legs are equally long, the metarig's trunk and head in
its own proportions, its arms and legs turned the shortest way into the direction that the clip's have.
Where limbs differ, hands and feet are therefore off the clip's by the difference, in a direction that
turns with them. Where the clip's trunk stretches further than the metarig's, hips and head share the miss.
How a palm is turned about its arm at rest is taken to be the same. Misses above are against these targets.
Toes, fingers and face stay still.

Bones followed: {bones}.
"""


def load(file, axis_up):
    """Return the armature object of an imported clip; the scene gets its range and its frames per second."""
    if axis_up not in FORWARD:
        raise SystemExit(f"AXIS_UP is X, Y or Z, not {axis_up}")
    addon_utils.enable("io_anim_bvh", default_set=True)
    bpy.ops.import_anim.bvh(
        filepath=file,
        axis_up=axis_up,
        axis_forward=FORWARD[axis_up],
        update_scene_fps=True,
    )
    clip, scene = bpy.context.object, bpy.context.scene
    scene.frame_start, scene.frame_end = (round(frame) for frame in clip.animation_data.action.frame_range)
    return clip


def choose(clip):
    """Return ``{effector: bone of the clip}``, as told or as guessed."""
    names, chosen = clip.data.bones.keys(), {}
    for effector, (option, pattern) in BONES.items():
        told = os.environ.get(option)
        guesses = [name for name in names if re.fullmatch(rf"(.*:)?{pattern}", name, re.IGNORECASE)]
        if not told and not guesses:
            raise SystemExit(f"Which bone is {option}? Say {option}=... with one of: {', '.join(names)}")
        chosen[effector] = told or guesses[0]
        if chosen[effector] not in names:
            raise SystemExit(f"{option}: the clip has no bone {told}, only: {', '.join(names)}")
    return chosen


def limb_start(bone):
    """Return where the limb of a hand or foot begins: two joints up, those in one place counted once."""
    joints = [bone.head_local]
    for above in bone.parent_recursive:
        if (above.head_local - joints[-1]).length > 1e-4 * joints[0].length:
            joints.append(above.head_local)
    return joints[2]


def lay_over(clip, rig, bones):
    """Turn and scale the clip's armature so that at rest it stands like the metarig; returns the scale."""
    joints = {effector: clip.data.bones[name] for effector, name in bones.items()}
    at = {effector: joint.head_local for effector, joint in joints.items()}
    if (at["spine.006"] - at["spine"]).normalized().z < 0.7:
        raise SystemExit("At rest the clip's head is not above its hips: say AXIS_UP=Z (or X)")
    left = limb_start(joints["foot.L"]) - limb_start(joints["foot.R"])
    theirs = sum((at[foot] - limb_start(joints[foot])).length for foot in ("foot.L", "foot.R"))
    ours = sum((vector(rig, foot) - vector(rig, LIMBS[foot])).length for foot in ("foot.L", "foot.R"))
    yaw = -np.arctan2(left.y, left.x)
    clip.matrix_world = Matrix.Rotation(yaw, 4, 'Z') @ Matrix.Scale(ours / theirs, 4)
    bpy.context.view_layer.update()
    return ours / theirs


def vector(rig, name):
    return rig.data.bones[name].head_local


def rest_goals(clip, rig, bones):
    """Return ``{effector: matrix}``: the metarig's effectors over the clip's rest pose, in world space."""
    starts = {foot: clip.matrix_world @ limb_start(clip.data.bones[bones[foot]]) for foot in LIMBS}
    shift = sum((starts[foot] - vector(rig, LIMBS[foot]) for foot in ("foot.L", "foot.R")), Vector()) / 2
    goals = {}
    for effector in BONES:
        bone = rig.data.bones[effector]
        turn, pivot = Matrix.Identity(3), bone.head_local
        if effector in LIMBS:
            pivot = vector(rig, LIMBS[effector])
            theirs = clip.matrix_world @ clip.data.bones[bones[effector]].head_local - starts[effector]
            turn = (bone.head_local - pivot).rotation_difference(theirs).to_matrix()
        place = pivot + turn @ (bone.head_local - pivot) + shift
        goals[effector] = Matrix.Translation(place) @ (turn @ bone.matrix_local.to_3x3()).to_4x4()
    return goals


def carry(ob, clip, name, goal):
    """Let the clip's bone carry an object that is at ``goal`` (world space) when the bone is at rest."""
    bone = clip.data.bones[name]
    ob.parent, ob.parent_type, ob.parent_bone = clip, 'BONE', name
    ob.matrix_parent_inverse = Matrix.Translation((0.0, -bone.length, 0.0))  # children hang on the tail
    ob.matrix_basis = (clip.matrix_world @ bone.matrix_local).inverted() @ goal


def put_on_floor(clip, rig):
    """Move the clip so that it begins above the origin and steps as low as the metarig stands."""
    scene, feet = bpy.context.scene, []
    for number in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(number)
        feet.append(min(target(rig, foot).matrix_world.translation.z for foot in ("foot.L", "foot.R")))
    scene.frame_set(scene.frame_start)
    start = target(rig, "spine").matrix_world.translation
    clip.location += Vector((-start.x, -start.y, vector(rig, "foot.L").z - np.percentile(feet, 5)))
    bpy.context.view_layer.update()


def follow(rig):
    """Let the metarig's targets follow the clip; returns what the report calls it and says about it."""
    file = Path(os.environ["MOTION"])
    clip = load(str(file), os.environ.get("AXIS_UP") or "Y")
    bones = choose(clip)
    scale = lay_over(clip, rig, bones)
    for effector, goal in rest_goals(clip, rig, bones).items():
        carry(target(rig, effector), clip, bones[effector], goal)
    put_on_floor(clip, rig)
    clip.select_set(False)
    bpy.context.view_layer.objects.active = rig
    named = ", ".join(f"{name} for {effector}" for effector, name in bones.items())
    return f"The metarig follows {file.name}", NOTES.format(scale=scale, bones=named)
