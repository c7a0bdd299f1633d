# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the demo's file and report, inside Blender or with its wheel; demo/run.sh calls it.

Reads the environment: SUPERPOSE_ZIP, DEMO_OUT, and for a clip MOTION and its options (see mocap.py).
"""

import os
import sys
from pathlib import Path
from traceback import print_exc

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
import clip
import figure
import metarig
import mocap
import numpy as np
import report
import scene

PACKAGE = "bl_ext.user_default.superpose"


def install(zip_file):
    """Install the extension from its zip as a user would, and switch it on."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.extensions.package_install_files(
        filepath=zip_file, repo="user_default", enable_on_install=True, overwrite=True
    )
    if PACKAGE not in bpy.context.preferences.addons:
        raise SystemExit(f"{zip_file} did not install")


def follow_formulas(rig):
    """Animate the targets with our own clip; returns its name and what to say about it."""
    rests = {name: metarig.rest(rig, name) for name in metarig.EFFECTORS}
    shoulders = {side: metarig.rest(rig, f"upper_arm.{side}")[:3, 3] for side in "LR"}
    tracks = clip.targets(rests, shoulders)
    timeline = bpy.context.scene
    timeline.render.fps, timeline.frame_start = clip.RATE, 1
    timeline.frame_end = len(tracks["spine"])
    for name, matrices in tracks.items():
        metarig.animate(metarig.target(rig, name), matrices, timeline.frame_start)
    return "Three steps, a lunge and a long reach", ""


def bake(rig, source):
    """Bake, measure, and return the facts."""
    seconds = report.stages(rig, PACKAGE)
    bpy.data.actions.remove(rig.animation_data.action)
    bpy.ops.superpose.reset()
    metarig.bend(rig)
    _, seconds["the operator, all together"] = report.stopwatch(lambda: bpy.ops.superpose.bake(range='SCENE'))
    return report.summary(rig, seconds, source, report.residuals(rig))


def paths(rig):
    """Return where the targets are on every frame, (frames, effectors, 3)."""
    timeline, places = bpy.context.scene, []
    for number in range(timeline.frame_start, timeline.frame_end + 1):
        timeline.frame_set(number)
        places.append([goal.translation.copy() for _, goal in report.pairs(rig)])
    return np.array(places, dtype=float)


def stage(rig):
    """Put up everything that makes the clip worth looking at."""
    bpy.context.view_layer.objects.active = rig
    body, props = scene.collection("Body"), scene.collection("Stage")
    figure.dress(rig, body)
    places = paths(rig)
    for column, name in enumerate(metarig.EFFECTORS):
        goal = metarig.target(rig, name)
        scene.mark(goal, 0.13, props)
        if name.startswith("hand"):
            scene.trace(f"{name} path", places[:, column], goal.color, props)
    scene.lay_floor(places[:, 0].mean(axis=0), props)
    scene.film(places, props)
    scene.light(bpy.context.scene)
    scene.open_on_camera()
    rig.hide_render = True


def main():
    folder = Path(os.environ["DEMO_OUT"])
    install(os.environ["SUPERPOSE_ZIP"])
    rig = metarig.add_metarig()
    source, notes = mocap.follow(rig, PACKAGE) if os.environ.get("MOTION") else follow_formulas(rig)
    facts = bake(rig, source)
    stage(rig)
    report.write(folder, facts, notes)
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "demo.blend"), compress=True)


def leave(code):
    """End at once: with add-ons switched on, some wheels crash or hang on Python's own way out."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    try:
        main()
    except SystemExit as refusal:
        print(refusal)
        leave(1)
    except Exception:
        print_exc()
        leave(1)
    leave(0)
