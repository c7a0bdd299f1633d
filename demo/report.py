# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demo measured, as a table for people and as JSON for programs."""

import importlib
import json
import platform
from time import perf_counter

import bpy
import numpy as np
from metarig import EFFECTORS, height, target

STATURE = 1.75  # residuals are given for a figure of this height, in metres


def stopwatch(work):
    """Return what the work returns, and its seconds."""
    start = perf_counter()
    result = work()
    return result, perf_counter() - start


def stages(rig, package):
    """Bake the scene's frames step by step, and return the seconds of each step."""
    seam, solvers = (importlib.import_module(f"{package}.{part}") for part in ("armature", "solvers"))
    scene, plan = bpy.context.scene, seam.read_rig(rig)
    numbers = range(scene.frame_start, scene.frame_end + 1)

    def read():
        frames = []
        with seam.present_frame_kept(scene):
            for number in numbers:
                scene.frame_set(number)
                frames.append(seam.read_frame(plan, rig, bpy.context.evaluated_depsgraph_get()))
        return frames, seam.stack(plan, frames, seam.settings_of(rig))

    def write():
        seam.write_keys(rig, plan, numbers, seam.channels(plan, frames, solution.pose), 'NEW')

    (frames, request), reading = stopwatch(read)
    solution, solving = stopwatch(
        lambda: solvers.solve_clip(request.skeleton, request.pose, request.effectors, request.targets)
    )
    _, writing = stopwatch(write)
    return {"read": reading, "solve": solving, "write": writing}


def pairs(rig):
    """Return the world matrices of each effector's bone and target."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    body = rig.evaluated_get(depsgraph)
    bones = [body.matrix_world @ body.pose.bones[name].matrix for name in EFFECTORS]
    goals = [target(rig, name).evaluated_get(depsgraph).matrix_world for name in EFFECTORS]
    return list(zip(bones, goals, strict=True))


def residuals(rig):
    """Return what is left on every frame of the baked clip, (frames, effectors) each: metres and degrees.

    It is read back from Blender's own evaluated matrices, whatever the solver said.
    """
    scene, scale = bpy.context.scene, STATURE / height(rig)
    left = []
    for number in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(number)
        left.append([residual(bone, goal) for bone, goal in pairs(rig)])
    distances, angles = np.moveaxis(np.array(left), -1, 0)
    return distances * scale, np.degrees(angles)


def jolts(rig):
    """Return ``{"degrees", "bone", "frame"}``: whose turning changes most from frame to frame.

    Frames are solved each on its own, so this says whether they fit together.
    """
    scene, names, turns = bpy.context.scene, [bone.name for bone in rig.pose.bones], []
    for number in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(number)
        turns.append([bone.matrix_basis.to_quaternion()[:] for bone in rig.pose.bones])
    turns = np.array(turns)
    cosines = np.abs((turns[1:] * turns[:-1]).sum(axis=-1)).clip(0.0, 1.0)
    changes = np.abs(np.diff(np.degrees(2.0 * np.arccos(cosines)), axis=0))
    row, column = np.unravel_index(changes.argmax(), changes.shape)
    return {"degrees": changes.max(), "bone": names[column], "frame": int(row) + scene.frame_start + 2}


def residual(bone, goal):
    """Return the distance and the angle between two matrices, their scale left aside."""
    turn = bone.to_quaternion().rotation_difference(goal.to_quaternion())
    angle = 2.0 * np.arctan2(np.linalg.norm(turn[1:]), abs(turn.w))
    return (bone.translation - goal.translation).length, angle


def summary(rig, seconds, source, left):
    """Return everything that was measured, ready for JSON; ``left``: the two arrays of residuals()."""
    distances, angles = left
    frames = len(distances)
    figures = {"mm": 1000.0 * distances, "degrees": angles}
    return {
        "clip": source,
        "blender": bpy.app.version_string,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "frames": frames,
        "frames_per_second": bpy.context.scene.render.fps,
        "figure_metres": STATURE,
        "worst": {unit: float(values.max()) for unit, values in figures.items()},
        "mean": {unit: float(values.mean()) for unit, values in figures.items()},
        "effectors": {
            name: {unit: float(values[:, column].max()) for unit, values in figures.items()}
            for column, name in enumerate(EFFECTORS)
        },
        "frames_within_1_mm_and_0.1_degrees": int(((distances < 1e-3) & (angles < 0.1)).all(axis=1).sum()),
        "largest_jolt": jolts(rig),
        "seconds": seconds,
        "milliseconds_per_frame": {stage: 1000.0 * value / frames for stage, value in seconds.items()},
    }


def to_markdown(facts, notes):
    """Return the report as a page."""
    rows = [(name, left["mm"], left["degrees"]) for name, left in facts["effectors"].items()]
    rows.append(("**worst**", facts["worst"]["mm"], facts["worst"]["degrees"]))
    rows.append(("mean", facts["mean"]["mm"], facts["mean"]["degrees"]))
    lines = "\n".join(f"| {name} | {distance:.4f} | {angle:.4f} |" for name, distance, angle in rows)
    jolt = facts["largest_jolt"]
    times = "\n".join(
        f"| {stage} | {value:.3f} | {facts['milliseconds_per_frame'][stage]:.3f} |"
        for stage, value in facts["seconds"].items()
    )
    return f"""# {facts["clip"]}

Blender {facts["blender"]}, numpy {facts["numpy"]}, Python {facts["python"]}, {facts["machine"]}.
{facts["frames"]} frames at {facts["frames_per_second"]} a second, of which
{facts["frames_within_1_mm_and_0.1_degrees"]} meet every target within 1 mm and 0.1 degrees.

Largest distance from effector to target over the clip, read back from Blender after the bake, for a figure
of {facts["figure_metres"]} m:

| effector | mm | degrees |
|---|---:|---:|
{lines}

Smoothness: the turn of a bone from one frame to the next changes by {jolt["degrees"]:.1f} degrees at most
({jolt["bone"]} at frame {jolt["frame"]}). Much more than its target changes means that the body jumps there.

| stage | seconds | ms per frame |
|---|---:|---:|
{times}

The steps were timed in a run of their own: read all frames, solve them together, write each curve once.
{notes}"""


def write(folder, facts, notes):
    """Leave report.md and report.json."""
    (folder / "report.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(to_markdown(facts, notes), encoding="utf-8")
