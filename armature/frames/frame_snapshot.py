# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one frame looks like: everything that may be animated, read from one evaluated dependency graph."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import radians

import numpy as np
from bpy.types import Depsgraph, Object

from ...solvers.geometry import Array
from ..bone_columns import bone_column
from ..errors import RigError
from ..joints.turns import by_rotation_path
from ..rig.extent import Values, figure_extent
from ..rig.rig import Rig
from ..rig.varying import frame_weights
from .standstill import check_evaluated

# A smaller miss is not seen in a figure on a screen: this part of the figure's size, and this angle.
VISIBLE_DISTANCE = 5e-4
VISIBLE_TURN = radians(0.1)
_IDENTITY = np.eye(4)
_NO_GOALS = {
    "goal_targets": np.empty((0, 4, 4)),
    "goal_influences": np.empty(0),
    "goal_values": np.empty((0, 0)),
}
_NOTHING_ASKED = {
    "targets": np.empty((0, 4, 4)),
    "influences": np.empty(0),
    "weights": np.empty((0, 2)),
    "offsets": np.empty((0, 3)),
    **_NO_GOALS,
}


@dataclass(frozen=True, eq=False)
class FrameSnapshot:
    """Blender's own values of one frame.

    Those of bones are in single precision, as Blender has them, since clips are long. ``column`` makes
    float64 of them, to count with.

    - ``armature_to_world`` (4, 4)
    - ``matrices`` (bones, 4, 4): bone to armature; ``carriers`` (roots, 4, 4): unsolved parent to armature,
      the identity where there is none
    - ``rotations`` (bones, 4): channels in the bone's own rotation mode, Euler angles padded with 0;
      ``locations`` and ``scales`` (bones, 3): channels
    - ``targets`` (effectors, 4, 4): target to world; ``influences`` (effectors,): 0 without a target
    - ``weights`` (effectors, 2): factors on the rig's weights of position and rotation
    - ``offsets`` (effectors, 3): the points that should meet targets, in the bones' frames
    - ``goal_targets`` (goals, 4, 4): the scene's own axes for goals without; ``goal_influences`` (goals,)
    - ``goal_values`` (goals, most): what else of a goal can be keyed, in the order of its kind, padded with 0
    - ``extent``: how large the figure is along one of the armature's axes, in the armature's units. It is how
      far the heads of all bones are apart, and at most four times what it is for those that are solved: bones
      that are parked far away are no part of the figure. Heads that are not finite count as zero. Where all
      heads are in one place it is the length of the longest bone.
    """

    armature_to_world: Array
    matrices: Values
    carriers: Values
    rotations: Values
    locations: Values
    scales: Values
    targets: Array
    influences: Array
    weights: Array
    offsets: Array
    goal_targets: Array
    goal_influences: Array
    goal_values: Array
    extent: float

    def asked_as(self, other: "FrameSnapshot") -> "FrameSnapshot":
        """Return the frame with what is asked of the body in the other one."""
        return replace(self, **{name: getattr(other, name) for name in _NOTHING_ASKED})

    def has_pose_of(self, other: "FrameSnapshot") -> bool:
        """Return whether all channels are those of the other frame, to the bit."""
        names = ("rotations", "locations", "scales")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)


def figure_extents(frames: Sequence[FrameSnapshot]) -> Array:
    """Return how large the figure is (frames,), in the armature's units."""
    return np.array([frame.extent for frame in frames])


def column(frames: Sequence[FrameSnapshot], name: str) -> Array:
    """Return what the frames have under this name (frames, ...), as float64."""
    return np.array([getattr(frame, name) for frame in frames], dtype=np.float64)


def read_frame(rig: Rig, ob: Object, depsgraph: Depsgraph) -> FrameSnapshot:
    """Return the armature object and its targets as evaluated; raises RigError naming what is not."""
    check_evaluated(rig, ob, depsgraph.view_layer)
    return evaluated_frame(rig, ob, depsgraph)


def evaluated_frame(rig: Rig, ob: Object, depsgraph: Depsgraph) -> FrameSnapshot:
    """Return what ``read_frame`` does where it is known that all of it is evaluated."""
    return _pose(rig, ob.evaluated_get(depsgraph), _read_asked(rig, ob, depsgraph))


def aimed_frame(frame: FrameSnapshot, rig: Rig, ob: Object, depsgraph: Depsgraph) -> FrameSnapshot:
    """Return the frame with targets as evaluated and channels as they are; all else as it was read before."""
    return replace(present_pose(frame, rig, ob), **_read_asked(rig, ob, depsgraph))


def present_pose(frame: FrameSnapshot, rig: Rig, ob: Object) -> FrameSnapshot:
    """Return the frame with channels as they are; all else as it was read before."""
    return replace(frame, **_channels(rig, ob, len(ob.pose.bones)))


def present_frame(rig: Rig, ob: Object) -> FrameSnapshot:
    """Return the armature object as last evaluated, with its present channels and without targets."""
    return _pose(rig, ob, _NOTHING_ASKED)


def _pose(rig: Rig, ob: Object, asked: dict[str, Array]) -> FrameSnapshot:
    count = len(ob.pose.bones)  # which Blender counts anew whenever it is asked
    matrices = bone_column(ob.pose.bones, "matrix", 16, count).reshape(-1, 4, 4).transpose(0, 2, 1)
    hangs_on = rig.carriers[rig.parents < 0]
    carriers, solved = matrices[hangs_on], matrices[rig.indices]
    carriers[hangs_on < 0] = _IDENTITY
    return FrameSnapshot(
        armature_to_world=np.array(ob.matrix_world, dtype=np.float64),
        matrices=solved,
        carriers=carriers,
        **asked,
        extent=figure_extent(matrices[:, :3, 3], solved[:, :3, 3]) or float(rig.lengths.max(initial=0.0)),
        **_channels(rig, ob, count),
    )


def _channels(rig: Rig, ob: Object, count: int) -> dict[str, Values]:
    return {
        "rotations": _rotation_channels(rig, ob, count),
        "locations": bone_column(ob.pose.bones, "location", 3, count)[rig.indices],
        "scales": bone_column(ob.pose.bones, "scale", 3, count)[rig.indices],
    }


def _rotation_channels(rig: Rig, ob: Object, count: int) -> Values:
    """Return the rotation channels (bones, 4) in each bone's own mode; Euler angles are padded with 0."""
    rotations = np.zeros((len(rig.names), 4), np.float32)
    for name, chosen in by_rotation_path(rig.modes).items():
        width = 3 if name == "rotation_euler" else 4
        rotations[chosen, :width] = bone_column(ob.pose.bones, name, width, count)[rig.indices[chosen]]
    return rotations


def _read_asked(rig: Rig, ob: Object, depsgraph: Depsgraph) -> dict[str, Array]:
    """Return what is asked of the body, by the names of ``_NOTHING_ASKED``."""
    return _read_targets(rig, ob, depsgraph) | _read_goals(rig, ob, depsgraph)


def _read_targets(rig: Rig, ob: Object, depsgraph: Depsgraph) -> dict[str, Array]:
    matrices, influences = [_IDENTITY] * len(rig.effectors), np.zeros(len(rig.effectors))
    for row, bone in enumerate(rig.effector_bones(ob)):
        if rig.targetless[row]:
            continue
        settings, words = bone.superpose, rig.targets[row]
        if settings.target is None:
            raise RigError(f"The target {words} is gone")
        matrices[row] = _target_matrix(settings.target, settings.target_bone, words, depsgraph)
        # Blender copies animated values back; the evaluated copy misses what a script has just set.
        influences[row] = bone.superpose_influence
    return {
        "targets": np.array(matrices, np.float64).reshape(-1, 4, 4),
        "influences": influences,
        **_read_varying(rig, ob),
    }


def _read_varying(rig: Rig, ob: Object) -> dict[str, Array]:
    if not rig.varying.any():
        return rig.lasting
    weights, offsets = (values.copy() for values in rig.lasting.values())
    bones = rig.effector_bones(ob)
    for row in np.flatnonzero(rig.varying.any(axis=1)).tolist():
        bone = bones[row]
        weights[row] = frame_weights(bone, rig.varying[row])
        if rig.varying[row, 2]:
            offsets[row] = rig.axis_signs[row] * np.array(bone.superpose_offset)
    return {"weights": weights, "offsets": offsets}


def _read_goals(rig: Rig, ob: Object, depsgraph: Depsgraph) -> dict[str, Array]:
    if not rig.goals:
        return _NO_GOALS
    matrices, goals = [_IDENTITY] * len(rig.goals), [ob.superpose.goals[one.index] for one in rig.goals]
    for row, (setting, goal) in enumerate(zip(rig.goals, goals, strict=True)):
        if setting.has_target:
            words = f"of {setting.words}"
            if goal.target is None:
                raise RigError(f"The target {words} is gone")
            matrices[row] = _target_matrix(goal.target, goal.target_bone, words, depsgraph)
    values = [setting.values(goal) for setting, goal in zip(rig.goals, goals, strict=True)]
    return {
        "goal_targets": np.array(matrices, np.float64).reshape(-1, 4, 4),
        "goal_influences": np.array([goal.influence for goal in goals], np.float64),
        "goal_values": np.array(list(zip(*zip_longest(*values, fillvalue=0.0), strict=True)), np.float64),
    }


def _target_matrix(target: Object, bone: str, words: str, depsgraph: Depsgraph) -> Array:
    evaluated = target.evaluated_get(depsgraph)
    if not bone:
        return np.array(evaluated.matrix_world)
    pose_bone = evaluated.pose.bones.get(bone) if evaluated.pose else None
    if pose_bone is None:
        raise RigError(f"The target {words} is gone")
    return np.array(evaluated.matrix_world, dtype=np.float64) @ np.array(pose_bone.matrix)
