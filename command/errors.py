# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command cannot do, and what its exit codes mean."""

from collections.abc import Iterator
from contextlib import contextmanager

DONE, FAILED, USAGE, MISSED = range(4)  # argparse ends with 2 where arguments make no sense


class CommandError(Exception):
    """A command that cannot be carried out: why, in a sentence."""


def sentence(error: RuntimeError) -> str:
    """Return what an operator's error says, without what Blender puts around it, in one line."""
    said = str(error).partition("\nLocation:")[0].strip().removeprefix("Error: ")
    return said.splitlines()[-1] if "Traceback" in said else said


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Raise what the operating system refuses as a CommandError that says what cannot be done, and why."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{what}: {error.strerror}") from error
