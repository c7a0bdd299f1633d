# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as Blender calls it, without a program of its own, and the files that it leaves."""

from importlib import import_module

import bpy
import figures


def answer(addon, capfd, *arguments):
    """Return the exit code, standard output and standard error."""
    capfd.readouterr()
    try:
        code = import_module(f"{addon.name}.command").run([str(argument) for argument in arguments])
    except SystemExit as end:
        code = end.code
    return code, *capfd.readouterr()


def keys_in(path, name="Figure"):
    """The keys of the armature's action in a file."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return figures.keys(bpy.data.objects[name].animation_data.action)


def beside(path):
    return sorted(place.name for place in path.parent.iterdir())


def content(path):
    return path.read_bytes() if path.exists() else None


def saved(ob, path):
    """A file with the object active, and an empty beside it."""
    bpy.ops.object.empty_add()
    figures.make_active(ob)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path
