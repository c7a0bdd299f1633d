# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips drawn over their frames, as SVG files."""

import json
from argparse import ArgumentParser
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import bpy

from ..files import path_text, write_text
from ..reports import clip_picture, from_json
from ..solvers.comparison import to_svg
from .errors import CommandError, explained
from .places import check_place
from .records import Record


def add_svg(to: ArgumentParser) -> None:
    """Add the option that says where pictures go."""
    to.add_argument("--svg", metavar="PATH", help="draw clips: the .svg file, or the folder for several")


def check_pictures(given: str | None, names: Sequence[str], taken: Collection[Path]) -> None:
    """Raise CommandError where several pictures would be one file, or one cannot be written in its place."""
    if given is None:
        return
    if is_picture(given) and len(names) > 1:
        raise CommandError(f"--svg: {len(names)} pictures are drawn, but '{given}' is one: name a folder")
    paths = [picture_path(given, name) for name in names]
    for path in paths:
        if paths.count(path) > 1:
            raise CommandError(f"--svg: several pictures would be written as '{path.name}'")
        check_place(path, "SVG", taken)


def is_picture(given: str) -> bool:
    """Return whether a path names one picture, and no folder."""
    return Path(given).suffix.lower() == ".svg"


def picture_path(given: str, name: str) -> Path:
    """Return where the picture of the name goes: to the .svg file given, or into the folder."""
    place = Path(given)
    return place if is_picture(given) else place / f"{bpy.path.clean_name(name)}.svg"


def draw_clips(clips: Mapping[str, Record], given: str | None) -> None:
    """Draw clips, reports as JSON by the name that a file of its own has. Raises CommandError."""
    for name, clip in clips.items() if given is not None else ():
        path = picture_path(given, name)
        with explained(f"'{path_text(path)}' cannot be written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, to_svg(clip_picture(from_json(json.dumps(clip)))))
