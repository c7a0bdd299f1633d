# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that pauses after every step, so that whoever asked for it may show that it goes on, or stop it."""

from collections.abc import Generator
from time import monotonic
from typing import TypeVar

_Result = TypeVar("_Result")
Pausing = Generator[None, None, _Result]


def finished(work: Generator[object, None, _Result]) -> _Result:
    """Return what comes of work that is done without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: _Result = end.value
            return result


def finished_within(work: Generator[object, None, _Result], seconds: float) -> _Result | None:
    """Return what comes of work that is done for so many ``seconds``; None where it needs more."""
    end = monotonic() + seconds
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: _Result = done.value
            return result
        if monotonic() > end:
            return None


def telling(work: Generator[object, None, _Result], done: int) -> Generator[int, None, _Result]:
    """Do work that says at every pause how much was ``done`` before it."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: _Result = end.value
            return result
        yield done


def quiet(work: Generator[object, None, _Result]) -> Pausing[_Result]:
    """Do work that pauses as often, and says nothing of how far it is."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: _Result = end.value
            return result
        yield
