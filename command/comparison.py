# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``superpose compare``: every solver on the same problems of an armature."""

import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import bpy

from ..files import real_path
from .armatures import armature, chosen
from .errors import DONE, CommandError, explained
from .options import add_option
from .places import removed_if_empty


def add(commands: _SubParsersAction) -> None:
    """Add the command to the program's."""
    parser = commands.add_parser(
        "compare", usage="%(prog)s [OPTION ...]", help="run every solver on the same problems"
    )
    parser.set_defaults(command=compare)
    add = parser.add_argument
    add("--armature", metavar="NAME", help="an armature object with effectors (default: the active object)")
    add(
        "--problems",
        choices=("present", "random", "clip"),
        default="present",
        help="which problems the solvers get",
    )
    add_number(parser, "count", "how many random problems")
    add_number(parser, "seed", "another seed gives other random problems")
    add("--on-its-own", action="store_true", help="begin each frame of a clip at its own pose")
    add_number(parser, "iterations", "most iterations of each solver")
    add_number(parser, "seconds", "how many seconds each solver may take for a problem")
    add("--without-blender", action="store_true", help="leave Blender's own solvers out")
    add("--output", metavar="FOLDER", default="", help="where to save (default: beside the .blend file)")


def add_number(to: ArgumentParser, name: str, what: str) -> None:
    """Add an option that is a number of the operator: its range and its default are the operator's."""
    number = bpy.ops.superpose.compare_solvers.get_rna_type().properties[name]
    add_option(to, number, f"--{name}", what, default=number.default)


def compare(options: Namespace) -> int:
    """Compare the solvers, and print the table; raises CommandError, and RuntimeError as operators do."""
    ob = armature(options.armature)
    with chosen(ob), redirect_stdout(sys.stderr):  # what operators report is no part of the table
        why = bpy.types.SUPERPOSE_OT_compare_solvers.refusal(bpy.context)
        if why:
            raise CommandError(why)
        with made(real_path(options.output) if options.output else None) as folder:
            bpy.ops.superpose.compare_solvers(
                problems=options.problems.upper(),
                count=options.count,
                seed=options.seed,
                in_sequence=not options.on_its_own,
                iterations=options.iterations,
                seconds=options.seconds,
                use_blender=not options.without_blender,
                directory=folder,
                show=False,
            )
    for who in ob.superpose.contestants:
        print(f"{who.name:32} {who.solved:5.0%} solved  {who.milliseconds:9.3f} ms  worst {who.miss}")
    return DONE


@contextmanager
def made(folder: Path | None) -> Iterator[str]:
    """Make a folder where there is none, and take it back where nothing comes of it; gives its path.

    Raises CommandError.
    """
    if folder is None:
        yield ""
        return
    with removed_if_empty(folder):
        with explained(f"The folder '{folder}' cannot be made"):
            folder.mkdir(parents=True, exist_ok=True)
        yield str(folder)
