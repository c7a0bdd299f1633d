# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: goals of every kind on the human metarig, beside frames alone: what a random pose meets is asked for.

Six frames, of which some give way to goals of the kind, from rest; without limits and with *Human Limits*.
Marks: all problems met, 99.5 % within limits; planes and limits violated by less than 1e-6; no more than 1.5
times as long as frames alone, the median of measurements in turn.
"""

from dataclasses import fields, replace
from importlib import import_module
from operator import truediv
from statistics import median
from time import process_time

import numpy as np

import solvers
from solvers import Aim, Balance, Effector, Plane, Pole, RelativeFrame, Targets
from solvers.comparison import Problems, reachable
from solvers.geometry import (
    angle_between,
    conjugate,
    matvec,
    multiply,
    quaternion_to_matrix,
)
from solvers.limits import group_limits

from . import own
from .report import publish
from .rigs import METARIG_EFFECTORS, add_human_metarig

COUNT = 1000
TURNS = 3
POLE = 0.5  # how far from the joint, in the armature's units
LIMBS = (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot"))
OVER_THE_FLOOR = tuple(f"{part}.{side}" for part in ("forearm", "hand", "shin", "foot") for side in "LR")
HEAD, HAND, CARRIER = "spine.006", "hand.R", "hand.L"


class Drawn:
    """Random poses within the limits: where all bones are, ``points`` and ``rotations`` (count, 3 or 4)."""

    def __init__(self, skeleton, lengths, count=COUNT):
        everything = tuple(Effector(name) for name in skeleton.names)
        rest = solvers.rest_pose(skeleton)
        anywhere = Targets(np.zeros((1, len(everything), 3)), rest.rotations)
        drawn = reachable(Problems(skeleton, rest, everything, anywhere), count)
        self.random = np.random.default_rng(1)
        self.skeleton, self.start, self.lengths = skeleton, drawn.pose, lengths
        self.targets = drawn.targets

    def point(self, name, offset=(0, 0, 0)):
        """Where a point of a bone is, (count, 3)."""
        bone = self.skeleton.index(name)
        turned = quaternion_to_matrix(self.targets.rotations[:, bone])
        return self.targets.positions[:, bone] + matvec(turned, np.array(offset, float))

    def rotation(self, name):
        return self.targets.rotations[:, self.skeleton.index(name)]

    def frames(self, names=METARIG_EFFECTORS, **values):
        """Effectors on the named bones, ``values`` those of the head, and their targets."""
        bones = [self.skeleton.index(name) for name in names]
        effectors = [Effector(name, **(values if name == HEAD else {})) for name in names]
        return effectors, Targets(self.targets.positions[:, bones], self.targets.rotations[:, bones])


def frames_alone(drawn):
    """Six frames."""
    return *drawn.frames(), ()


def relative_frame(drawn):
    """One hand beside the other instead of a frame of its own."""
    back = conjugate(drawn.rotation(CARRIER))
    apart = drawn.point(HAND) - drawn.point(CARRIER)
    beside = RelativeFrame(
        HAND,
        CARRIER,
        to_offset=matvec(quaternion_to_matrix(back), apart),
        to_rotation=multiply(back, drawn.rotation(HAND)),
    )
    return *drawn.frames([name for name in METARIG_EFFECTORS if name != HAND]), (beside,)


def aim(drawn):
    """The head looks at a point instead of having a rotation."""
    looks = Aim(HEAD, axis=(0, 0, 1), at=drawn.point(HEAD, (0, 0, 1.0)))
    return *drawn.frames(rotation_weight=0.0), (looks,)


def pole(drawn):
    """Elbows and knees besides the six frames."""
    return *drawn.frames(), tuple(_pole(drawn, *parts, side) for parts in LIMBS for side in "LR")


def _pole(drawn, upper, middle, end, side):
    names = [f"{part}.{side}" for part in (upper, middle, end)]
    root, joint, tip = map(drawn.point, names)
    line = (tip - root) / np.linalg.norm(tip - root, axis=-1, keepdims=True)
    out = joint - root - line * ((joint - root) * line).sum(axis=-1, keepdims=True)
    return Pole(*names, at=joint + POLE * out / np.linalg.norm(out, axis=-1, keepdims=True))


def plane(drawn):
    """A plane besides the six frames, any way up; the nearest of elbows, hands, knees and feet touches it."""
    normals = drawn.random.normal(size=(len(drawn.start), 3))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    heights = np.min([(normals * drawn.point(name)).sum(axis=-1) for name in OVER_THE_FLOOR], axis=0)
    floor = Plane([(name, (0, 0, 0)) for name in OVER_THE_FLOOR], normals=normals, heights=heights)
    return *drawn.frames(), (floor,)


def balance_at(drawn):
    """The centre of mass over a point instead of a frame of the hips."""
    masses, centre = _masses(drawn)
    return *drawn.frames(METARIG_EFFECTORS[1:]), (Balance(masses, at=centre),)


def balance_over(drawn):
    """The centre of mass over a square of 10 cm instead of a frame of the hips."""
    masses, centre = _masses(drawn)
    square = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 0.05
    moved = 0.05 * drawn.random.uniform(-1, 1, (len(centre), 1, 3))
    return *drawn.frames(METARIG_EFFECTORS[1:]), (Balance(masses, polygon=centre[:, None] + square + moved),)


def _masses(drawn):
    """Masses by volume at the middles of bones, and where their centre is."""
    masses = [
        (name, (0, 0.5 * length, 0), length**3)
        for name, length in zip(drawn.skeleton.names, drawn.lengths, strict=True)
    ]
    centre = sum(mass * drawn.point(name, offset) for name, offset, mass in masses)
    return masses, centre / sum(mass for _, _, mass in masses)


KINDS = (frames_alone, relative_frame, aim, pole, plane, balance_at, balance_over)


def human_limits(armature_object):
    """What *Human Limits* gives the bones of an armature."""
    import bpy

    own.enable_extension()
    bpy.ops.superpose.apply_limit_preset()
    setup = import_module("bl_ext.user_default.superpose.armature.setup.limits")
    found = map(setup.read_limit, armature_object.pose.bones)
    # The extension has classes of its own, under its own name.
    return [
        getattr(solvers, type(limit).__name__)(
            **{item.name: getattr(limit, item.name) for item in fields(limit)}
        )
        for limit in found
        if limit is not None
    ]


def outside_limits(skeleton, pose):
    """The worst violation of any limit, radians."""
    worst, local = 0.0, quaternion_to_matrix(pose.rotations)
    for group in group_limits(skeleton.limits, skeleton.places):
        here = local.take(group.bones, axis=1)
        worst = max(worst, float(angle_between(here, group.nearest(here)).max()))
    return worst


def beyond_planes(skeleton, pose, goals):
    """How far the worst point is beyond its plane."""
    rotations, heads = solvers.forward(skeleton, pose)
    worst = 0.0
    for goal in goals:
        for name, offset in goal.points if isinstance(goal, Plane) else ():
            bone = skeleton.index(name)
            point = heads[:, bone] + matvec(rotations[:, bone], np.array(offset, float))
            worst = max(worst, float((goal.heights - (goal.normals * point).sum(axis=-1)).max()))
    return worst


def timed(skeleton, start, effectors, targets, goals):
    """A solution, and milliseconds of work for each of its rows."""
    begin = process_time()
    solution = solvers.solve(skeleton, start, effectors, targets, goals=goals)
    return solution, 1e3 * (process_time() - begin) / len(start)


def row(kind, drawn):
    """One line: a kind, measured right after frames alone, several times in turn."""
    frames, problem = frames_alone(drawn), kind(drawn)
    alone, own_times = [], []
    for _ in range(TURNS):
        alone.append(timed(drawn.skeleton, drawn.start, *frames)[1])
        solution, milliseconds = timed(drawn.skeleton, drawn.start, *problem)
        own_times.append(milliseconds)
    return {
        "goals": kind.__name__.replace("_", " "),
        "limits": bool(drawn.skeleton.limits),
        "met %": 100 * float(solution.converged.mean()),
        "beyond planes": beyond_planes(drawn.skeleton, solution.pose, problem[2]),
        "outside limits rad": outside_limits(drawn.skeleton, solution.pose),
        "steps": float(solution.iterations.mean()),
        "ms in a batch": median(own_times),
        "times frames alone": median(map(truediv, own_times, alone)),
    }


def main():
    """Measure every kind without and with limits."""
    armature_object, rig = add_human_metarig()
    free = own.skeleton(rig)
    limits = [limit for limit in human_limits(armature_object) if limit.bone in free.places]
    scenes = [Drawn(skeleton, rig.lengths) for skeleton in (free, replace(free, limits=limits))]
    publish("goals", [row(kind, drawn) for drawn in scenes for kind in KINDS])
