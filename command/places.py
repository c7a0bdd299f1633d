# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where answers and pictures go: they take the place of nothing else. No folder stays that nothing is in."""

import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from ..files import check_name, path_text, real_path
from .errors import CommandError, explained
from .records import SUFFIX


def check_place(path: Path, kind: str, taken: Collection[Path]) -> None:
    """Raise CommandError unless a file of the kind, "JSON" or "SVG", can be written there.

    It may replace an empty file, or one of its kind, and no other. It may not replace one of those ``taken``,
    which are read or made, nor a record. Nor may it lie in one of those as if that were a folder.
    """
    name, real, others = path_text(path), real_path(path), set(map(real_path, taken))
    is_ours = f"'{name}' is read or made by Superpose: name another file for the {kind}"
    if real.name.endswith(SUFFIX) or real in others:
        raise CommandError(is_ours)
    with explained(f"'{name}' cannot be written"):
        check_name(real)
        if real.exists() and not (real.is_file() and is_kind(real.read_bytes(), kind)):
            raise CommandError(f"'{name}' is there already, and is no {kind} file")
        with TemporaryFile(dir=next(folder for folder in real.parents if folder.exists())):
            pass
    if not others.isdisjoint(real.parents):  # which are not there yet, or they could not be written to
        raise CommandError(is_ours)


@contextmanager
def removed_if_empty(folder: Path) -> Iterator[None]:
    """Remove the folder in the end, and those around it, where they were not there before and are empty."""
    missing = [place for place in (folder, *folder.parents) if not os.path.exists(place)]
    try:
        yield
    finally:
        for place in missing:
            if os.path.exists(place) and not any(place.iterdir()):
                place.rmdir()


def is_kind(content: bytes, kind: str) -> bool:
    """Return whether the content of a file is of the kind, or nothing."""
    if kind == "SVG" or not content:
        return not content or b"<svg" in content[:1000]
    try:
        json.loads(content)
    except ValueError:
        return False
    return True
