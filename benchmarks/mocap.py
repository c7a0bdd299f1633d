"""Part: six effectors follow a clip's own armature, each frame on its own from rest.

How many frames are solved, how far the other joints are from the clip's own (naturalness), how much rougher
the motion is (smoothness). A solver is ``solve(clip) -> poses (frames, bones, 4, 4), seconds (frames,)``.
"""

from time import perf_counter

import numpy as np

from . import blender_ik, own
from .clips import FPS, files, read_clip
from .metrics import joint_distance, residuals, roughness, solved
from .report import publish


def blenders(clip):
    """Blender's standard solver on the clip's own armature."""
    return blender_ik.solve(clip.armature_object, clip.rig, clip.targets)


def superposes(clip):
    """Superpose, all frames as one batch."""
    start, goals = own.pose_from_rest(clip.rig, len(clip.targets)), own.targets(clip.targets)
    begin = perf_counter()
    solution = own.solve(clip.rig, start, goals)
    seconds = (perf_counter() - begin) / len(clip.targets)
    return own.matrices(clip.rig, solution.pose), np.full(len(clip.targets), seconds)


def row(clip, solver, poses, seconds):
    """One line of the table."""
    metres, degrees = residuals(clip.rig, poses, clip.targets)
    apart, hit = joint_distance(clip.rig, poses, clip.poses), solved(clip.rig, poses, clip.targets)
    return {
        "solver": solver,
        "clip": clip.name,
        "frames": len(poses),
        "solved %": 100 * float(hit.mean()),
        "joints cm": 100 * float(apart.mean()),
        "joints cm, solved": 100 * float(apart[hit].mean()) if hit.any() else float("nan"),
        "acceleration ratio": float(roughness(clip.rig, poses, clip.poses, FPS)),
        "worst mm": 1e3 * float(metres.max()),
        "worst deg": float(degrees.max()),
        "ms": 1e3 * float(np.median(seconds)),
    }


def mean_over_clips(rows, solver):
    """The solver's last line: means, but the sum of frames and the worst residuals."""
    combine = {"frames": sum, "worst mm": max, "worst deg": max}
    mine = [line for line in rows if line["solver"] == solver]
    summary = {"solver": solver, "clip": "mean over clips"}
    for key in list(mine[0])[2:]:
        value = combine.get(key, np.nanmean)([line[key] for line in mine])
        summary[key] = value if key == "frames" else float(value)
    return summary


def main():
    """Measure every contender on every full-body clip."""
    solvers = {"standard": blenders, "superpose": superposes}
    rows = []
    for path in files():
        clip = read_clip(path)
        rows += [row(clip, name, *solve(clip)) for name, solve in solvers.items()]
    publish("mocap", rows + [mean_over_clips(rows, name) for name in solvers])
