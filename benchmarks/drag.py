# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: one target dragged along a line and back, every frame from the one before, as live posing does.

Far out of reach, and across the side of a shoulder that is forbidden. Marks: joints keep pace with the
target, nothing flips to and fro, the pose on the way back is that on the way there; where the line crosses a
forbidden side, at most one switch each way. "From where the drag began": the pose in which the drag began is
every bone's comfort, as while dragging in the viewport.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np

import solvers
from solvers import Cones, Effector, Hinge, Settings
from solvers.geometry import angle_between, quaternion_to_matrix

from . import own
from .chains import chain
from .limits import human_limits, violation
from .report import publish
from .rigs import add_human_metarig

FRAMES = 121
SWITCH = np.radians(30)
ARM, HAND = "upper_arm.L", "hand.L"


def line(way_points, frames=FRAMES):
    """Points (frames, 3) evenly along a polyline, and back."""
    points = np.asarray(way_points, float)
    along = np.append(0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    there = np.linspace(0, along[-1], frames)
    there = np.stack([np.interp(there, along, points[:, i]) for i in range(3)], axis=-1)
    return np.concatenate([there, there[-2::-1]])


def row(name, skeleton, effectors, targets, dragged, length):
    """One line of the table; ``dragged`` is which effector, ``length`` what a turn of one radian moves."""
    start = solvers.rest_pose(skeleton, len(targets.positions))
    begin = perf_counter()
    solution = solvers.solve(skeleton, start, effectors, targets, in_sequence=True)
    seconds = perf_counter() - begin
    rotations = quaternion_to_matrix(solution.pose.rotations)
    turns = angle_between(rotations[1:], rotations[:-1])
    moves = np.linalg.norm(np.diff(targets.positions[:, dragged], axis=0), axis=-1)
    speeds = turns.max(axis=1) * length / moves
    half = len(targets.positions) // 2
    apart = np.degrees(angle_between(rotations[: half + 1], rotations[: half - 1 : -1]).max(axis=1))
    switched = turns.max(axis=1) > SWITCH
    least = nearest_found(skeleton, solution.pose, effectors, targets)
    return {
        "drag": name,
        "speed median": float(np.median(speeds)),
        "95th": float(np.percentile(speeds, 95)),
        "largest": float(speeds.max()),
        "switches there": int(switched[:half].sum()),
        "back": int(switched[half:].sum()),
        "there and back degrees, median": float(np.median(apart)),
        "worst": float(apart.max()),
        "violation rad": violation(skeleton, solution.pose),
        "excess, worst": float((solution.rmsd - least).max() / length),
        "ms a frame": 1e3 * seconds / len(targets.positions),
    }


def rows(name, skeleton, *drag):
    """The lines of a drag, without and with comfort where it began, which is at rest."""
    yield row(name, skeleton, *drag)
    began = skeleton.drawn_to(solvers.rest_pose(skeleton))
    yield row(f"{name}, from where the drag began", began, *drag)


def nearest_found(skeleton, pose, effectors, targets):
    """The least root of the objective that many more steps from each frame's pose find."""
    patient = Settings(iterations=1000, restarts=0)
    again = solvers.solve(replace(skeleton, comforts=()), pose, effectors, targets, patient)
    return again.rmsd


def human():
    """The limited human metarig, its effectors and where they are at rest, and the length of an arm."""
    rig = add_human_metarig()[1]
    skeleton = replace(own.skeleton(rig), limits=human_limits(rig.names))
    rest = own.matrices(rig, own.pose_from_rest(rig))
    arm, hand = (rest[0, skeleton.index(name), :3, 3] for name in (ARM, HAND))
    return skeleton, own.effectors(rig), rest[:, rig.effectors], arm, hand


def human_rows():
    """The left hand, position only: far to the side and up, and round behind the back."""
    skeleton, effectors, rest, arm, hand = human()
    dragged = [effector.bone for effector in effectors].index(HAND)
    effectors = list(effectors)
    effectors[dragged] = Effector(HAND, rotation_weight=0.0)
    reach = np.linalg.norm(hand - arm)
    side, back, up = np.eye(3)
    lines = {
        "human, hand far out": [hand, hand + reach * (4 * side - 2 * back + 2 * up)],
        "human, hand across the back": [
            arm + reach * (0.7 * side + 0.5 * back),
            arm + reach * (-1.2 * side + 0.9 * back),
        ],
        "human, hand over and behind": [
            hand,
            arm + reach * (0.9 * up),
            arm + reach * (0.9 * back - 0.5 * up),
        ],
    }
    for name, way_points in lines.items():
        places = line(way_points)
        matrices = np.repeat(rest, len(places), axis=0)
        matrices[:, dragged, :3, 3] = places
        yield from rows(name, skeleton, tuple(effectors), own.targets(matrices), dragged, reach)


def chain_limits(bones):
    """Cones and hinges in turn."""
    for bone in range(bones):
        name = f"bone {bone}"
        cone = Cones(name, (((0.0, 1.0, 0.0), 0.5),), -0.3, 0.3)
        yield Hinge(name, (1.0, 0.0, 0.0), -0.1, 1.2) if bone % 2 else cone


def chain_rows(bones=10):
    """A chain, without and with limits, its end dragged far out and across the side behind its root."""
    effector = Effector(f"bone {bones - 1}", offset=(0.0, 1 / bones, 0.0), rotation_weight=0.0)
    lines = {
        "far out": [(0.3, 0.6, 0.2), (2.5, 1.5, -1.0)],
        "across the root": [(0.6, 0.5, 0.1), (-0.6, 0.5, 0.1)],
        "across the forbidden side": [(0.7, -0.9, 0.02), (-0.7, -0.9, 0.02)],
    }
    for kind, limits in (("free", ()), ("limited", tuple(chain_limits(bones)))):
        skeleton = replace(chain(bones), limits=limits)
        for name, way_points in lines.items():
            places = line(way_points)[:, None]
            still = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(places), 1, 4))
            targets = solvers.Targets(places, still)
            yield from rows(f"{kind} chain, {name}", skeleton, (effector,), targets, 0, 1.0)


def main():
    """Measure the human and the chains."""
    publish("drag", [*human_rows(), *chain_rows()])
