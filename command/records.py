# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept beside each output: what it was made from and how it went, so that nothing is done twice."""

import json
from hashlib import file_digest
from pathlib import Path

from ..files import check_plain, path_text
from .errors import CommandError, explained

Record = dict[str, object]

SUFFIX = ".superpose.json"
KEYS = {"made_from", "output", "report"}  # of a record


def record_path(output: Path) -> Path:
    """Return where the record of an output is."""
    return output.with_suffix(SUFFIX)


def read_record(output: Path) -> Record | None:
    """Return the record of an output that is as it was when the record was written, if that is so."""
    try:
        record = json.loads(record_path(output).read_text(encoding="utf-8"))
        return record if record["output"] == described(output) else None
    except (OSError, ValueError, LookupError, TypeError, CommandError):
        return None  # then it is no output that was finished


def is_taken(output: Path) -> bool:
    """Return whether a file that is no record is where that of an output would be."""
    path = record_path(output)
    try:
        return path.exists() and not json.loads(path.read_text(encoding="utf-8")).keys() >= KEYS
    except (OSError, ValueError, AttributeError):
        return True


def described(path: Path, name: str | None = None) -> Record:
    """Return what tells a file from others: its name, or the one given, and content. Raises CommandError."""
    with explained(f"'{path_text(path)}' cannot be read"):
        check_plain(path)
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        return {"name": name or path.name, "size": path.stat().st_size, "sha256": digest}
