"""Part: targets follow clips on bodies that learned nothing, with the comfort of human joints and without.

Six targets, or three: hips and hands. "Each on its own": every frame from rest; "following": from the frame
before. "Learned": the first half of the clip taught the body, mixed with that comfort; measured is the
second. Free joints are those that the targets leave open; all joints are those of the body but the effectors.
"Within hinges": those of *Body Limits* for elbows, knees, fingers and toes; "within all limits": all of them;
"of the clip": with the play of hinges and the range of the head that the clip says, as where it is the
armature's action.
A joint is inverted where an elbow bends backwards or a knee forwards by more than 10 degrees.
The table of human comfort was made of the same database as the clips whose names begin with "cmu", some of
these clips among them; the others were never seen.
"""

from dataclasses import replace

import numpy as np

import solvers
from solvers import learn_comforts
from solvers.geometry import quaternion_to_matrix
from solvers.learning import mixed_comfort

from . import own
from .clips import FPS, files, read_clip
from .learned import local_rotations
from .metrics import free_joints, roughness, solved
from .report import keep, kept, table

INVERTED = np.sin(np.radians(10))
COUNTS_AS = 20  # frames, as in Limits from Animation
THREE = (0, 2, 3)  # of the six effectors: hips and hands
EVERY = 3  # frames of those that are no sequence


def learned_from(clip, frames, human):
    """What the frames say of every bone but the roots, mixed with the comfort of human joints."""
    joints = np.flatnonzero(clip.rig.parents >= 0)
    names = [str(clip.rig.names[joint]) for joint in joints]
    found = [bone.comfort for bone in learn_comforts(names, local_rotations(clip)[frames][:, joints])]
    known = {comfort.bone: comfort for comfort in human}
    count = len(range(*frames.indices(len(clip.poses))))
    return tuple(
        mixed_comfort(comfort, known[comfort.bone], count, COUNTS_AS) if comfort.bone in known else comfort
        for comfort in found
    )


def inverted(rig, pose):
    """How many elbows and knees of a pose bend the wrong way."""
    count = 0
    for joint in own.human_joints(rig):
        if joint.role.place == 1 and joint.role.part in ("forearm", "shin"):
            turns = joint.canonical(quaternion_to_matrix(pose.rotations[:, rig.names.index(joint.bone)]))
            side = 1 if joint.role.side == "L" else -1
            # Forearms go on to the side, shins down; forwards is the third axis.
            forwards = side * turns[:, 2, 0] if joint.role.part == "forearm" else turns[:, 2, 1]
            count += int((forwards < -INVERTED).sum())
    return count


def other_joints(rig):
    """All joints of the body but the effectors."""
    names = [joint.bone for joint in own.human_joints(rig)]
    return [rig.names.index(name) for name in names if rig.names.index(name) not in set(rig.effectors)]


def apart(rig, joints, poses, reference):
    """The mean distance of joints, centimetres at 1.75 m."""
    away = (poses[:, joints] - reference[:, joints])[..., :3, 3]
    return 100 * float(np.linalg.norm(away, axis=-1).mean()) * rig.scale


def row(clip, comfort, name, frames, following, chosen=range(6), limits=()):
    """One line of the table."""
    rig, poses = clip.rig, clip.poses[frames]
    skeleton = replace(own.skeleton(rig), comforts=comfort, limits=limits)
    start = own.pose_from_rest(rig, len(poses))
    effectors = tuple(own.effectors(rig)[number] for number in chosen)
    goals = own.targets(poses[:, rig.effectors[list(chosen)]])
    solution = solvers.solve(skeleton, start, effectors, goals, in_sequence=following)
    shown = own.matrices(rig, solution.pose)
    is_solved = solved(rig, shown, poses[:, rig.effectors]) if len(chosen) == 6 else solution.converged
    is_sequence = frames.step in (None, 1)
    return {
        "comfort": name,
        "targets": len(chosen),
        "frames": "following" if following else "each on its own",
        "clip": clip.name,
        "solved %": 100 * float(is_solved.mean()),
        "free joints cm": apart(rig, free_joints(rig), shown, poses),
        "all joints cm": apart(rig, other_joints(rig), shown, poses),
        "acceleration ratio": float(roughness(rig, shown, poses, FPS)) if is_sequence else float("nan"),
        "inverted": inverted(rig, solution.pose),
    }


def rows_of(clip):
    """Six targets without and with the comfort of humans, and learned; then three."""
    human, half = own.human_comforts(clip.rig), len(clip.poses) // 2
    every, thinned, second = slice(None), slice(None, None, EVERY), slice(half, None)
    limits = own.human_limits(clip.armature_object)
    hinges = tuple(limit for limit in limits if isinstance(limit, solvers.Hinge))
    fitted = own.human_limits(clip.armature_object, clip.action)
    for following in (False, True):
        yield row(clip, (), "none", every, following)
        yield row(clip, human, "human", every, following)
        yield row(clip, human, "human, within hinges", every, following, limits=hinges)
        yield row(clip, human, "human, within all limits", every, following, limits=limits)
        yield row(clip, human, "human, within all limits of the clip", every, following, limits=fitted)
        yield row(clip, learned_from(clip, slice(half), human), "learned", second, following)
    yield row(clip, (), "none", thinned, False, THREE)
    yield row(clip, human, "human", thinned, False, THREE)


def skeleton_of(name):
    """Whether a clip's skeleton is that of the table's motion."""
    return "others" if "rawskel" in name or not name.startswith("cmu") else "CMU"


def means(rows):
    """A line for each way of solving and kind of skeleton: means over clips, but all that is inverted."""
    keys = ("comfort", "targets", "frames")
    for way in dict.fromkeys((*(line[key] for key in keys), skeleton_of(line["clip"])) for line in rows):
        mine = [line for line in rows if (*(line[key] for key in keys), skeleton_of(line["clip"])) == way]
        summary = dict(zip(keys, way[:3], strict=True)) | {"clip": f"mean, {way[3]}"}
        for key in list(mine[0])[4:]:
            values = [line[key] for line in mine]
            summary[key] = int(sum(values)) if key == "inverted" else float(np.mean(values))
        yield summary


def main():
    """Measure the full-body clips; each is kept once it is measured, beside the last figures of others."""
    by_clip = {path.stem: [] for path in files()}
    for line in kept("bodies"):
        by_clip.get(line["clip"], []).append(line)  # other lines are means
    for path in files():
        by_clip[path.stem] = list(rows_of(read_clip(path)))
        print(table(by_clip[path.stem]), flush=True)
        rows = [line for lines in by_clip.values() for line in lines]
        keep("bodies", [*rows, *means(rows)])
