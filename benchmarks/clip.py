"""Part: six effectors follow a clip's own armature, frames each alone, each from the one before, and
together.

Frames within 0.1 mm and 0.01 degrees, jumps, how far other joints are from the clip's own, how much more
joints accelerate; and the same together of targets with 5 mm of noise, where effectors' acceleration and
distance are measured against the clip without. And bakes end to end, beside those of Blender.
"""

from functools import partial
from time import process_time

import numpy as np

import solvers
from solvers.pauses import finished

from . import bake, own
from .clips import FPS, files, read_clip
from .metrics import effector_acceleration, joint_distance, residuals, roughness
from .report import publish

MOST_FRAMES = 60
NOISE = 0.005  # metres of a 1.75 m figure, standard deviation of the distance
WAYS = {
    "each alone": solvers.solve,
    "from the frame before": partial(solvers.solve, in_sequence=True),
    "together": solvers.solve_clip,
}
SMOOTHNESS = (0.3, 0.5, 0.7)


def timed(way, *asked):
    """The solution, and milliseconds of processor time a frame."""
    begin = process_time()
    solution = way(*asked)
    return solution, 1e3 * (process_time() - begin) / len(asked[1])


def noisy(clip, poses):
    """The effectors' matrices with noise in their places."""
    goals = poses[:, clip.rig.effectors].copy()
    noise = np.random.default_rng(0).normal(size=goals[..., :3, 3].shape)
    goals[..., :3, 3] += NOISE / np.sqrt(3) / clip.rig.scale * noise
    return goals


def row(clip, poses, goals, name, way):
    """One line of the table; what is left is measured against the clip's own poses."""
    rig = clip.rig
    asked = own.skeleton(rig), own.pose_from_rest(rig, len(poses)), own.effectors(rig), own.targets(goals)
    solution, milliseconds = timed(way, *asked)
    jumps = finished(solvers.find_jumps(solvers.Request(*asked), solution))
    found = own.matrices(rig, solution.pose)
    metres, degrees = residuals(rig, found, poses[:, rig.effectors])
    return {
        "frames": name,
        "clip": clip.name,
        "within 0.1 mm %": 100 * float(((metres < 1e-4) & (degrees < 0.01)).all(axis=1).mean()),
        "jumps": len(jumps.rows),
        "joints cm": 100 * float(joint_distance(rig, found, poses).mean()),
        "acceleration ratio": float(roughness(rig, found, poses, FPS)),
        "effectors' acceleration ratio": effector_acceleration(rig, found, FPS)
        / effector_acceleration(rig, poses, FPS),
        "mean mm": 1e3 * float(metres.mean()),
        "worst mm": 1e3 * float(metres.max()),
        "ms": milliseconds,
    }


def main():
    """Measure every way of solving on every full-body clip."""
    rows = []
    for path in files():
        clip = read_clip(path)
        poses = clip.poses[:MOST_FRAMES]
        exact = poses[:, clip.rig.effectors]
        rows += [row(clip, poses, exact, name, way) for name, way in WAYS.items()]
        for smoothness in SMOOTHNESS:
            name = f"together, 5 mm of noise, smoothness {smoothness}"
            way = partial(solvers.solve_clip, smoothness=smoothness)
            rows.append(row(clip, poses, noisy(clip, poses), name, way))
    publish("clip", rows)
    bake.main()
