# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the metarig follow a BVH clip, whose name is in the environment as MOTION, as *Follow Motion* does."""

import os
from importlib import import_module
from pathlib import Path

import bpy

NOTES = """
## What is approximated

The two skeletons differ, so the targets are not the clip's bones. Both skeletons are laid over each other at
rest: the same way ahead, and the clip scaled by {scale:.4g} so that legs are equally long. Hips and feet go
where the clip's go. From there on the metarig has its own proportions: its hands are as far from its
shoulders as the clip's are, for the length of the arms. Misses above are against these targets. Toes bend
with the clip's, or its feet, and with the ground; fingers turn as the clip's, if it has some; the face stays
still. {notes}

Bones followed: {bones}.
"""


def follow(rig, package):
    """Let the metarig follow the clip, by the add-on; returns what the report calls it and says about it."""
    file = Path(os.environ["MOTION"])
    armature, command = (import_module(f"{package}.{name}") for name in ("armature", "command"))
    try:
        clip = command.clips.imported(file)
        told = command.clips.followed(rig, clip, levels=True)
    except (command.errors.CommandError, armature.RigError) as error:
        raise SystemExit(error) from error
    lead = import_module(f"{package}.armature.motion.lead").lead_by_roles(rig, clip)
    clip.select_set(False)
    bpy.context.view_layer.objects.active = rig
    bones = ", ".join(f"{name} for {effector}" for effector, name in lead.bones.items())
    notes = NOTES.format(
        scale=clip.matrix_world.median_scale, bones=bones, notes=" ".join(f"{what}." for what in told)
    )
    return f"The metarig follows {file.name}", notes
