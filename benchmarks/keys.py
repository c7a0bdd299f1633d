"""Part: how many keys of a walk stay within a millimetre and a tenth of a degree.

The human metarig follows 250 frames of captured walking, 120 a second, by six effectors; errors are the
largest of all bones at quarters of frames, as Blender shows them.
"""

from math import degrees
from time import process_time

import bpy

from . import own
from .clips import FOLDER
from .report import publish
from .rigs import METARIG_EFFECTORS, add_human_metarig

CLIP, FIRST, LAST = FOLDER / "cmu_07_01_walk.bvh", 10, 259
SMOOTHNESS = (0.0, 0.5, 0.7)


def following_metarig(path):
    """The metarig, whose effectors follow a clip."""
    metarig, _ = add_human_metarig()
    own.enable_extension()
    axis = {"axis_up": "Z"} if "zup" in path.stem else {}
    bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True, update_scene_duration=True, **axis)
    own.follow(metarig, METARIG_EFFECTORS)
    return metarig


def row(smoothness):
    """One line of the table."""
    metarig = following_metarig(CLIP)
    frames = {"range": "CUSTOM", "frame_start": FIRST, "frame_end": LAST}
    bpy.ops.superpose.bake(**frames, smoothness=smoothness)
    begin = process_time()
    bpy.ops.superpose.reduce_keys(**frames)
    seconds, kept = process_time() - begin, own.clip_report(metarig).keys
    return {
        "clip": CLIP.stem,
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
