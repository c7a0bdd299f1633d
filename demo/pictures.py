# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render stills of the demo's file without a window, and put them on one sheet.

A process of its own: where the graphics library is missing, Blender does not say so but crashes.
"""

import os
import sys
from pathlib import Path
from traceback import print_exc

import bpy
import numpy as np

STILLS, COLUMNS = 9, 3


def render(frame, file):
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.filepath = str(file)
    bpy.ops.render.render(write_still=True)


def pixels(file):
    """Return a picture's rows from the bottom up, (height, width, 4)."""
    image = bpy.data.images.load(str(file))
    width, height = image.size
    values = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(height, width, 4)


def save(values, file, kind='PNG'):
    height, width, _ = values.shape
    image = bpy.data.images.new(file.stem, width, height, alpha=True)
    image.pixels.foreach_set(np.ascontiguousarray(values, dtype=np.float32).ravel())
    image.filepath_raw, image.file_format = str(file), kind
    image.save()


def sheet(files, shrink=2):
    """Return the pictures side by side, in rows from the top, each a fraction of its size."""
    tiles = [pixels(file)[::-1] for file in files]
    height, width = (size // shrink * shrink for size in tiles[0].shape[:2])
    small = [
        tile[:height, :width].reshape(height // shrink, shrink, width // shrink, shrink, 4).mean(axis=(1, 3))
        for tile in tiles
    ]
    rows = [np.concatenate(small[i : i + COLUMNS], axis=1) for i in range(0, len(small), COLUMNS)]
    return np.concatenate(rows)[::-1]


def main():
    folder = Path(os.environ["DEMO_OUT"])
    bpy.ops.wm.open_mainfile(filepath=str(folder / "demo.blend"))
    scene = bpy.context.scene
    frames = np.linspace(scene.frame_start, scene.frame_end, STILLS + 2).round().astype(int)[1:-1]
    files = [folder / f"frame_{frame:04d}.png" for frame in frames]
    for frame, file in zip(frames.tolist(), files, strict=True):
        render(frame, file)
    save(sheet(files), folder / "sheet.png")


if __name__ == "__main__":
    code = 1
    try:
        main()
        code = 0
    except Exception:
        print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
