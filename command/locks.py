# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run at a time for one output."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..files import path_text
from .errors import CommandError

if os.name == "posix":
    from fcntl import LOCK_EX, LOCK_NB, flock


@contextmanager
def held(output: Path) -> Iterator[None]:
    """Keep others from writing the output; raises CommandError where another run does.

    The operating system lets go of it, however the run ends.
    """
    lock = output.with_name(f".{output.name}.lock")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        handle = _taken(lock)
    except BlockingIOError as error:
        raise CommandError(f"Another run is writing '{path_text(output)}'") from error
    except OSError as error:
        folder = path_text(output.parent)
        raise CommandError(f"Nothing can be saved in '{folder}': {error.strerror}") from error
    try:
        yield
    finally:
        if os.name == "posix":  # elsewhere an open file cannot be removed, and this one goes as it is closed
            lock.unlink(missing_ok=True)
        os.close(handle)


def _taken(lock: Path) -> int:
    """Return the handle of a lock that is taken; raises BlockingIOError, and OSError."""
    if os.name != "posix":
        try:
            return os.open(lock, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY)
        except (FileExistsError, PermissionError) as error:
            raise BlockingIOError from error
    while True:
        handle = os.open(lock, os.O_CREAT | os.O_RDWR)
        try:
            flock(handle, LOCK_EX | LOCK_NB)
            if os.path.exists(lock) and os.path.samestat(os.fstat(handle), os.stat(lock)):
                return handle  # else it was removed by who had it, and is nobody's
        except OSError:
            os.close(handle)
            raise
        os.close(handle)
