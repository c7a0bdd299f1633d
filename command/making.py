# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands share that write files: bake and smooth."""

import json
import os
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Sequence
from glob import glob
from itertools import product
from pathlib import Path

import bpy

from ..files import real_path
from .answers import check_answer, write_answer
from .errors import DONE, FAILED, MISSED, CommandError
from .options import add_options, frames_given
from .pictures import add_svg, check_pictures, draw_clips
from .places import removed_if_empty
from .results import Result, State
from .tasks import Task
from .work import look, work

CLIPS = {
    "bake": "BVH files; each armature follows each of them, by bones that are the same parts of the body",
    "smooth": "BVH files that are smoothed themselves",
}


def add_arguments(to: ArgumentParser, kind: str, **defaults: object) -> None:
    """Add what is read and written, how, and the options of a bake, with some ``defaults`` of one's own."""
    files, add = to.add_argument_group("files"), to.add_argument
    files.add_argument(
        "--files", nargs="+", metavar="FILE", default=[], help="more .blend files than the open one"
    )
    files.add_argument("--clips", nargs="+", metavar="FILE", default=[], help=CLIPS[kind])
    where = files.add_mutually_exclusive_group(required=True)
    where.add_argument("--output", metavar="PATH", help="the .blend file to write, or the folder for several")
    where.add_argument("--in-place", action="store_true", help="write over the files that were read")
    files.add_argument("--replace", action="store_true", help="write over files that are there already")
    files.add_argument("--json", metavar="FILE", help="write the result to this file, not to standard output")
    add_svg(files)
    whose = "an armature object (default: the active one, or the only one with effectors)"
    add("--armature", metavar="NAME", help=whose)
    if kind == "bake":
        floor = "make the floor level on which feet of a clip stand, if it is tilted by 6 degrees at most"
        add("--level", action=BooleanOptionalAction, default=True, help=f"{floor} (default: yes)")
    several = "how many Blenders work side by side (default: %(default)s)"
    add("--jobs", type=count, metavar="NUMBER", default=os.cpu_count() or 1, help=several)
    add("--dry-run", action="store_true", help="say what would be done, and do nothing")
    add("--strict", action="store_true", help=f"end with {MISSED} where targets are missed or the body jumps")
    add_options(to.add_argument_group("how frames are solved"), "bake", defaults)


def count(text: str) -> int:
    """Return a number from 1 on. Raises ArgumentTypeError."""
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"'{text}' is not a whole number from 1 on")
    return int(text)


def make(kind: str, parser: ArgumentParser, options: Namespace) -> int:
    """Do what the options ask for, tell of it, and return the exit code. Raises CommandError."""
    tasks = tasks_of(kind, parser, options)
    taken = check_answer(options.json, [path for task in tasks for path in task.paths])
    check_pictures(options.svg, [Path(task.output).stem for task in tasks], taken)
    seen = [look(task) for task in tasks]
    with removed_if_empty(Path(tasks[0].output).parent):  # the folder of all, but in place
        results = seen if options.dry_run else work(tasks, seen, options.jobs)
    tell(results, options.json)
    draw_clips({Path(one.output).stem: one.clip for one in results if one.clip}, options.svg)
    if any(result.state == State.FAILED for result in results):
        return FAILED
    return MISSED if options.strict and any(result.is_missed for result in results) else DONE


def tasks_of(kind: str, parser: ArgumentParser, options: Namespace) -> list[Task]:
    """Return what is to be done; ends the program where the options contradict each other."""
    properties = frames_given(parser, options, "bake")
    sources = sources_of(kind, parser, options)
    outputs = (
        [Path(file) for file, _ in sources] if options.in_place else named(options.output, sources, parser)
    )
    replaces, levels = options.replace or options.in_place, getattr(options, "level", True)
    return [
        Task(kind, file, clip, str(output), options.armature, properties, replaces, levels)
        for (file, clip), output in zip(sources, outputs, strict=True)
    ]


def sources_of(kind: str, parser: ArgumentParser, options: Namespace) -> list[tuple[str, str]]:
    """Return the .blend files and clips that are read, "" for none. Raises CommandError.

    Ends the program where clips are to be written in place.
    """
    files = [bpy.data.filepath] if bpy.data.filepath else []
    files, clips = list(dict.fromkeys(files + absolute(options.files))), absolute(options.clips)
    if clips and options.in_place:
        parser.error("--in-place: clips are read only, so name an --output")
    if kind == "smooth":
        found = [*((file, "") for file in files), *(("", clip) for clip in clips)]
    else:
        found = list(product(files, clips or [""]))
    if not found:
        raise CommandError("No .blend file is open")
    return found


def absolute(given: Sequence[str]) -> list[str]:
    """Return the files that names and patterns mean: not every shell takes patterns apart.

    What is there by its very name, such as "shot[1].blend", is no pattern.
    """
    meant = ([name] if os.path.exists(name) else sorted(glob(name)) or [name] for name in given)
    return [str(real_path(file)) for files in meant for file in files]


def named(given: str, sources: Sequence[tuple[str, str]], parser: ArgumentParser) -> list[Path]:
    """Return the outputs; ends the program where they are not one for each source."""
    if not given.strip():
        parser.error("--output: name a .blend file or a folder")
    place = real_path(given)
    if place.suffix.lower() == ".blend":
        if len(sources) > 1:
            parser.error(f"--output: {len(sources)} files are made, and '{given}' is one: name a folder")
        return [place]
    several = len({file for file, _ in sources}) > 1
    outputs = [place / f"{name_of(Path(file), Path(clip), several)}.blend" for file, clip in sources]
    twice = {output.name for output in outputs if outputs.count(output) > 1}
    if twice:
        parser.error(f"--output: several files would be written as '{min(twice)}'")
    return outputs


def name_of(file: Path, clip: Path, several: bool) -> str:
    """Return the name of an output: that of the clip, if there is one, after that of the file if needed."""
    return f"{file.stem}_{clip.stem}" if several and file.stem and clip.stem else clip.stem or file.stem


def tell(results: Sequence[Result], file: str | None) -> None:
    """Write what came of the tasks, as JSON. Raises CommandError."""
    states = {state.value: sum(result.state == state for result in results) for state in State}
    text = json.dumps({**states, "tasks": [result.as_json() for result in results]}, indent=1)
    write_answer(text, file)
