"""Part: the human metarig follows every full-body clip by six effectors, baked each frame alone and together.

Its trunk and head are not those of the captured bodies, so not every frame can be met. Frames within 0.1 mm
and 0.01 degrees, of all and of those that are met alone; and how far the others are off, either way.
"""

from math import degrees
from time import process_time

import bpy
import numpy as np

from . import own
from .clips import FPS, files
from .keys import following_metarig
from .report import publish

MOST_FRAMES = 300
NEAR = 1e-4, 0.01  # metres, degrees


def left(path, frames):
    """Distances, metres, and angles, degrees, (frames, effectors) of a bake; seconds of processor time."""
    metarig, scene = following_metarig(path), bpy.context.scene
    step = max(1, round(scene.render.fps / FPS))
    first, last = scene.frame_start, scene.frame_end
    last = min(last, first + step * (MOST_FRAMES - 1))
    begin = process_time()
    bpy.ops.superpose.bake(range="CUSTOM", frame_start=first, frame_end=last, step=step, frames=frames)
    seconds, report = process_time() - begin, own.clip_report(metarig)
    return report.distances, np.vectorize(degrees)(report.angles), seconds


def row(path):
    """One line of the table."""
    (alone, alone_turned, _), (metres, turned, seconds) = (left(path, way) for way in ("ALONE", "TOGETHER"))
    met_alone, met = (
        ((lengths < NEAR[0]) & (angles < NEAR[1])).all(axis=1)
        for lengths, angles in ((alone, alone_turned), (metres, turned))
    )
    return {
        "clip": path.stem,
        "frames": len(met),
        "within 0.1 mm %": 100 * float(met.mean()),
        "of those alone %": 100 * float(met[met_alone].mean()),
        "worst mm": 1e3 * float(metres.max()),
        "worst alone mm": 1e3 * float(alone.max()),
        "ms": 1e3 * seconds / len(met),
    }


def main():
    """Bake every full-body clip twice."""
    publish("metarig", [row(path) for path in files()])
