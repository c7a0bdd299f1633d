# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as Blender calls it, without a program of its own."""

from importlib import import_module


def answer(addon, capfd, *arguments):
    """Return the exit code, standard output and standard error."""
    capfd.readouterr()
    try:
        code = import_module(f"{addon.name}.command").run([str(argument) for argument in arguments])
    except SystemExit as end:
        code = end.code
    return code, *capfd.readouterr()
