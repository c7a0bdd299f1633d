"""Part: how many keys of a walk stay within a millimetre and a tenth of a degree.

The human metarig follows 250 frames of captured walking, 120 a second, by six effectors; errors are the
largest of all bones at quarters of frames, as Blender shows them.
"""

from math import degrees
from time import process_time

import bpy

from . import own
from .clips import EFFECTORS, FOLDER
from .report import publish
from .rigs import METARIG_EFFECTORS, add_human_metarig

CLIP, FIRST, LAST = "cmu_07_01_walk", 10, 259
SMOOTHNESS = (0.0, 0.5, 0.7)


def following_metarig():
    """The metarig, whose effectors follow the clip."""
    metarig, _ = add_human_metarig()
    own.enable_extension()
    bpy.ops.import_anim.bvh(
        filepath=str(FOLDER / f"{CLIP}.bvh"), update_scene_fps=True, update_scene_duration=True
    )
    own.follow(metarig, bpy.context.object, dict(zip(METARIG_EFFECTORS, EFFECTORS["cmu"], strict=True)))
    return metarig


def row(smoothness):
    """One line of the table."""
    metarig = following_metarig()
    frames = {"range": "CUSTOM", "frame_start": FIRST, "frame_end": LAST}
    bpy.ops.superpose.bake(**frames, smoothness=smoothness)
    begin = process_time()
    bpy.ops.superpose.reduce_keys(**frames)
    seconds, kept = process_time() - begin, own.clip_report(metarig).keys
    return {
        "clip": CLIP,
        "smoothness": smoothness,
        "keys of all": kept.full,
        "keys kept": kept.kept,
        "kept %": 100 * kept.kept / kept.full,
        "worst mm": 1e3 * kept.distance,
        "worst deg": degrees(kept.angle),
        "seconds": seconds,
    }


def main():
    """Reduce the keys of the walk, exact and smoothed."""
    publish("keys", [row(smoothness) for smoothness in SMOOTHNESS])
