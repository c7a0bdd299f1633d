# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``blender -b FILE --command superpose ...``: what can be had of Superpose without a window."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import bpy
from bpy.types import Object


def run(arguments: list[str]) -> int:
    """Carry out a command; returns the exit code."""
    options = parser().parse_args(arguments)
    if options.armature is not None and options.armature not in bpy.data.objects:
        print(f"There is no object '{options.armature}'", file=sys.stderr)
        return 1
    try:
        return options.command(options)
    except RuntimeError:  # an operator's refusal, which Blender has printed
        return 1


def parser() -> ArgumentParser:
    program = ArgumentParser(prog="blender -b FILE --command superpose")
    commands = program.add_subparsers(required=True, metavar="COMMAND")
    compare_parser = commands.add_parser("compare", help="run every solver on the same problems")
    compare_parser.set_defaults(command=compare)
    add = compare_parser.add_argument
    add("--armature", metavar="NAME", help="an armature object with effectors (default: the active object)")
    add("--problems", choices=("present", "random", "clip"), default="present", help="what solvers are asked")
    add("--count", type=int, default=20, help="how many random problems (default: 20)")
    add("--seed", type=int, default=0, help="another seed, other random problems")
    add("--on-its-own", action="store_true", help="begin each frame of a clip at its own pose")
    add("--iterations", type=int, default=200, help="the most that each solver may take (default: 200)")
    add("--seconds", type=float, default=0.5, help="how long each may take for a problem (default: 0.5)")
    add("--without-blender", action="store_true", help="leave Blender's own solvers out")
    add("--output", metavar="FOLDER", default="", help="where to save (default: beside the .blend file)")
    return program


def compare(options: Namespace) -> int:
    """Compare the solvers, and print the table."""
    ob = armature(options.armature)
    folder = str(Path(options.output).resolve()) if options.output else ""
    # Without a window there is no active object but the one given here.
    with bpy.context.temp_override(object=ob, active_object=ob, selected_objects=[ob]):
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
    return 0


def armature(name: str | None) -> Object | None:
    """Return the named object, or the one that was active when the file was saved."""
    return bpy.context.view_layer.objects.active if name is None else bpy.data.objects[name]


_registered = []


def register() -> None:
    _registered.append(bpy.utils.register_cli_command("superpose", run))


def unregister() -> None:
    bpy.utils.unregister_cli_command(_registered.pop())
