# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One piece of work of a run: an armature, one output."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from errno import ENOSPC
from pathlib import Path
from threading import Event

import bpy
from bpy.types import Object

from ..files import check_name, path_text, replaced, write_text
from .armatures import armature_meant, choice_kept, chosen
from .clips import followed, imported
from .errors import CommandError, explained, sentence
from .kinds import KINDS
from .locks import held
from .options import numbers_of
from .records import Record, described, is_taken, read_record, record_path

MANIFEST = Path(__file__).resolve().parent.parent / "blender_manifest.toml"


@dataclass(frozen=True)
class Task:
    """What is to be done, as text that one Blender can hand to another. Paths are absolute.

    - ``kind``: one of ``KINDS``; ``properties``: those of a bake
    - ``file``: a .blend file, and ``armature``: the one in it, by name or None
    - ``clip``: a BVH file to be followed by that armature or, without a ``file``, to be worked on itself
    - ``output``: the file to write
    - ``replaces``: an output that is there and was not made so may be replaced
    - ``levels``: a tilted floor of the clip is made level
    """

    kind: str
    file: str
    clip: str
    output: str
    armature: str | None
    properties: dict[str, object]
    replaces: bool
    levels: bool = True

    @property
    def words(self) -> str:
        """What messages call it."""
        return path_text(Path(self.output).name)

    @property
    def paths(self) -> list[Path]:
        """What is read and what is made."""
        read = [Path(path) for path in (self.file, self.clip) if path]
        return [*read, Path(self.output)]

    @classmethod
    def from_text(cls, text: str) -> "Task":
        """Return the task that another Blender has written."""
        return cls(**json.loads(text))

    def as_text(self) -> str:
        """Return the task as JSON, for another Blender."""
        return json.dumps(asdict(self))


def made_from(task: Task) -> Record:
    """Return what the output is made from. Raises CommandError where it cannot be read."""
    asked = {"kind": task.kind, "armature": task.armature, "properties": task.properties, "by": version()}
    asked |= {"levels": task.levels} if task.clip else {}
    read = {"file": task.file, "clip": task.clip}
    return asked | {name: described(Path(path)) if path else None for name, path in read.items()}


def version() -> str:
    """Return which Superpose this is: another may make another output of the same."""
    return f"Superpose {tomllib.loads(MANIFEST.read_text(encoding='utf-8'))['version']}"


def finished(task: Task) -> Record | None:
    """Return the record of a task that is done already; raises CommandError where its output is another's."""
    output = Path(task.output)
    with explained(f"'{path_text(output)}' cannot be written"):
        check_name(output)
        check_name(record_path(output))
    record, made = read_record(output), made_from(task)
    if record is not None:
        if task.file == task.output:  # the file that it was made from is gone
            made["file"] = record["made_from"]["file"]
        if record["made_from"] == made:
            return record
    if output.exists() and not task.replaces:
        raise CommandError(f"'{path_text(output)}' is there already, made from something else: see --replace")
    if is_taken(output) and (task.file == task.output or not task.replaces):
        told = f"'{path_text(record_path(output))}' is there already, and is no record of an output"
        raise CommandError(f"{told}: move it, or see --replace")
    return None


def carry_out(task: Task, interrupt: Event) -> Record:
    """Do the task unless it is done, and return its record.

    Raises CommandError, and RuntimeError as operators do; then all files are as they were.
    """
    with held(Path(task.output)):
        record = finished(task)
        if record is None:
            made = made_from(task)
            check(interrupt)
            ob, told = opened(task)
            numbers = numbers_of("bake", task.properties)
            check(interrupt)
            with chosen(ob):
                report = KINDS[task.kind](ob, task.properties)
            report["notes"] = told + report["notes"]
            if task.clip:
                keep_to(numbers)
            check(interrupt)
            record = save(task, made, report)
        return record


def opened(task: Task) -> tuple[Object, list[str]]:
    """Open what is worked on; returns the armature, and what is to be told of it.

    Raises CommandError, and RuntimeError as Blender does.
    """
    if not task.file:
        bpy.ops.wm.read_homefile(use_empty=True)
        return imported(Path(task.clip)), []
    bpy.ops.wm.open_mainfile(filepath=task.file, load_ui=True)  # which the output has, too
    check_age(task)
    ob = armature_meant(task.armature, needs_effectors=task.kind == "bake")
    if not task.clip:
        return ob, []
    with choice_kept():
        leader = imported(Path(task.clip))
    return ob, followed(ob, leader, task.levels)


def check_age(task: Task) -> None:
    """Raise CommandError where a file would be written over that a newer Blender has saved."""
    saved, own = (".".join(map(str, by[:2])) for by in (bpy.data.version, bpy.app.version))
    if task.file == task.output and bpy.data.version[:2] > bpy.app.version[:2]:
        told = f"'{task.words}' was saved by Blender {saved}, and this is {own}"
        raise CommandError(f"{told}: what is new in it would be lost, so name another --output")


def keep_to(numbers: Sequence[int]) -> None:
    """Have the scene show the frames of the clip that were done."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = numbers[0], numbers[-1]


def check(interrupt: Event) -> None:
    """Raise CommandError where the program was interrupted."""
    if interrupt.is_set():
        raise CommandError("Interrupted")


def save(task: Task, made: Record, report: Record) -> Record:
    """Save the open file as the output, its record first: none is ever without. Raises CommandError."""
    output = Path(task.output)
    with explained(f"'{path_text(output)}' cannot be written"), replaced(output) as part:
        save_as(part)
        record = {"made_from": made, "output": described(part, output.name), "report": report}
        write_text(record_path(output), json.dumps(record, indent=1) + "\n")
    return record


def save_as(path: Path) -> None:
    """Save a copy of the open file. Raises OSError."""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    except RuntimeError as error:
        raise OSError(0, sentence(error)) from error
    finally:
        path.with_name(f"{path.name}@").unlink(missing_ok=True)  # what Blender itself writes first
    check_whole(path)


def check_whole(path: Path) -> None:
    """Raise OSError unless the .blend file is there to its end: Blender 5.0 does not see a full disk."""
    try:
        with bpy.data.libraries.load(str(path)):
            pass
    except (OSError, RuntimeError) as error:
        raise OSError(ENOSPC, "It could not be written to its end") from error
