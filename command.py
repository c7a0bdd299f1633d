# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``blender -b FILE --command superpose ...``: what can be had of Superpose without a window."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from math import nan
from pathlib import Path

import bpy
from bpy.types import Object, Property


class CommandError(Exception):
    """A command that cannot be carried out: why, in a sentence."""


def run(arguments: list[str]) -> int:
    """Carry out a command; returns the exit code: 0, or 1 where it failed and standard error says why.

    Arguments that make no sense end the program with 2, and a sentence too.
    """
    options = parser().parse_args(arguments)
    try:
        options.command(options)
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    except RuntimeError:  # an operator's refusal, which Blender has printed
        return 1
    return 0


def parser() -> ArgumentParser:
    program = ArgumentParser(prog="blender -b FILE --command superpose")
    commands = program.add_subparsers(required=True, metavar="COMMAND")
    compare_parser = commands.add_parser(
        "compare", usage="%(prog)s [OPTION ...]", help="run every solver on the same problems"
    )
    compare_parser.set_defaults(command=compare)
    add = compare_parser.add_argument
    add("--armature", metavar="NAME", help="an armature object with effectors (default: the active object)")
    add("--problems", choices=("present", "random", "clip"), default="present", help="what solvers are asked")
    add_number(compare_parser, "count", "how many random problems")
    add_number(compare_parser, "seed", "another seed, other random problems")
    add("--on-its-own", action="store_true", help="begin each frame of a clip at its own pose")
    add_number(compare_parser, "iterations", "the most that each solver may take")
    add_number(compare_parser, "seconds", "how long each may take for a problem")
    add("--without-blender", action="store_true", help="leave Blender's own solvers out")
    add("--output", metavar="FOLDER", default="", help="where to save (default: beside the .blend file)")
    return program


def add_number(to: ArgumentParser, name: str, what: str) -> None:
    """Add an option that is a number of the operator: its range and its default are the operator's."""
    number = bpy.ops.superpose.compare_solvers.get_rna_type().properties[name]
    read, help_text = partial(number_from, number), f"{what} (default: {number.default:g})"
    to.add_argument(f"--{name}", type=read, default=number.default, help=help_text)


def number_from(number: Property, text: str) -> float:
    """Return the number that the text says; raises ArgumentTypeError if the operator would not take it."""
    kind, what, form = (int, "a whole number", "d") if number.type == 'INT' else (float, "a number", "g")
    try:
        value = kind(text)
    except ValueError:
        value = nan
    if not number.hard_min <= value <= number.hard_max:
        ends = f"from {number.hard_min:{form}} to {number.hard_max:{form}}"
        raise ArgumentTypeError(f"'{text}' is not {what} {ends}")
    return value


def compare(options: Namespace) -> None:
    """Compare the solvers, and print the table; raises CommandError, and RuntimeError as operators do."""
    ob = armature(options.armature)
    # Without a window there is no active object but the one given here.
    here = bpy.context.temp_override(object=ob, active_object=ob, selected_objects=[ob])
    with here, redirect_stdout(sys.stderr):  # what operators report is no part of the table
        why = bpy.types.SUPERPOSE_OT_compare_solvers.refusal(bpy.context)
        if why:
            raise CommandError(why)
        with made(Path(options.output).resolve() if options.output else None) as folder:
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
        print(f"{who.name:32} {who.solved:5.0%} solved  {who.milliseconds:9.3f} ms  worst {who.gap}")


@contextmanager
def made(folder: Path | None) -> Iterator[str]:
    """Make a folder where there is none, and take it back where nothing comes of it; gives its path.

    Raises CommandError.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()] if folder else []
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"The folder '{folder}' cannot be made: {error.strerror}") from error
    try:
        yield str(folder or "")
    except RuntimeError:
        for place in missing:
            if not any(place.iterdir()):
                place.rmdir()
        raise


def armature(name: str | None) -> Object:
    """Return the named armature, or the one that was active, or whose target was, when the file was saved.

    Raises CommandError.
    """
    if not bpy.data.filepath:  # where Blender cannot open the file it goes on with its own scene
        raise CommandError("No .blend file is open")
    objects = bpy.context.view_layer.objects
    if name is None:
        if objects.active is None:
            raise CommandError("No object is active in this file: name an armature with --armature")
        return objects.active.superpose.rig or objects.active  # looking stores something, but nobody saves it
    named = next((ob for ob in objects if ob.name == name), None)
    if named is None:
        raise CommandError(f"There is no object '{name}' in the scene '{bpy.context.scene.name}'")
    if named.type != 'ARMATURE':
        raise CommandError(f"'{name}' is not an armature")
    return named


_registered = []


def register() -> None:
    _registered.append(bpy.utils.register_cli_command("superpose", run))


def unregister() -> None:
    bpy.utils.unregister_cli_command(_registered.pop())
