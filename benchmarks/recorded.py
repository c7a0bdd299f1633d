"""Part: six targets of every full-body clip, recorded badly, followed on the clip's own armature.

5 mm of noise, 1 % of spikes of 10 to 50 cm, and two dropouts of half a second, one of which loses the target
to the origin and one freezes it. Baked as it is, with *Clean Targets*, and with contacts found and held too,
all by the add-on's own operators, and measured against the clip without.
"""

from time import process_time

import bpy
import numpy as np

from . import blender_ik, own
from .bake import animate
from .bake import read_clip as read_poses
from .clips import FPS, files, read_clip
from .metrics import effector_acceleration, residuals
from .report import publish

MOST_FRAMES = 120
NOISE, SPIKES, DROPOUT = 0.005, 0.01, FPS // 2
STILL = 1e-4  # metres a frame: what moves less stands
WAYS = ("as it is", "cleaned", "cleaned, contacts held")


def spoiled(clip, poses):
    """The effectors' matrices as badly recorded, and which (frames, effectors) are lost or spikes."""
    rng, goals = np.random.default_rng(0), poses[:, clip.rig.effectors].copy()
    frames, effectors = goals.shape[:2]
    goals[..., :3, 3] += NOISE / np.sqrt(3) / clip.rig.scale * rng.normal(size=(frames, effectors, 3))
    spikes = rng.random((frames, effectors)) < SPIKES
    away = rng.normal(size=(frames, effectors, 3))
    away *= rng.uniform(0.1, 0.5, size=(frames, effectors, 1)) / np.linalg.norm(away, axis=-1, keepdims=True)
    goals[..., :3, 3] += spikes[..., None] * away / clip.rig.scale
    bad, places = spikes.copy(), rng.permutation(effectors)[:2]
    for place, first in zip(places, rng.integers(3, frames - DROPOUT - 3, 2), strict=True):
        gone = slice(first, first + DROPOUT)
        goals[gone, place] = np.eye(4) if place == places[0] else goals[first - 1, place]
        bad[gone, place] = True
    return goals, bad


def ready(clip, goals):
    """The clip's armature at rest, and empties that have the goals, as a user would set it up."""
    own.enable_extension()
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    scene.frame_start, scene.frame_end = 1, len(goals)
    empties = [blender_ik.add_target(clip.rig.names[effector]) for effector in clip.rig.effectors]
    animate(empties, np.array(clip.armature_object.matrix_world) @ goals)
    bpy.context.view_layer.objects.active = clip.armature_object
    clip.armature_object.select_set(True)
    own.set_up(clip.armature_object, clip.rig, empties)


def bake(way):
    """Bake as the user would; seconds of processor time."""
    begin = process_time()
    if way == WAYS[2]:
        bpy.ops.superpose.find_contacts()
    bpy.ops.superpose.bake(use_clean=way != WAYS[0])
    return process_time() - begin


def held_spans(clip):
    """Effectors' columns, ends (0 heads, 1 tips) and rows of the contacts that are held."""
    kind = bpy.types.SUPERPOSE_OT_mark_frames
    for column, effector in enumerate(clip.rig.effectors):
        bone = clip.armature_object.pose.bones[str(clip.rig.names[effector])]
        for end, name in enumerate(("superpose_contact", "superpose_tip_contact")):
            for first, last in kind.spans(bpy.context, bone, name):
                yield column, end, slice(first - 1, last)


def standing(clip, poses):
    """How far points move in runs in which they stand still, metres, and speeds while in contact, cm/s."""
    moved, speeds = [0.0], []
    for column, end, rows in held_spans(clip):
        bone = clip.armature_object.data.bones[str(clip.rig.names[clip.rig.effectors[column]])]
        matrices = poses[rows, clip.rig.effectors[column]]
        points = (matrices[..., :3, 3] + end * bone.length * matrices[..., :3, 1]) * clip.rig.scale
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        speeds += (100 * FPS * steps).tolist()
        still = np.concatenate([[False], steps < STILL, [False]])
        for first, last in np.flatnonzero(np.diff(still)).reshape(-1, 2):
            run = points[first : last + 1]
            moved.append(float(np.linalg.norm(run - np.median(run, axis=0), axis=1).max()))
    speeds = np.array(speeds or [np.nan])
    return max(moved), float(np.median(speeds)), float((speeds < 100 * FPS * STILL).mean())


def row(path, way):
    """One line of the table."""
    clip = read_clip(path)
    truth = clip.poses[:MOST_FRAMES]
    goals, bad = spoiled(clip, truth)
    ready(clip, goals)
    seconds = bake(way)
    found = read_poses(clip.armature_object, clip.rig, len(truth))
    metres, _ = residuals(clip.rig, found, truth[:, clip.rig.effectors])
    moved, speed, still = standing(clip, found)
    return {
        "way": way,
        "clip": clip.name,
        "effectors' acceleration ratio": effector_acceleration(clip.rig, found, FPS)
        / effector_acceleration(clip.rig, truth, FPS),
        "mean mm": 1e3 * float(metres.mean()),
        "worst mm": 1e3 * float(metres[~bad].max()),
        "worst mm where lost": 1e3 * float(metres[bad].max()),
        "standing moves mm": 1e3 * moved,
        "median speed cm/s": speed,
        "standing, of contacts %": 100 * still,
        "ms": 1e3 * seconds / len(truth),
    }


def main():
    """Measure every way on every full-body clip."""
    publish("recorded", [row(path, way) for path in files() for way in WAYS])
