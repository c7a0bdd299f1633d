# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison leaves behind: the table as CSV and JSON, the plot as SVG and as an image in Blender."""

import platform
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

import bpy
import numpy as np
from bpy.types import Image, Object

from ...armature import RigError
from ...files import path_text, write_text
from ...solvers.comparison import Drawing, Trace, convergence_plot, to_csv, to_json, to_svg
from ..lettering import painted
from ..mixins.paths import path_from

_DRAWN = 0.2  # seconds after which a new window knows how large it is


@dataclass(frozen=True)
class Files:
    """The files of one comparison."""

    table: Path
    document: Path
    plot: Path
    picture: Path


def check_folder(directory: str) -> Path:
    """Return the folder to write to: the given one, or the .blend file's. Raises RigError."""
    folder = path_from(directory or "//")
    if not folder.is_dir():
        raise RigError(f"There is no folder '{path_text(folder)}'")
    try:
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise RigError(f"Nothing can be saved in '{path_text(folder)}': {error.strerror}") from error
    return folder


def write_files(folder: Path, ob: Object, about: dict, rows: list[dict], traces: list[Trace]) -> Files:
    """Write table and plot, named after the .blend file and the armature. Raises RigError."""
    name = bpy.path.clean_name(f"{Path(bpy.data.filepath).stem} {ob.name} solvers".strip())
    files = Files(*(folder / f"{name}.{suffix}" for suffix in ("csv", "json", "svg", "png")))
    blender, python = bpy.app.version_string, platform.python_version()
    about = {"armature": ob.name, **about, "blender": blender, "python": python, "numpy": np.__version__}
    plot = convergence_plot(traces, f"{ob.name}: {about['problems']}", "scene units")
    try:
        write_text(files.table, to_csv(rows))
        write_text(files.document, to_json(about, rows, traces))
        write_text(files.plot, to_svg(plot))
        save_picture(plot, files.picture)
    except OSError as error:
        raise RigError(
            f"Table and plot cannot be saved in '{path_text(folder)}': {error.strerror}"
        ) from error
    return files


def save_picture(drawing: Drawing, path: Path) -> None:
    """Paint the drawing and save it as PNG. Raises RigError."""
    pixels = painted(drawing)
    image = bpy.data.images.new("Superpose Plot", drawing.width, drawing.height)
    try:
        image.pixels.foreach_set(pixels.ravel())
        image.file_format, image.filepath_raw = 'PNG', str(path)
        image.save()
    except RuntimeError as error:
        raise RigError(f"'{path_text(path)}' cannot be written") from error
    finally:
        bpy.data.images.remove(image)


def shown_image(path: Path) -> Image:
    """Return the picture as an image in Blender; one of an earlier comparison is loaded anew."""
    image = bpy.data.images.load(str(path), check_existing=True)
    image.reload()
    return image


def show_soon(image: Image) -> None:
    """Open the image once the operator has ended: Blender never ends a modal one that changes the window."""
    bpy.app.timers.register(partial(_show, image.name))


def _show(name: str) -> None:
    """Open the image in an image editor: one that is there, or a new window."""
    windows = bpy.context.window_manager.windows
    areas = [area for window in windows for area in window.screen.areas]
    editor = next((area for area in areas if area.type == 'IMAGE_EDITOR'), None)
    if editor is None:
        with bpy.context.temp_override(window=windows[0]):
            bpy.ops.wm.window_new()
        editor = windows[-1].screen.areas[0]
        editor.type = 'IMAGE_EDITOR'
    editor.spaces.active.image = bpy.data.images[name]
    bpy.app.timers.register(partial(_fit, name), first_interval=_DRAWN)


def _fit(name: str) -> None:
    """Have editors show the whole image."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            shown = area.spaces.active.image if area.type == 'IMAGE_EDITOR' else None
            if shown is not None and shown.name == name:
                region = next(region for region in area.regions if region.type == 'WINDOW')
                with bpy.context.temp_override(window=window, area=area, region=region):
                    bpy.ops.image.view_all(fit_view=True)
                area.tag_redraw()
