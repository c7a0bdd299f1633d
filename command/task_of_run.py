# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``superpose task``: one task of a run that another Blender has started. No help tells of it."""

import json
import os
from _thread import interrupt_main
from argparse import Namespace, _SubParsersAction
from pathlib import Path
from threading import Thread
from time import sleep

from ..interrupts import interrupts
from .answers import chatter_diverted
from .errors import DONE, FAILED
from .results import State
from .tasks import Task
from .work import attempt

PATIENCE = 20.0  # seconds in which a task that was told to stop should


def add(commands: _SubParsersAction) -> None:
    """Add the command to the program's."""
    parser = commands.add_parser("task")
    parser.add_argument("task")
    parser.add_argument("answer", type=Path)
    parser.set_defaults(command=do_task)


def do_task(options: Namespace) -> int:
    """Do the task, and write its result."""
    with chatter_diverted(), interrupts() as interrupt:
        Thread(target=stop_with_input, daemon=True).start()
        result = attempt(Task.from_text(options.task), interrupt)
    options.answer.write_text(json.dumps(result.as_json()), encoding="utf-8")
    return FAILED if result.state == State.FAILED else DONE


def stop_with_input() -> None:
    """Wait until who has started this program ends, or wants it to end, and stop it."""
    while os.read(0, 1):  # sys.stdin would be in the way of the program's end
        pass
    interrupt_main()
    sleep(PATIENCE)
    os._exit(FAILED)
