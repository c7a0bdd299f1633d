"""Part: six effectors follow a clip, with limits and comfort learned from the other clips of its skeleton.

How natural the rest of the body is (distance of the other joints to the clip's own), how many frames are
solved, how smooth the motion is. Limits have a wide margin. "Each on its own": every frame from rest;
"following": from the frame before.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np

import solvers
from solvers import learn_limits
from solvers.geometry import angle_between

from . import own
from .clips import FPS, files, read_clip
from .kinematics import own_transforms
from .learned import local_rotations, outside, share_a_skeleton
from .metrics import SOLVED_DEGREES, joint_distance, roughness, solved, solved_bones
from .mocap import blenders
from .report import publish

MARGIN = np.radians(10)  # a clip that was not learned from goes beyond those that were
USED = {
    "nothing": (),
    "limits": ("limits",),
    "comfort": ("comforts",),
    "limits and comfort": ("limits", "comforts"),
}


def learned_from(clips):
    """What the clips say of every bone but the roots, by bone."""
    rig = clips[0].rig
    rotations = np.concatenate([local_rotations(clip) for clip in clips])
    joints = np.flatnonzero(rig.parents >= 0)
    names = [str(rig.names[joint]) for joint in joints]
    return learn_limits(names, rotations[:, joints], MARGIN, stretch=0.0)


def skeleton_of(clip, learned, used):
    """The clip's skeleton with what was learned."""
    kinds = {name: tuple(getattr(bone, name[:-1]) for bone in learned) for name in ("limits", "comforts")}
    return replace(own.skeleton(clip.rig), **{name: kinds[name] for name in used})


def largest_turn(clip, poses):
    """The largest turn of a joint from one frame to the next, radians."""
    local = own_transforms(clip.rig, poses)[:, solved_bones(clip.rig), :3, :3]
    return angle_between(local[1:], local[:-1]).max()


def contained(clip, learned):
    """Frames (frames,) of the clip whose own joints are all within the limits."""
    joints = [clip.rig.names.index(bone.limit.bone) for bone in learned]
    away = outside(learned, local_rotations(clip)[:, joints])
    on_paths = np.isin(joints, solved_bones(clip.rig))
    return (away[:, on_paths] <= np.radians(SOLVED_DEGREES)).all(axis=1)


def violation(clip, learned, skeleton, pose):
    """How far the solved bones of a pose are outside the skeleton's limits at worst, radians."""
    if not skeleton.limits:
        return float("nan")
    joints = [skeleton.index(limit.bone) for limit in skeleton.limits]
    away = outside(learned, pose.rotations[:, joints])
    return float(away[:, np.isin(joints, solved_bones(clip.rig))].max())


def solve(clip, skeleton, following):
    """The solver's pose of every frame, and milliseconds a frame."""
    start, goals = own.pose_from_rest(clip.rig, len(clip.poses)), own.targets(clip.targets)
    begin = perf_counter()
    solution = solvers.solve(skeleton, start, own.effectors(clip.rig), goals, in_sequence=following)
    return solution.pose, 1e3 * (perf_counter() - begin) / len(start)


def row(clip, used, following, inside, poses, milliseconds, worst):
    """One line of the table."""
    hit, apart = solved(clip.rig, poses, clip.targets), joint_distance(clip.rig, poses, clip.poses)
    return {
        "learned": used,
        "frames": "following" if following else "each on its own",
        "clip": clip.name,
        "inside %": 100 * float(inside.mean()),
        "solved %": 100 * float(hit.mean()),
        "solved %, inside": 100 * float(hit[inside].mean()) if inside.any() else float("nan"),
        "joints cm": 100 * float(apart.mean()),
        "joints cm, inside": 100 * float(apart[inside].mean()) if inside.any() else float("nan"),
        "acceleration ratio": float(roughness(clip.rig, poses, clip.poses, FPS)),
        "largest turn ratio": float(largest_turn(clip, poses) / largest_turn(clip, clip.poses)),
        "worst violation rad": worst,
        "ms": milliseconds,
    }


def rows_of(clip, learned):
    """Blender's line and ours."""
    inside = contained(clip, learned)
    poses, seconds = blenders(clip)
    rows = [row(clip, "Blender's standard", False, inside, poses, 1e3 * float(np.median(seconds)), np.nan)]
    for used, names in USED.items():
        skeleton = skeleton_of(clip, learned, names)
        for following in (False, True):
            pose, milliseconds = solve(clip, skeleton, following)
            worst = violation(clip, learned, skeleton, pose)
            rows.append(row(clip, used, following, inside, own.matrices(clip.rig, pose), milliseconds, worst))
    return rows


def means(rows):
    """A line for each way of solving: means over clips, but the worst violation."""
    for used, frames in dict.fromkeys((line["learned"], line["frames"]) for line in rows):
        mine = [line for line in rows if (line["learned"], line["frames"]) == (used, frames)]
        summary = {"learned": used, "frames": frames, "clip": "mean over clips"}
        for key in list(mine[0])[3:]:
            combine = np.nanmax if key.startswith("worst") else np.nanmean
            summary[key] = float(combine([line[key] for line in mine]))
        yield summary


def main():
    """Learn from all clips of the skeleton but one, and solve that one."""
    clips, rows = share_a_skeleton([read_clip(path) for path in files()]), []
    for path in files():
        others = [clip for clip in clips if clip.name != path.stem]
        if len(others) < len(clips):
            rows += rows_of(read_clip(path), learned_from(others))  # anew: an import clears the scene
    publish("natural", [*rows, *means(rows)])
