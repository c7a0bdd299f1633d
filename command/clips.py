# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion capture in BVH files, checked first: Blender's own importer takes halves for wholes."""

from pathlib import Path

import addon_utils
import bpy
from bpy.types import Object

from ..files import path_text
from .errors import CommandError, explained

IMPORTER = "io_anim_bvh"


def imported(path: Path) -> Object:
    """Return the armature of a clip, new in the scene, which gets the clip's range and frame rate.

    Raises CommandError naming what is wrong with the file.
    """
    check_clip(path)
    if addon_utils.enable(IMPORTER) is None:
        raise CommandError("This Blender has no importer of BVH files")
    before = set(bpy.data.objects)
    bpy.ops.import_anim.bvh(
        filepath=str(path),
        rotate_mode='QUATERNION',
        update_scene_fps=True,
    )
    ob = next(ob for ob in bpy.data.objects if ob not in before and ob.type == 'ARMATURE')
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (round(end) for end in ob.animation_data.action.curve_frame_range)
    return ob


def check_clip(path: Path) -> None:
    """Raise CommandError unless the file is a skeleton and as many frames of all its channels as it says."""
    name = path_text(path)
    with explained(f"'{name}' cannot be read"):
        words = iter(path.read_text(encoding="utf-8", errors="replace").split())
    if next(words, "").upper() != "HIERARCHY":
        raise CommandError(f"'{name}' is no BVH file: it does not begin with HIERARCHY")
    channels = 0
    for word in words:
        if word.upper() == "CHANNELS":
            channels += int(number(next(words, ""), name))
        if word.upper() == "MOTION":
            break
    else:
        raise CommandError(f"'{name}' is cut off: it has no MOTION")
    header = [next(words, "") for _ in range(5)]  # Frames: N Frame Time: S
    frames, seconds = number(header[1], name), number(header[4], name)
    if not (channels and frames >= 1 and seconds > 0):
        raise CommandError(f"'{name}' has no motion: {channels} channels, {frames:g} frames of {seconds:g} s")
    count = sum(1 for word in words if number(word, name) is not None)
    if count != frames * channels:
        raise CommandError(
            f"'{name}' is cut off: {count} numbers are no {frames:g} frames of {channels} channels"
        )


def number(word: str, name: str) -> float:
    """Return the number that the word is. Raises CommandError."""
    try:
        return float(word)
    except ValueError as error:
        what = f"'{word}' where a number should be" if word else "it ends in its header"
        raise CommandError(f"'{name}' is cut off or damaged: {what}") from error
