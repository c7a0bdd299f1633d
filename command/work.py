# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks done one after the other or side by side."""

import sys
from collections.abc import Sequence
from threading import Event

from ..armature import RigError
from ..interrupts import interrupts
from .answers import chatter_diverted
from .children import carry_out_all
from .errors import CommandError, sentence
from .results import Result, State
from .tasks import Task, carry_out, finished


def look(task: Task) -> Result:
    """Return how far the task is, without doing anything."""
    try:
        record = finished(task)
    except CommandError as error:
        print(error, file=sys.stderr)
        return Result.failed(task, str(error))
    return Result(task.output, State.KEPT if record else State.OPEN, record)


def attempt(task: Task, interrupt: Event) -> Result:
    """Do the task in this Blender, and return what came of it; the error stream says what went wrong."""
    try:
        record = carry_out(task, interrupt)
    except (CommandError, RigError) as error:
        print(error, file=sys.stderr)
        return Result.failed(task, str(error))
    except RuntimeError as error:  # an operator's refusal, which Blender has printed
        return Result.failed(task, sentence(error))
    return Result(task.output, State.DONE, record)


def work(tasks: Sequence[Task], seen: Sequence[Result], jobs: int) -> list[Result]:
    """Do what is to be done of the tasks, as ``seen``, and return what came of each, in their order."""
    results = {result.output: result for result in seen}
    todo = [task for task in tasks if results[task.output].state == State.OPEN]
    with chatter_diverted(), interrupts() as interrupt:
        if len(todo) == len(tasks) == 1:
            done = [attempt(*todo, interrupt)]
        else:
            done = carry_out_all(todo, jobs, interrupt)
        results |= {result.output: result for result in done}
    return list(results.values())
