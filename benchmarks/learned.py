"""Part: limits learned from clips, tried on what was held back of them.

Held back are, one after the other, every fifth block of a tenth of a second (``blocks``), the second half
of a clip (``half``), or all of it (``other clips``: learned from the other clips of the same skeleton, with
the usual margin and a wide one).
A joint is inside where its limit moves it by no more than counts as solved. A region's area is compared
with the convex hull of all directions of the motion that it is learned from, held back ones too, and with
that hull widened by 2 degrees, or by the margin if that is more: of motion on a line the hull is nothing.
Regions are measured by counting an even sampling, so that what overlaps in a chain counts once.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from solvers import Cones, learn_limits
from solvers.geometry import angle_between, matrix_to_quaternion, nearest_rotation, quaternion_to_matrix
from solvers.learning import MARGIN
from solvers.limits import group_limits, kusudamas, slack

from .clips import FPS, files, read_clip
from .hulls import hull_area, widened_hull_area
from .kinematics import own_transforms
from .metrics import SOLVED_DEGREES
from .report import publish

BLOCK, FOLDS = FPS // 10, 5
WIDE = np.radians(10)  # margin
WIDENED = np.radians(2)
STILL = np.radians(0.1)  # a joint that turns less is not counted
FLAT = np.radians(5) ** 2  # a hull of less, in steradians, is about a line
SAMPLING = 40000  # directions by which a region is measured
MOST = 1.5  # hulls that a region should have at most


@dataclass(frozen=True)
class Trial:
    """What was learned from some samples and how it fits others.

    ``inside`` (frames, joints); ``areas``, ``hulls``, ``widened``: steradians of joints that became cones.
    """

    learned: list
    inside: np.ndarray
    areas: np.ndarray
    hulls: np.ndarray
    widened: np.ndarray
    seconds: float


def local_rotations(clip):
    """The clip's local rotations (frames, bones, 4), wxyz, relative to rest."""
    return matrix_to_quaternion(nearest_rotation(own_transforms(clip.rig, clip.poses)[..., :3, :3]))


def share_a_skeleton(clips):
    """The clips of the skeleton that most of them have."""
    bones = [clip.rig.names for clip in clips]
    return [clip for clip in clips if clip.rig.names == max(bones, key=bones.count)]


def moving_joints(clip, rotations):
    """Bones other than the root that turn in the clip."""
    turned = angle_between(quaternion_to_matrix(rotations), quaternion_to_matrix(rotations[:1])).max(axis=0)
    return np.flatnonzero((turned > STILL) & (clip.rig.parents >= 0))


def outside(learned, rotations):
    """How far rotations (frames, joints, 4) are outside the limits of those joints, radians."""
    local = quaternion_to_matrix(rotations)
    away = np.zeros(local.shape[:2])
    place = {bone.limit.bone: number for number, bone in enumerate(learned)}
    for group in group_limits([bone.limit for bone in learned], place):
        away[:, group.bones] = angle_between(group.nearest(local[:, group.bones]), local[:, group.bones])
    return away


def region_area(limit):
    """Steradians of a chain of cones, counted within the smallest cap about its middle that holds it."""
    centres, radii = (np.array(part) for part in zip(*limit.cones, strict=True))
    middle = centres.sum(axis=0) / np.linalg.norm(centres.sum(axis=0))
    radius = min(np.max(angle_to(middle, centres) + radii), np.pi)
    cap = 2 * np.pi * (1 - np.cos(radius))
    inside, _ = slack(kusudamas(centres[None], radii[None]), sampled_cap(middle, radius)[:, None])
    return cap * float(np.mean(inside >= 0))


def angle_to(middle, directions):
    """Angles (n,) between a unit direction and others (n, 3)."""
    return np.arctan2(np.linalg.norm(np.cross(directions, middle), axis=-1), directions @ middle)


def sampled_cap(middle, radius):
    """Directions (SAMPLING, 3) evenly all over a cap (Fibonacci's spiral)."""
    number = np.arange(SAMPLING) + 0.5
    height = 1 - (1 - np.cos(radius)) * number / SAMPLING
    around, across = np.pi * (3 - 5**0.5) * number, np.linalg.svd(middle[None])[2][1:]
    flat = np.sqrt(1 - height**2)[:, None] * np.stack([np.cos(around), np.sin(around)], axis=-1)
    return height[:, None] * middle + flat @ across


def trial(names, samples, held_back, spoken_for, margin=MARGIN):
    """Learn from samples (frames, joints, 4) and try what was held back; all that limits speak for."""
    begin = perf_counter()
    learned = learn_limits(names, samples, margin)
    seconds = perf_counter() - begin
    inside = outside(learned, held_back) <= np.radians(SOLVED_DEGREES)
    cones = [number for number, bone in enumerate(learned) if isinstance(bone.limit, Cones)]
    directions = [quaternion_to_matrix(spoken_for[:, number])[..., 1] for number in cones]
    return Trial(
        learned,
        inside,
        np.array([region_area(learned[number].limit) for number in cones]),
        np.array([hull_area(each) for each in directions]),
        np.array([widened_hull_area(each, max(margin, WIDENED)) for each in directions]),
        seconds,
    )


def folds(frames):
    """Yields which frames of a clip are held back, block by block."""
    block = np.arange(frames) // BLOCK
    yield from (block % FOLDS == fold for fold in range(FOLDS))


def row(held_back, clip, trials):
    """One line of the table; a joint's share of frames inside counts alike in all trials."""
    inside = np.concatenate([each.inside for each in trials])
    areas, hulls, widened = (
        np.concatenate([getattr(each, name) for each in trials]) for name in ("areas", "hulls", "widened")
    )
    wide = hulls > FLAT
    ratios = areas[wide] / hulls[wide]
    return {
        "held back": held_back,
        "clip": clip.name,
        "frames": len(inside),
        "joints": inside.shape[1],
        "hinges": sum(not isinstance(bone.limit, Cones) for bone in trials[0].learned),
        "inside %": 100 * float(inside.mean()),
        "worst joint %": 100 * float(inside.mean(axis=0).min()),
        "all joints %": 100 * float(inside.all(axis=1).mean()),
        "area / hull": float(np.median(ratios)),
        "mean": float(ratios.mean()),
        "worst": float(ratios.max()),
        "over 1.5 %": 100 * float(np.mean(ratios > MOST)),
        "area / widened hull": float(np.nanmedian(areas / widened)),
        "worst ": float(np.nanmax(areas / widened)),
        "no hemisphere": int(np.isnan(hulls).sum()),
        "ms a joint": 1e3 * sum(each.seconds for each in trials) / len(trials) / inside.shape[1],
    }


def rows_of(clip, others):
    """The lines of a clip, given the other clips of its skeleton."""
    rotations = local_rotations(clip)
    joints = moving_joints(clip, rotations)
    names, own = [clip.rig.names[joint] for joint in joints], rotations[:, joints]
    rest = np.concatenate([local_rotations(other)[:, joints] for other in others])
    half = len(own) // 2
    held = {
        "blocks": [trial(names, own[~fold], own[fold], own) for fold in folds(len(own))],
        "half": [trial(names, own[:half], own[half:], own)],
        "other clips": [trial(names, rest, own, rest)],
        "other clips, wide": [trial(names, rest, own, rest, WIDE)],
    }
    return [row(kind, clip, trials) for kind, trials in held.items()]


def mean_over_clips(rows, kind):
    """The last line of a kind of holding back: means, but sums of counts and the worst of the worst."""
    mine = [line for line in rows if line["held back"] == kind]
    combine = {"frames": sum, "hinges": sum, "worst joint %": min, "no hemisphere": sum}
    combine |= dict.fromkeys(("worst", "worst "), max)
    summary = {"held back": kind, "clip": "mean over clips"}
    for key in list(mine[0])[2:]:
        value = combine.get(key, np.mean)([line[key] for line in mine])
        summary[key] = value if combine.get(key) is sum else float(value)
    return summary


def main():
    """Try every clip of the skeleton that most clips share."""
    clips = share_a_skeleton([read_clip(path) for path in files()])
    rows = [line for clip in clips for line in rows_of(clip, [other for other in clips if other is not clip])]
    rows.sort(key=lambda line: line["held back"])
    publish(
        "learned",
        rows + [mean_over_clips(rows, kind) for kind in dict.fromkeys(r["held back"] for r in rows)],
    )
