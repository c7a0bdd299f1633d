# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command answers: on standard output, where nothing else is said, or in a file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from ..files import path_text, write_text
from .errors import explained


def write_answer(text: str, file: str | None) -> None:
    """Write the answer to the file, or to standard output without one. Raises CommandError."""
    where = f"'{path_text(file)}'" if file else "Standard output"
    with explained(f"{where} cannot be written"):
        if file is None:
            print(text, flush=True)
        else:
            write_text(Path(file), text + "\n")


@contextmanager
def chatter_diverted() -> Iterator[None]:
    """Have what operators report and Blender logs on the error stream, apart from the answer."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
