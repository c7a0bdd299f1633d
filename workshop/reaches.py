# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw docs/pictures/reaches.jpg, or another file: ``python workshop/reaches.py [FILE.jpg]``.

In a bpy wheel with Blender's graphics libraries, BLENDER_USER_RESOURCES being an empty folder. The poses are
those of tests/blender/test_reaches.py: above without comfort and limits, below as *Set Up Body* leaves them.
"""

import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "reaches.jpg"
WIDTH, HEIGHT, FIGURE = 180, 220, 2.45  # of a picture, pixels; what it shows from top to bottom, metres
MIDDLE = (0.0, -0.15, 0.98)
sys.path[:0] = [str(ROOT), str(ROOT / "demo"), str(ROOT / "tests" / "blender")]

import figure  # noqa: E402
import pictures  # noqa: E402
import scene as stage  # noqa: E402
import test_reaches  # noqa: E402
from addons import Addon  # noqa: E402

from benchmarks import own  # noqa: E402

IN_FRONT, BEHIND = (0.68, -0.7, 0.2), (0.68, 0.7, 0.2)  # where the camera is, seen from the figure
POSES = {
    "overhead": IN_FRONT,
    "deep_squat": IN_FRONT,
    "to_the_toes": IN_FRONT,
    "behind_the_back": BEHIND,
    "high_kick": IN_FRONT,
}
ADDON = Addon("bl_ext.user_default.superpose")


def stand_camera(way):
    """Put up a camera that way from the figure, and the light of the demo."""
    place, scene = stage.collection("Stage"), bpy.context.scene
    camera = stage.add("camera", bpy.data.cameras.new("camera"), (1, 1, 1, 1), place)
    camera.data.type, camera.data.ortho_scale = 'ORTHO', FIGURE
    way = stage.Vector(way)
    camera.rotation_euler = way.to_track_quat('Z', 'Y').to_euler()
    camera.location = stage.Vector(MIDDLE) + 10 * way
    stage.light(scene)
    scene.camera, scene.render.resolution_x, scene.render.resolution_y = camera, 2 * WIDTH, 2 * HEIGHT


def draw(name, eased, file):
    """Render a pose of the metarig, with comfort and limits or without."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.object.armature_human_metarig_add()
    ob = bpy.context.object
    human = test_reaches.Human(ADDON, ob)
    getattr(test_reaches, name)(human)
    ob.superpose.use_comfort = ob.superpose.use_limits = eased
    bpy.context.view_layer.update()
    bpy.ops.superpose.solve()
    figure.dress(ob, stage.collection("Body"))
    stand_camera(POSES[name])
    pictures.render(1, file)


def main(result=PICTURE):
    own.enable_extension()
    Addon("rigify").enable()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for eased in (True, False):  # pictures have their rows from the bottom up
            files = [Path(folder) / f"{name} {eased}.png" for name in POSES]
            for name, file in zip(POSES, files, strict=True):
                draw(name, eased, file)
            row = np.concatenate([pictures.pixels(file) for file in files], axis=1)
            rows.append(row.reshape(HEIGHT, 2, WIDTH * len(files), 2, 4).mean(axis=(1, 3)))
        pictures.save(np.concatenate(rows), Path(result), 'JPEG')


if __name__ == "__main__":
    main(*sys.argv[1:])
