# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the metarig follow a BVH clip: its targets become children of six bones of the clip's own armature.

Environment: MOTION (the file), and HIPS, HEAD, HAND_L, HAND_R, FOOT_L, FOOT_R: bones of the clip where the
guesses from their names are wrong.
"""

import os
import re
from importlib import import_module
from pathlib import Path

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
NOTES = """
## What is approximated

The two skeletons differ, so the targets are not the clip's bones: they stand beside them, each at a fixed
place in its bone's frame. To find these places, both skeletons are laid over each other at rest: the same
way ahead, the clip scaled by {scale:.4g} so that legs are equally long, the metarig's trunk and head in
its own proportions, its arms and legs turned the shortest way into the direction that the clip's have.
Where limbs differ, hands and feet are therefore off the clip's by the difference, in a direction that
turns with them. Where the clip's trunk stretches further than the metarig's, hips and head share the miss.
How a palm is turned about its arm at rest is taken to be the same. Misses above are against these targets.
Toes, fingers and face stay still. {ground}

Bones followed: {bones}.
"""


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
    command, following = (import_module(f"{package}.{name}") for name in ("command", "armature.following"))
    try:
        clip = command.clips.imported(file)
    except command.errors.CommandError as error:
        raise SystemExit(error) from error
    bones = choose(clip)
    ground = following.follow(bpy.context, following.Lead(rig, clip, bones, LIMBS, FEET))
    scale = clip.matrix_world.median_scale
    clip.select_set(False)
    bpy.context.view_layer.objects.active = rig
    named = ", ".join(f"{name} for {effector}" for effector, name in bones.items())
    notes = NOTES.format(scale=scale, bones=named, ground=" ".join(f"{what}." for what in ground))
    return f"The metarig follows {file.name}", notes
