# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``blender -b FILE --command superpose ...``: what can be had of Superpose without a window."""

import sys
from argparse import ArgumentParser

import bpy

from . import baking, comparison, inspection, smoothing, task_of_run
from .errors import FAILED, CommandError


def run(arguments: list[str]) -> int:
    """Carry out a command; returns the exit code: 0, or 1 where it failed and standard error says why.

    3 where what was made misses what ``--strict`` asks for. Arguments that make no sense end the program with
    2, and a sentence too.
    """
    options = parser().parse_args(arguments)
    try:
        return options.command(options)
    except CommandError as error:
        print(error, file=sys.stderr)
        return FAILED
    except RuntimeError:
        return FAILED  # an operator's refusal, which Blender has printed


def parser() -> ArgumentParser:
    """Return what takes arguments apart; each command adds its own options."""
    program = ArgumentParser(prog="blender -b FILE --command superpose")
    commands = program.add_subparsers(required=True, metavar="COMMAND")
    for part in (baking, smoothing, inspection, comparison, task_of_run):
        part.add(commands)
    return program


_registered = []


def register() -> None:
    _registered.append(bpy.utils.register_cli_command("superpose", run))


def unregister() -> None:
    bpy.utils.unregister_cli_command(_registered.pop())
