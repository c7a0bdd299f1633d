# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Large values with some fields changed, which solvers make at every step."""

from typing import TypeVar

_Value = TypeVar("_Value")


def altered(value: _Value, **fields: object) -> _Value:
    """Return a dataclass without slots with other ``fields``, and all else as it is.

    ``dataclasses.replace`` goes through all fields twice: of thirty that takes as long as ten sums of arrays.
    Nothing is checked but the names.
    """
    if unknown := fields.keys() - vars(value).keys():
        raise TypeError(f"{type(value).__name__} has no field {', '.join(sorted(unknown))}")
    changed = object.__new__(type(value))
    vars(changed).update(vars(value), **fields)
    return changed
