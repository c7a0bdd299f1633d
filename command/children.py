# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks in Blenders of their own, several at a time: bpy is for one thread alone."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import bpy

from . import wheel
from .results import Result, read_result
from .tasks import Task

LOOK = 0.2  # seconds between two looks at the keyboard


@dataclass
class Children:
    """Blenders at work. Each stops when its standard input ends, as it does if this program is killed."""

    folder: Path
    running: dict[int, subprocess.Popen] = field(default_factory=dict)
    is_stopped: bool = False

    def carry_out(self, number: int, task: Task) -> Result:
        """Have a Blender do the task, its error stream with ours, and return what came of it."""
        answer = self.folder / f"{number}.json"
        if self.is_stopped:
            return Result.failed(task, "Interrupted")
        try:
            child = started(command_line(task, answer))
        except OSError as error:
            told = f"Blender cannot be started: {error.strerror}"
            print(f"{task.words}: {told}", file=sys.stderr, flush=True)
            return Result.failed(task, told)
        self.running[number] = child
        for said in child.stderr:
            print(f"{task.words}: {said}", end="", file=sys.stderr, flush=True)
        code = child.wait()
        del self.running[number]
        with suppress(BrokenPipeError):
            child.stdin.close()
        return read_result(answer) or Result.failed(task, f"Blender ended with {code} and no answer")

    def stop(self) -> None:
        """Have all end as soon as they can leave everything as it was."""
        self.is_stopped = True
        for child in list(self.running.values()):
            with suppress(OSError):
                child.stdin.close()


def carry_out_all(tasks: Sequence[Task], jobs: int, interrupt: Event) -> Iterator[Result]:
    """Have the tasks done, so many at a time; gives results as they come."""
    with (
        TemporaryDirectory(prefix="superpose-") as folder,
        ThreadPoolExecutor(jobs) as pool,
    ):
        children = Children(Path(folder))
        pending = {pool.submit(children.carry_out, number, task) for number, task in enumerate(tasks)}
        while pending:
            done, pending = wait(pending, LOOK, FIRST_COMPLETED)
            yield from map(Future.result, done)
            if interrupt.is_set():
                children.stop()


def started(line: list[str]) -> subprocess.Popen:
    """Return a program at work, whose error stream is read as it comes. Raises OSError."""
    return subprocess.Popen(
        line,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )


def command_line(task: Task, answer: Path) -> list[str]:
    """Return what starts a Blender, with the options of this one, that does the task and writes an answer."""
    asked = ["task", task.as_text(), str(answer)]
    if not bpy.app.binary_path:  # a wheel
        return [sys.executable, wheel.__file__, __package__.rpartition(".")[0], *asked]
    own = sys.argv[1 : sys.argv.index("--command")] if "--command" in sys.argv else ["-b"]
    options = [option for option in own if not option.endswith(".blend")]
    return [bpy.app.binary_path, *options, "--command", "superpose", *asked]
