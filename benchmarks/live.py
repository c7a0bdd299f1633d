"""Part: one target of the human metarig dragged there and back in Blender, the body following live.

What is timed is an update of the view layer after the target has moved, everything included, as a viewport
pays it for every move of the mouse. Blender's own solver follows the same target by its constraints.

``mouse``: 300 moves as of a mouse, within human limits, and what of their time is ours: reading, solving,
writing. Beside it, in the same run, Blender's evaluation of the scene with nothing live, and its standard
solver for the cold body at 0.4 rad. ``long``: 5,000 such moves, whose time and memory should stay level.
"""

from time import process_time

import bpy
import numpy as np

from . import blender_ik, own
from .kinematics import rotation_angle
from .metrics import residuals, solved
from .problems import reachable_poses, targets_of
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
MOUSE = {  # effector and way, metres; 50 moves each, there and back
    "hand, within reach": ("hand.L", (-0.2, -0.2, 0.2)),
    "hand, out of reach": ("hand.L", (0.5, -0.3, 0.9)),
    "hips, down": ("spine", (0.0, 0.0, -0.2)),
    "head, forward": ("spine.006", (0.0, -0.2, -0.1)),
    "foot, forward and up": ("foot.L", (0.1, -0.3, 0.3)),
    "other hand, across": ("hand.R", (0.4, -0.3, -0.1)),
}
MOVES, LONG = 25, 5000


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
        "mean miss mm": 1e3 * float(metres.max(axis=1).mean()),
        "largest turn deg": float(turns.max()),
        "there and back deg, median": float(np.median(ways)),
        "worst": float(ways.max()),
    }


def ready_for_the_mouse(comfort):
    """The metarig within human limits, live, and the targets of its six effectors."""
    armature_object, rig = add_human_metarig()
    own.enable_extension()
    empties = own.set_up_drag(armature_object, METARIG_EFFECTORS, comfort)
    bpy.context.view_layer.update()
    return armature_object, rig, empties


def points(way):
    """How far (2 MOVES, 3) an empty is from where it began, there and back."""
    along = np.concatenate([np.arange(1, MOVES + 1), np.arange(MOVES - 1, -1, -1)]) / MOVES
    return along[:, None] * np.array(way)


def dragged(armature_object, rig, empty, way):
    """Seconds of our code (moves,) in each move by part, and poses (moves, bones, 4, 4)."""
    begin, poses, order = empty.location.copy(), [], blender_ik.bone_order(armature_object, rig)
    seconds = {"all": [], "solve": [], "write": []}
    with own.parts_timed() as timed:
        for point in points(way):
            empty.location = begin + type(begin)(point)
            bpy.context.view_layer.update()
            poses.append(blender_ik.read_pose(armature_object, order))
            for part, values in seconds.items():
                values.append(sum(timed[part]))
                timed[part].clear()
    return {part: np.array(values) for part, values in seconds.items()}, np.array(poses)


def evaluation(rig, empty, armature_object):
    """Seconds that Blender takes for the scene, the armature posed anew, with nothing live."""
    seconds = []
    for point in points((0.1, 0.0, 0.0)):
        empty.location.x += point[0] / MOVES
        armature_object.pose.bones[rig.names[0]].location.x += 1e-6
        begin = process_time()
        bpy.context.view_layer.update()
        seconds.append(process_time() - begin)
    return float(np.median(seconds))


def standard_cold():
    """Seconds of Blender's standard solver for the cold body at 0.4 rad: the unit of the marks."""
    armature_object, rig = add_human_metarig()
    targets = targets_of(rig, reachable_poses(rig, 0.4, count=40))
    return float(np.median(blender_ik.solve(armature_object, rig, targets)[1]))


def mouse_row(name, unit, seconds, rig, poses, effector, way):
    """One line of the table of moves; times also in the ``unit`` of the same run."""
    bone = list(rig.names).index(effector)
    wanted = rig.rest[bone, :3, 3] + points(way)
    misses = np.linalg.norm(poses[:, bone, :3, 3] - wanted, axis=-1)
    turns = np.swapaxes(poses[: MOVES - 1, :, :3, :3], -1, -2) @ poses[-2 : MOVES - 1 : -1, :, :3, :3]
    ways = np.degrees(rotation_angle(turns)).max(axis=1)
    return timed_row(name, unit, seconds) | {
        "miss mm, median": 1e3 * float(np.median(misses)),
        "miss mm, worst": 1e3 * float(misses.max()),
        "there and back deg, median": float(np.median(ways)),
        "worst": float(ways.max()),
    }


def timed_row(name, unit, seconds):
    """The times of a line."""
    reading = seconds["all"] - seconds["solve"] - seconds["write"]
    ninety = float(np.percentile(seconds["all"], 95))
    median = float(np.median(seconds["all"]))
    return {
        "drag": name,
        "ms median": 1e3 * median,
        "ms 95th": 1e3 * ninety,
        "of standard, median": median / unit,
        "of standard, 95th": ninety / unit,
        "solve ms": 1e3 * float(np.median(seconds["solve"])),
        "read ms": 1e3 * float(np.median(reading)),
        "write ms": 1e3 * float(np.median(seconds["write"])),
    }


def by_mouse(comfort):
    """The lines of 300 moves: each drag, then all of them and what Blender takes beside."""
    unit = standard_cold()
    armature_object, rig, empties = ready_for_the_mouse(comfort)
    kind, rows, every = ", comfort" if comfort else "", [], []
    for name, (effector, way) in MOUSE.items():
        seconds, poses = dragged(armature_object, rig, empties[effector], way)
        rows.append(mouse_row(name + kind, unit, seconds, rig, poses, effector, way))
        every.append(seconds)
    whole = {part: np.concatenate([seconds[part] for seconds in every]) for part in every[0]}
    armature_object.superpose_live = False
    own_ms = 1e3 * evaluation(rig, empties["hand.L"], armature_object)
    figures = {"standard, cold, ms": 1e3 * unit, "evaluation ms": own_ms}
    none = dict.fromkeys(rows[0].keys() - timed_row("", unit, whole).keys(), "")
    return [*rows, timed_row(f"all{kind}", unit, whole) | none], figures


def resident():
    """Megabytes that the process has in memory (Linux)."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 2**20


def long_rows():
    """Lines of every thousand of many moves round a circle."""
    empty, rows = ready_for_the_mouse(comfort=False)[2]["hand.L"], []
    begin = empty.location.copy()
    for first in range(0, LONG, 1000):
        with own.parts_timed() as timed:
            for move in range(first, first + 1000):
                angle = 2 * np.pi * move / 100
                empty.location = begin + type(begin)((0.1 * np.cos(angle) - 0.1, 0.1 * np.sin(angle), 0.05))
                bpy.context.view_layer.update()
        median = 1e3 * float(np.median([second for second in timed["all"] if second > 1e-3]))
        rows.append({"moves": first + 1000, "ms median": median, "memory MB": resident()})
    return rows


def main():
    """Measure both on every drag, then the moves of a mouse."""
    solvers = {"standard": by_blender, "superpose": by_superpose}
    publish(
        "live",
        [row(drag, name, *solve(*way)) for drag, way in DRAGS.items() for name, solve in solvers.items()],
    )
    main_of_the_mouse()
    publish("live, long", long_rows())


def main_of_the_mouse():
    """Measure 300 moves, without and with comfort."""
    rows, beside = [], []
    for comfort in (False, True):
        lines, figures = by_mouse(comfort)
        rows += lines
        beside.append(figures)
    publish("live, mouse", rows)
    publish("live, beside", beside)
