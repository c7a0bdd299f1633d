# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips drawn over their frames, as SVG files."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

import bpy

from ..files import path_text, write_text
from ..reports import clip_picture, from_json
from ..solvers.comparison import to_svg
from .errors import CommandError, explained
from .records import Record


def add_svg(to: ArgumentParser) -> None:
    """Add the option that says where pictures go."""
    to.add_argument("--svg", metavar="PATH", help="draw clips: the .svg file, or the folder for several")


def check_place(given: str | None, count: int) -> None:
    """Raise CommandError where several pictures would be one file."""
    if given is not None and Path(given).suffix == ".svg" and count > 1:
        raise CommandError(f"--svg: {count} pictures are drawn, and '{given}' is one: name a folder")


def draw_clips(clips: Mapping[str, Record], given: str | None) -> None:
    """Draw clips, reports as JSON by the name that a file of its own has. Raises CommandError."""
    for name, clip in clips.items() if given is not None else ():
        place = Path(given)
        path = place if place.suffix == ".svg" else place / f"{bpy.path.clean_name(name)}.svg"
        with explained(f"'{path_text(path)}' cannot be written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, to_svg(clip_picture(from_json(json.dumps(clip)))))
