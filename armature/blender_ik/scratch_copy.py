# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own inverse kinematics on the same problem, to compare with: on a copy, in a scene of its own.

A root that is an effector is put onto its target as far as it may move and turn; every other effector has an
IK constraint whose chain ends there. The user's scene is not touched; copy and scene go when it is over.

iTaSC is set up anew in every update, and reads the pose for that while other threads still evaluate it: from
the copy's last pose or from the present one, as it happens. So the copy is evaluated without IK first: where
last pose and present one are the same, both ways give the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, compress
from statistics import median
from time import perf_counter

import bpy
import numpy as np
from bpy.types import Constraint, Object, PoseBone, Scene
from mathutils import Matrix

from ...solvers import Effector, Pose, Skeleton, Targets, forward
from ...solvers.geometry import (
    Array,
    conjugate,
    matrix_to_quaternion,
    matvec,
    multiply,
    norm,
    quaternion_to_matrix,
)
from ...solvers.goals import points_of, weights_of
from ..frames.frame_snapshot import present_frame
from ..problem.stacking import pose_of
from ..rig.rig import Rig
from ..solution.channels import write_pose
from .settings import say_limits, say_stiffness, unsaid

SOLVERS = {'LEGACY': "Blender Standard", 'ITASC': "Blender iTaSC"}
_ITASC_PRECISION = 1e-5  # Blender's default, 0.005, is meant for speed
_MOST_ITASC_ITERATIONS = 1000
_IDLE_RUNS = 9
_LONGEST = 255  # bones in a chain of Blender's IK, unless it goes all the way up


@dataclass(frozen=True, eq=False)
class Pull:
    """An IK constraint for the effector of this ``number``, and the ``goal`` that it is after, an empty.

    ``end`` (3,): the place on the bone that the constraint is about, in the bone's frame; None for the
    effector's point.
    """

    number: int
    constraint: Constraint
    goal: Object
    end: Array | None


@dataclass(frozen=True, eq=False)
class ScratchCopy:
    """A copy of an armature object that Blender's IK poses; ``idle``: seconds an update takes without IK."""

    rig: Rig
    ob: Object
    scene: Scene
    pulls: list[Pull]
    idle: float = 0.0

    def solve(self, skeleton: Skeleton, start: Pose, targets: Targets, iterations: int) -> tuple[Pose, float]:
        """Return the pose found from ``start`` and the seconds it took; all of one row, armature space."""
        write_pose(self.rig, self.ob, _with_roots_on_targets(self.rig, skeleton, start, targets))
        self._place(targets)
        self._weigh(targets)
        self._limit(iterations)
        self.update_idle()
        seconds = self.update()
        evaluated = self.ob.evaluated_get(self.scene.view_layers[0].depsgraph)
        frame = present_frame(self.rig, evaluated)
        return pose_of(self.rig, [frame], skeleton), max(seconds - self.idle, 0.0)

    def update(self) -> float:
        """Let Blender evaluate the copy, and return the seconds."""
        self.ob.update_tag(refresh={'DATA'})
        begin = perf_counter()
        self.scene.view_layers[0].update()
        return perf_counter() - begin

    def update_idle(self) -> float:
        """Let Blender evaluate the copy without IK, and return the seconds."""
        for pull in self.pulls:
            pull.constraint.mute = True
        seconds = self.update()
        for pull in self.pulls:
            pull.constraint.mute = False
        return seconds

    def _place(self, targets: Targets) -> None:
        turns = quaternion_to_matrix(targets.rotations[0])
        points = points_of(self.rig.effectors, targets.offsets)[0]
        for pull in self.pulls:
            turn, point = turns[pull.number], points[pull.number]
            away = np.zeros(3) if pull.end is None else pull.end - point
            place = Matrix.Translation(targets.positions[0, pull.number] + turn @ away)
            pull.goal.matrix_world = self.ob.matrix_world @ place @ Matrix(turn.tolist()).to_4x4()

    def _weigh(self, targets: Targets) -> None:
        weights = weights_of(self.rig.effectors, targets.weights)[0]
        shares = weights / (weights.max(initial=0.0) or 1.0)
        for pull in self.pulls:
            place, turn = shares[pull.number].tolist()
            pull.constraint.use_location, pull.constraint.weight = place > 0, place
            pull.constraint.use_rotation, pull.constraint.orient_weight = turn > 0, turn

    def _limit(self, iterations: int) -> None:
        for pull in self.pulls:
            pull.constraint.iterations = iterations
        if self.ob.pose.ik_solver == 'ITASC':
            self.ob.pose.ik_param.iterations = min(iterations, _MOST_ITASC_ITERATIONS)


@contextmanager
def scratch_copy(rig: Rig, ob: Object, solver: str) -> Iterator[ScratchCopy]:
    """Set up a copy of the armature object for one of ``SOLVERS``, for as long as the block runs."""
    scene = bpy.data.scenes.new("Superpose Comparison")
    try:
        copy = _copied(ob, scene)
        say_limits(ob, copy)
        say_stiffness(rig, copy)
        copy.pose.ik_solver = solver
        if solver == 'ITASC':
            copy.pose.ik_param.precision = _ITASC_PRECISION
        found = [_pull(rig, copy, number) for number in range(len(rig.effectors))]
        still = ScratchCopy(rig, copy, scene, [pull for pull in found if pull])
        still.update_idle()  # the first one builds the graph
        yield replace(still, idle=median(still.update_idle() for _ in range(_IDLE_RUNS)))
    finally:
        # Removing the scene on its own crashes Blender 4.3 where there is no window manager.
        bpy.data.batch_remove([*scene.objects, scene])


def blender_ignores(rig: Rig, ob: Object) -> tuple[str, ...]:
    """Return what of the problem Blender's IK cannot express, in words."""
    effectors = rig.effectors
    roots = rig.parents[rig.places] < 0
    partial = [e.rotation_weight > 0 and not all(e.rotation_axes) for e in effectors]
    chains = [_chain(rig, place) for place in rig.places.tolist()]
    apart = [_apart(ob.pose.bones[e.bone], e) for e in compress(effectors, ~roots)]
    reasons = {
        "The root is not moved": rig.free_location.any() and not roots.any(),
        "All axes count": not rig.position_axes.all() or any(partial),
        "Pinned effectors count like others": len({e.rank for e in effectors}) > 1,
        "Pass Through makes no difference": any(e.falloff != 1 for e in effectors),
        "Of bones that are only placed, heads or tails meet targets": max(apart, default=0) > 1e-4,
        "Bones that may not turn are only stiff": any(rig.stiffness[bone] == 1 for bone in chain(*chains)),
        f"Chains end after {_LONGEST} bones": max(map(len, chains)) > _LONGEST,
        "Ignores limits that are no ranges of angles": unsaid(ob, rig.names),
    }
    return tuple(words for words, holds in reasons.items() if holds)


def _copied(ob: Object, scene: Scene) -> Object:
    copy = ob.copy()
    scene.collection.objects.link(copy)
    copy.animation_data_clear()
    copy.constraints.clear()
    copy.parent = None
    copy.matrix_world = ob.matrix_world
    for owner in (copy, *copy.pose.bones):
        owner.property_unset("superpose")
    return copy


def _with_roots_on_targets(rig: Rig, skeleton: Skeleton, start: Pose, targets: Targets) -> Pose:
    """Return the pose (one row) with the roots that are effectors where their targets are."""
    rotations, translations = start.rotations.copy(), start.translations.copy()
    turns, heads = forward(skeleton, start)
    counts = weights_of(rig.effectors, targets.weights)[0] > 0
    points = points_of(rig.effectors, targets.offsets)[0]
    for number, place in enumerate(rig.places):
        if rig.parents[place] >= 0:
            continue
        turn = turns[:, place]
        if counts[number, 1] and rig.stiffness[place] < 1:
            back = conjugate(matrix_to_quaternion(turn))
            wanted = targets.rotations[:, number]
            rotations[:, place] = multiply(rotations[:, place], multiply(back, wanted))
            turn = quaternion_to_matrix(wanted)
        if counts[number, 0]:
            point = heads[:, place] + turn @ points[number]
            translations[:, place] += matvec(skeleton.freedom[place], targets.positions[:, number] - point)
    return Pose(rotations, translations)


def _pull(rig: Rig, copy: Object, number: int) -> Pull | None:
    """Return what comes nearest to what is asked of an effector; None where no bone could follow."""
    effector, place = rig.effectors[number], rig.places[number]
    bone = copy.pose.bones[effector.bone]
    uses_tail = _uses_tail(bone, effector)
    length = len(_chain(rig, place)) - (not uses_tail)
    if length <= 0:
        return None
    constraint = bone.constraints.new('IK')
    constraint.target = goal = bpy.data.objects.new("Superpose Comparison", None)
    copy.users_scene[0].collection.objects.link(goal)
    constraint.chain_count = length
    constraint.use_stretch = False
    constraint.use_tail = uses_tail
    return Pull(number, constraint, goal, _end(bone, effector))


def _chain(rig: Rig, place: int) -> list[int]:
    """Return the bones up to the root that turn for an effector.

    Without the root, if that is put onto a target of its own; and without those at the upper end that may not
    turn.
    """
    way = rig.way_up(place)
    own = [effector for effector, at in zip(rig.effectors, rig.places, strict=True) if at == way[-1]]
    is_put = rig.free_location[way[-1]].any() or any(effector.rotation_weight > 0 for effector in own)
    turned = way[: len(way) - int(bool(own) and is_put)]
    while turned and rig.stiffness[turned[-1]] == 1:
        turned.pop()
    return turned


def _uses_tail(bone: PoseBone, effector: Effector) -> bool:
    """Return whether the constraint is about the bone's tail rather than its head.

    One with a rotation has to be, as otherwise the chain would end before the bone that is turned.
    """
    return effector.rotation_weight > 0 or effector.offset[1] > 0.5 * bone.length


def _apart(bone: PoseBone, effector: Effector) -> float:
    """Return how far a point that is only placed is from the end that Blender puts there, in bone lengths."""
    if effector.rotation_weight > 0:
        return 0.0
    end = (0.0, bone.length if _uses_tail(bone, effector) else 0.0, 0.0)
    return float(norm(np.subtract(effector.offset, end))) / bone.length


def _end(bone: PoseBone, effector: Effector) -> Array | None:
    """Return the end of the bone that Blender's constraint is about; None for one that only places."""
    return None if effector.rotation_weight == 0 else np.array([0.0, bone.bone.length, 0.0])
