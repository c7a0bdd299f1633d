# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are there whole or not at all, and how messages show their paths."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EINVAL, EISDIR
from pathlib import Path
from shutil import copymode


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give a path beside the file to write to; what is there in the end takes the file's place, on the disk.

    Where the work fails the file stays as it was, and nothing is left beside it. Raises OSError.
    """
    path = real_path(path)  # what a link leads to is written, and the link stays
    check_plain(path)
    check_name(path)
    part = _part_of(path)
    part.unlink(missing_ok=True)  # of a program that was killed
    try:
        yield part
        if path.exists():
            copymode(path, part)
        _sync(part, os.O_RDWR)
        part.replace(path)
        if os.name == "posix":  # elsewhere folders cannot be opened
            _sync(path.parent, os.O_RDONLY)
    finally:
        part.unlink(missing_ok=True)


def check_name(path: Path) -> None:
    """Raise OSError where ``replaced`` could not be given the path, as of a name that is too long.

    And where a file is that may not be written to: another could take its place all the same.
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        _part_of(path).lstat()
    if path.exists() and not os.access(path, os.W_OK):
        raise OSError(EACCES, os.strerror(EACCES))


def check_plain(path: Path) -> None:
    """Raise OSError where a folder is, or a device or pipe, which may give text for ever, or none."""
    if path.is_dir():
        raise OSError(EISDIR, os.strerror(EISDIR))
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, "It is no file but a device or pipe")


def read_text(path: Path, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Return the text of the file. Raises OSError, and UnicodeDecodeError."""
    check_plain(path)
    return path.read_text(encoding=encoding, errors=errors)


def write_text(path: Path, text: str) -> None:
    """Write the text to the file, whole or not at all. Raises OSError."""
    with replaced(path) as part:
        part.write_text(text, encoding="utf-8")


def real_path(path: str | Path) -> Path:
    """Return the path without links; one that leads to itself stays, and cannot be opened.

    (``Path.resolve`` raises RuntimeError there, up to Python 3.12.)
    """
    return Path(os.path.realpath(path))


def path_text(path: str | Path) -> str:
    """Return the path for a message; what of it is no UTF-8, which no message could show, is marked."""
    return os.fsencode(path).decode("utf-8", "replace")


def _part_of(path: Path) -> Path:
    """Return where what takes the file's place is written first."""
    return path.with_name(f".{path.name}.part")


def _sync(path: Path, flags: int) -> None:
    """Have the file or folder written to the disk itself."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
