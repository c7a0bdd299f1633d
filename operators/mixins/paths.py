# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that users give to operators, and how messages show them."""

import os
from pathlib import Path
from shutil import copymode

import bpy

from ...armature import RigError


def path_from(given: str) -> Path:
    """Return the path that was given; `//` begins it in the .blend file's folder.

    Raises RigError where the file is not saved yet and so has no folder: Blender would take the working one.
    """
    if given.startswith("//") and not bpy.data.filepath:
        raise RigError("This file is not saved yet and has no folder: save it first")
    return Path(bpy.path.abspath(given))


def write_text(path: Path, text: str) -> None:
    """Write the text to the file, whole or not at all. Raises OSError."""
    path = path.resolve()  # what a link leads to is written, and the link stays
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        if path.exists():
            copymode(path, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def path_text(path: str | Path) -> str:
    """Return the path for a message; what of it is no UTF-8, which no message could show, is marked."""
    return os.fsencode(path).decode("utf-8", "replace")
