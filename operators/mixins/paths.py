# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that users give to operators."""

from pathlib import Path

import bpy

from ...armature import RigError


def path_from(given: str) -> Path:
    """Return the path that was given; `//` begins it in the .blend file's folder.

    Raises RigError where the file is not saved yet and so has no folder: Blender would take the working one.
    """
    if given.startswith("//") and not bpy.data.filepath:
        raise RigError("This file is not saved yet and has no folder: save it first")
    return Path(bpy.path.abspath(given))
