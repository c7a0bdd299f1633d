# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes of a task."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from .records import Record
from .tasks import Task


class State(StrEnum):
    """How far a task is."""

    DONE = "done"
    KEPT = "was done already"
    FAILED = "failed"
    OPEN = "to be done"


@dataclass(frozen=True)
class Result:
    """How far the task for an ``output`` is; the record of what is done, the error of what failed."""

    output: str
    state: State
    record: Record | None = None
    error: str = ""

    @classmethod
    def failed(cls, task: Task, error: str) -> "Result":
        """Return that the task failed, and why."""
        return cls(task.output, State.FAILED, error=error)

    @property
    def is_missed(self) -> bool:
        """Whether targets were missed, or the body jumps."""
        report = self.record["report"] if self.record else {}
        return bool(report.get("missed") or report.get("jumps"))

    @property
    def clip(self) -> Record | None:
        """What the frames left, as JSON."""
        return self.record and self.record["report"]["clip"]

    def as_json(self) -> dict[str, object]:
        """Return the result as values that JSON has."""
        return asdict(self)


def read_result(path: Path) -> Result | None:
    """Return the result that another Blender has written, if it came to that."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):  # ended before it wrote all of it
        return None
    return Result(**{**found, "state": State(found["state"])})
