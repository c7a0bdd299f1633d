# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command answers: on standard output, where nothing else is said, or in a file."""

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from ..files import path_text, write_text
from .errors import CommandError, explained
from .places import check_place


def check_answer(file: str | None, taken: Collection[Path]) -> list[Path]:
    """Return what is taken with the answer; raises CommandError where ``write_answer`` could not write.

    Or where it would write over one of those that are ``taken`` before.
    """
    if file is not None:
        check_place(Path(file), "JSON", taken)
        return [*taken, Path(file)]
    if sys.stdout is None:
        raise CommandError("Standard output is closed: say with --json where the result goes")
    return [*taken]


def write_answer(text: str, file: str | None) -> None:
    """Write the answer to the file, whose folder is made, or to standard output. Raises CommandError."""
    where = f"'{path_text(file)}'" if file else "Standard output"
    with explained(f"{where} cannot be written"):
        if file is None:
            print(text, flush=True)
        else:
            path = Path(file)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text + "\n")


@contextmanager
def chatter_diverted() -> Iterator[None]:
    """Have what operators report and Blender logs on the error stream, apart from the answer.

    Where standard output is closed its number may be another file's: only what Python prints is diverted.
    """
    if sys.stdout is None:
        with redirect_stdout(sys.stderr):
            yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
