# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What malformed input raises. Missing a target is a result, never an error."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TypeVar

_Value = TypeVar("_Value")


class SolverError(ValueError):
    """Input that no solve can start from; the message names the bone, the effector or the goal."""


class SkeletonError(SolverError):
    """Bones that make no tree, or whose arrays have the wrong shape or are not finite."""


class GoalError(SolverError):
    """A goal that cannot be used, of whatever kind."""


class EffectorError(GoalError):
    """An effector or a target that cannot be used."""


class LimitError(SolverError):
    """A limit that allows nothing or has values that are not finite."""


class ComfortError(SolverError):
    """A comfort pose that is no rotation, or a spread that is none."""


class SettingsError(SolverError):
    """A setting outside its range."""


def in_tuple(values: Iterable[_Value], what: str, error: type[SolverError]) -> tuple[_Value, ...]:
    """Return the values as a tuple; raises the ``error`` where ``what`` should be several is one thing."""
    if isinstance(values, tuple):
        return values
    with suppress(TypeError):
        if not isinstance(values, str):
            return tuple(values)
    raise error(f"{what} must be in a sequence, not {named_kind(values)}")


def check_kinds(values: Iterable[object], kind: type, what: str, error: type[SolverError]) -> None:
    """Raise the ``error`` unless all values, which are ``what``, are of the kind."""
    for value in values:
        if not isinstance(value, kind):
            raise error(f"{what} must be of the kind {kind.__name__}, not {named_kind(value)}")


def named_kind(value: object) -> str:
    """Return what to call a value that is given in place of something else."""
    return f"'{value}'" if isinstance(value, str) else f"of the kind {type(value).__name__}"
