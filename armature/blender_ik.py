# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own inverse kinematics on the same problem, to compare with: on a copy, in a scene of its own.

A root that is an effector is put onto its target by copying constraints; every other effector has an IK
constraint whose chain ends there. The user's scene is not touched; copy and scene go when it is over.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import bpy
import numpy as np
from bpy.types import Constraint, Object, PoseBone, Scene
from mathutils import Matrix

from ..solvers import Effector, Pose, Skeleton, Targets
from ..solvers.rotation import Array, quaternion_to_matrix
from .frame import present_frame
from .rig import Rig
from .stacking import pose_of
from .write import write_pose

SOLVERS = {'LEGACY': "Blender Standard", 'ITASC': "Blender iTaSC"}
_ITASC_PRECISION = 1e-5  # Blender's default, 0.005, is meant for speed
_MOST_ITASC_ITERATIONS = 1000
_IDLE_RUNS = 9


@dataclass(frozen=True, eq=False)
class StandIn:
    """A copy of an armature object that Blender's IK poses.

    ``goals``: an empty for each effector; ``tails`` (effectors, 3): from the effector's point to where the
    empty belongs, in the bone's frame; ``idle``: seconds an update takes without IK.
    """

    rig: Rig
    ob: Object
    scene: Scene
    goals: list[Object]
    constraints: list[Constraint]
    tails: Array
    idle: float = 0.0

    def solve(self, skeleton: Skeleton, start: Pose, targets: Targets, iterations: int) -> tuple[Pose, float]:
        """Return the pose found from ``start`` and the seconds it took; all of one row, armature space."""
        write_pose(self.rig, self.ob, start)
        self._place(targets)
        self._limit(iterations)
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

    def _place(self, targets: Targets) -> None:
        turns = quaternion_to_matrix(targets.rotations[0])
        points = targets.positions[0] + (turns @ self.tails[..., None])[..., 0]
        for goal, point, turn in zip(self.goals, points, turns, strict=True):
            place = Matrix.Translation(point.tolist()) @ Matrix(turn.tolist()).to_4x4()
            goal.matrix_world = self.ob.matrix_world @ place

    def _limit(self, iterations: int) -> None:
        for constraint in self.constraints:
            if constraint.type == 'IK':
                constraint.iterations = iterations
        if self.ob.pose.ik_solver == 'ITASC':
            self.ob.pose.ik_param.iterations = min(iterations, _MOST_ITASC_ITERATIONS)


@contextmanager
def stand_in(rig: Rig, ob: Object, solver: str) -> Iterator[StandIn]:
    """Set up a copy of the armature object for one of ``SOLVERS``, for as long as the block runs."""
    scene = bpy.data.scenes.new("Superpose Comparison")
    try:
        copy = _copied(ob, scene)
        copy.pose.ik_solver = solver
        if solver == 'ITASC':
            copy.pose.ik_param.precision = _ITASC_PRECISION
        goals = [_empty(scene) for _ in rig.effectors]
        settings = zip(rig.effectors, rig.places, goals, strict=True)
        constraints = [made for item in settings for made in _constrain(rig, copy, *item)]
        tails = np.array([_tail(copy.pose.bones[e.bone], e) for e in rig.effectors])
        idle = _idle_seconds(rig, copy, scene, constraints)
        yield StandIn(rig, copy, scene, goals, constraints, tails, idle)
    finally:
        # Removing the scene on its own crashes Blender 4.3 where there is no window manager.
        bpy.data.batch_remove([*scene.objects, scene])


def blender_ignores(rig: Rig) -> tuple[str, ...]:
    """Return what of the problem Blender's IK cannot express, in words."""
    effectors = rig.effectors
    roots = rig.parents[rig.places] < 0
    partial = [e.rotation_weight > 0 and not all(e.rotation_axes) for e in effectors]
    reasons = {
        "The root is not moved": rig.free_location.any() and not roots.any(),
        "All axes count": not rig.position_axes.all() or any(partial),
        "Pass Through makes no difference": any(e.falloff != 1 for e in effectors),
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


def _empty(scene: Scene) -> Object:
    empty = bpy.data.objects.new("Superpose Comparison", None)
    scene.collection.objects.link(empty)
    return empty


def _constrain(rig: Rig, copy: Object, effector: Effector, place: int, goal: Object) -> list[Constraint]:
    """Give the effector's bone the constraints that come nearest to what is asked of it."""
    bone = copy.pose.bones[effector.bone]
    if rig.parents[place] < 0:
        wanted = {
            'COPY_LOCATION': effector.position_weight > 0 and rig.free_location[place].any(),
            'COPY_ROTATION': effector.rotation_weight > 0,
        }
        made = [bone.constraints.new(kind) for kind, holds in wanted.items() if holds]
    else:
        tail = _uses_tail(bone, effector)
        length = _chain_length(rig, place) - (not tail)
        made = [_ik(rig, bone, effector, tail, length)] if length else []
    for constraint in made:
        constraint.target = goal
    return made


def _ik(rig: Rig, bone: PoseBone, effector: Effector, tail: bool, length: int) -> Constraint:
    constraint = bone.constraints.new('IK')
    constraint.chain_count = length
    constraint.use_stretch = False
    constraint.use_tail = tail
    constraint.use_location = effector.position_weight > 0
    constraint.use_rotation = effector.rotation_weight > 0
    heaviest = max(max(e.position_weight, e.rotation_weight) for e in rig.effectors)
    constraint.weight = effector.position_weight / heaviest
    constraint.orient_weight = effector.rotation_weight / heaviest
    return constraint


def _chain_length(rig: Rig, place: int) -> int:
    """Return how many bones there are up to the root, without it where it has a target of its own."""
    length = 1
    while rig.parents[place] >= 0:
        place, length = rig.parents[place], length + 1
    return length - int(place in rig.places)


def _uses_tail(bone: PoseBone, effector: Effector) -> bool:
    """Return whether the constraint is about the bone's tail rather than its head.

    One with a rotation has to be, as otherwise the chain would end before the bone that is turned.
    """
    return effector.rotation_weight > 0 or effector.offset[1] > 0.5 * bone.length


def _tail(bone: PoseBone, effector: Effector) -> Array:
    """Return the way from the effector's point to the end that Blender's constraint is about."""
    if bone.parent is None or effector.rotation_weight == 0:
        return -np.array(effector.offset) if effector.rotation_weight > 0 else np.zeros(3)
    return np.array([0.0, bone.bone.length, 0.0]) - effector.offset


def _idle_seconds(rig: Rig, copy: Object, scene: Scene, constraints: list[Constraint]) -> float:
    """Return the median time of an update with the constraints switched off."""
    still = StandIn(rig, copy, scene, [], [], np.zeros((0, 3)))
    for constraint in constraints:
        constraint.mute = True
    still.update()  # the first one builds the graph
    idle = median(still.update() for _ in range(_IDLE_RUNS))
    for constraint in constraints:
        constraint.mute = False
    still.update()
    return idle
