# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the metarig follow a BVH clip: its targets become children of six bones of the clip's own armature.

Environment: MOTION (the file), AXIS_UP (Y), and HIPS, HEAD, HAND_L, HAND_R, FOOT_L, FOOT_R: bones of the clip
where the guesses from their names are wrong.
"""

import os
import re
import sys
from pathlib import Path

import addon_utils
import bpy

# For each effector: the option that names its bone, and what such bones are called.
BONES = {
    "spine": ("HIPS", r"(hips?|pelvis|root)"),
    "spine.006": ("HEAD", r"head"),
    "hand.L": ("HAND_L", r"(l|left)[ _.-]?(hand|wrist)|(hand|wrist)[ _.-]?(l|left)"),
    "hand.R": ("HAND_R", r"(r|right)[ _.-]?(hand|wrist)|(hand|wrist)[ _.-]?(r|right)"),
    "foot.L": ("FOOT_L", r"(l|left)[ _.-]?(foot|ankle)|(foot|ankle)[ _.-]?(l|left)"),
    "foot.R": ("FOOT_R", r"(r|right)[ _.-]?(foot|ankle)|(foot|ankle)[ _.-]?(r|right)"),
}
LIMBS = ("hand.L", "hand.R", "foot.L", "foot.R")
FEET = LIMBS[2:]
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


def follow(rig, package):
    """Let the metarig follow the clip, by the add-on; returns what the report calls it and says about it."""
    file = Path(os.environ["MOTION"])
    clip = load(str(file), os.environ.get("AXIS_UP") or "Y")
    bones = choose(clip)
    following = sys.modules[f"{package}.armature.following"]
    following.follow(bpy.context, following.Lead(rig, clip, bones, LIMBS, FEET))
    scale = clip.matrix_world.median_scale
    clip.select_set(False)
    bpy.context.view_layer.objects.active = rig
    named = ", ".join(f"{name} for {effector}" for effector, name in bones.items())
    return f"The metarig follows {file.name}", NOTES.format(scale=scale, bones=named)
