"""Part: one target of the human metarig dragged there and back in Blender, the body following live.

What is timed is an update of the view layer after the target has moved, everything included, as a viewport
pays it for every move of the mouse. Blender's own solver follows the same target by its constraints.
"""

import bpy
import numpy as np

from . import blender_ik, own
from .kinematics import rotation_angle
from .metrics import residuals, solved
from .report import publish
from .rigs import METARIG_EFFECTORS, add_human_metarig

STEPS = 60
DRAGS = {  # effector and way, metres
    "hand, within reach": ("hand.L", (-0.2, -0.2, 0.2)),
    "hand, far away": ("hand.L", (1.5, 0.0, 1.0)),
    "hips, down": ("spine", (0.0, 0.0, -0.4)),
    "hips, aside": ("spine", (0.3, 0.0, 0.0)),
    "foot, forward and up": ("foot.L", (0.1, -0.3, 0.4)),
    "head, forward": ("spine.006", (0.0, -0.2, -0.1)),
}


def there_and_back(rig, effector, way):
    """Target matrices (2 STEPS + 1, effectors, 4, 4): one leaves its rest place and comes back."""
    along = np.concatenate([np.arange(STEPS + 1), np.arange(STEPS - 1, -1, -1)]) / STEPS
    targets = np.tile(rig.rest[rig.effectors], (len(along), 1, 1, 1))
    targets[:, METARIG_EFFECTORS.index(effector), :3, 3] += along[:, None] * np.array(way)
    return targets


def follow(armature_object, rig, empties, goals):
    """Pose matrices (frames, bones, 4, 4) and seconds (frames,) of one update per row of goals."""
    order, poses, seconds = blender_ik.bone_order(armature_object, rig), [], []
    for matrices in goals:
        blender_ik.place(empties, matrices)
        seconds.append(blender_ik.timed_update())
        poses.append(blender_ik.read_pose(armature_object, order))
    return np.array(poses), np.array(seconds)


def by_blender(effector, way):
    """What Blender's standard solver makes of a drag: the rig, targets, poses and seconds."""
    armature_object, rig = add_human_metarig()
    empties = blender_ik.add_constraints(armature_object, rig)
    targets = there_and_back(rig, effector, way)
    goals = blender_ik.goals(armature_object, rig, targets)
    return rig, targets, *follow(armature_object, rig, empties, goals)


def by_superpose(effector, way):
    """What live posing makes of it."""
    armature_object, rig = add_human_metarig()
    own.enable_extension()
    empties = [blender_ik.add_target(rig.names[index]) for index in rig.effectors]
    targets = there_and_back(rig, effector, way)
    goals = np.array(armature_object.matrix_world) @ targets
    blender_ik.place(empties, goals[0])
    bpy.context.view_layer.update()
    own.set_up_live(armature_object, rig, empties)
    return rig, targets, *follow(armature_object, rig, empties, goals)


def row(drag, solver, rig, targets, poses, seconds):
    """One line of the table; the first frame, in which nothing has moved, is not timed."""
    metres, _ = residuals(rig, poses, targets)
    turns = np.degrees(rotation_angle(np.swapaxes(poses[1:, :, :3, :3], -1, -2) @ poses[:-1, :, :3, :3]))
    apart = np.swapaxes(poses[: STEPS + 1, :, :3, :3], -1, -2) @ poses[: STEPS - 1 : -1, :, :3, :3]
    ways = np.degrees(rotation_angle(apart)).max(axis=1)
    return {
        "drag": drag,
        "solver": solver,
        "ms median": 1e3 * float(np.median(seconds[1:])),
        "ms 95th": 1e3 * float(np.percentile(seconds[1:], 95)),
        "solved %": 100 * float(solved(rig, poses, targets).mean()),
        "mean gap mm": 1e3 * float(metres.max(axis=1).mean()),
        "largest turn deg": float(turns.max()),
        "there and back deg, median": float(np.median(ways)),
        "worst": float(ways.max()),
    }


def main():
    """Measure both on every drag."""
    solvers = {"standard": by_blender, "superpose": by_superpose}
    publish(
        "live",
        [row(drag, name, *solve(*way)) for drag, way in DRAGS.items() for name, solve in solvers.items()],
    )
