# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a JSON file says, taken value by value; whatever does not fit is refused in one sentence."""

import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import RigError

LARGEST = float(np.finfo(np.float32).max)
# Blender's names hold neither, and no message could show them: NUL, and halves of surrogate pairs.
_UNSPEAKABLE = re.compile("[\0\ud800-\udfff]")
_REQUIRED = object()


@dataclass(frozen=True)
class Entry:
    """The named values of one ``owner``, as messages call it. Taken ones are gone, so `end` finds strangers.

    Raises RigError, as every method, naming the owner and the value.
    """

    owner: str
    values: dict[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.values, dict):
            raise RigError(f"{self.owner} must be named values in braces")

    def take(self, name: str, default: object = _REQUIRED) -> object:
        """Return a value as it is."""
        value = self.values.pop(name, default)
        if value is _REQUIRED:
            raise RigError(f"{self.owner} has no '{name}'")
        return value

    def head(self, schema: str, version: int, content: str) -> None:
        """Take what says which file this is, and that this version of it can be read."""
        if self.take("schema", None) != schema:
            raise RigError(f"The file holds no {content} of Superpose")
        found = self.take("version", None)
        if not isinstance(found, float) or found != version:
            said = f"version {found:g}" if isinstance(found, float) else "no version number"
            raise RigError(f"The file has {said}; this Superpose reads version {version}")

    def choice(self, name: str, options: tuple[str, ...], default: object = _REQUIRED) -> str:
        value = self.take(name, default)
        if value not in options:
            raise RigError(f"{self.owner}: '{name}' must be one of {', '.join(options)}")
        return value

    def entries(self, name: str, default: object = _REQUIRED) -> dict[str, Any]:
        """Return named values."""
        return Entry(f"{self.owner}: '{name}'", self.take(name, default)).values

    def many(self, name: str, default: object = _REQUIRED) -> list[Any]:
        value = self.take(name, default)
        if not isinstance(value, list):
            raise RigError(f"{self.owner}: '{name}' must be a list in brackets")
        return value

    def number(self, name: str, least: float, most: float, default: object = _REQUIRED) -> float:
        return self._fitting(name, [self.take(name, default)], 1, least, most)[0]

    def numbers(self, name: str, count: int, least: float, most: float) -> tuple[float, ...]:
        return self._fitting(name, self.take(name), count, least, most)

    def direction(self, name: str, count: int, default: tuple[float, ...] = ()) -> tuple[float, ...]:
        """Return numbers that are not all zero in the single precision that Blender keeps them in."""
        if default and name not in self.values:
            return default
        numbers = self._fitting(name, self.take(name), count, -LARGEST, LARGEST)
        if not np.float32(numbers).any():
            raise RigError(f"{self.owner}: '{name}' must not be all zero")
        return numbers

    def flag(self, name: str, default: object = _REQUIRED) -> bool:
        return self._true_or_false(name, [self.take(name, default)], 1)[0]

    def flags(self, name: str, count: int, default: tuple[bool, ...]) -> tuple[bool, ...]:
        return self._true_or_false(name, self.take(name, list(default)), count)

    def ranges(self, name: str, count: int, least: float, most: float) -> list[tuple[float, ...]]:
        """Return pairs of numbers."""
        pairs = self.many(name)
        if len(pairs) != count:
            raise RigError(f"{self.owner}: '{name}' must be {count} pairs of numbers")
        return [self._fitting(name, pair, 2, least, most) for pair in pairs]

    def end(self) -> None:
        for name in self.values:
            raise RigError(f"{self.owner} has an unknown '{name}'")

    def _true_or_false(self, name: str, values: object, count: int) -> tuple[bool, ...]:
        plain = isinstance(values, list) and len(values) == count
        if not plain or not all(isinstance(value, bool) for value in values):
            many = f"{count} times " if count > 1 else ""
            raise RigError(f"{self.owner}: '{name}' must be {many}true or false")
        return tuple(values)

    def _fitting(self, name: str, values: object, count: int, least: float, most: float) -> tuple[float, ...]:
        plain = isinstance(values, list) and len(values) == count
        if not plain or not all(isinstance(value, float) and least <= value <= most for value in values):
            what = f"{count} numbers" if count > 1 else "a number"
            between = f" from {least:g}" if least > -LARGEST else ""
            between += f" to {most:g}" if most < LARGEST else ""
            raise RigError(f"{self.owner}: '{name}' must be {what}{between}")
        return tuple(values)


def entry_from_json(text: str) -> Entry:
    """Return the named values in the text of a JSON file; all its numbers are floats."""
    try:
        return Entry("The file", json.loads(text, object_pairs_hook=_named, parse_int=float))
    except json.JSONDecodeError as error:
        raise RigError(f"The file is no JSON: {error}") from error
    except RecursionError as error:
        raise RigError("The file is nested too deep") from error


def shortest(number: float) -> float:
    """Return the shortest number that is the same in the single precision that Blender keeps."""
    return float(np.format_float_scientific(np.float32(number)))


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = {}
    for name, value in pairs:
        if _UNSPEAKABLE.search(name):
            raise RigError(f"The file has {name!a}, which cannot be a name")
        if name in values:
            raise RigError(f"The file has '{name}' twice in one place")
        values[name] = value
    return values
