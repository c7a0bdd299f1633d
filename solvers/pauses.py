# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that pauses after every step, so that whoever asked for it can show progress, stop it or end it early.

At a pause, work may be told that it is late: then it ends with what it has found so far. Its most important
part ends only when it is told that it is very late.
"""

from collections.abc import Callable, Generator
from time import monotonic
from typing import TypeVar

_Result = TypeVar("_Result")
_Said = TypeVar("_Said")
_Done = TypeVar("_Done")
Pausing = Generator[None, int | None, _Result]
# What work is told: that it is past its time, and that it is past the last of it.
LATE, VERY_LATE = 1, 2


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


def passed_on(
    work: Generator[_Said, int | None, _Result],
    say: Callable[[_Said], _Done],
    tell: Callable[[int | None], int | None] = lambda told: told,
) -> Generator[_Done, int | None, _Result]:
    """Do work, and translate what passes between it and whoever asked for it.

    ``say`` translates what the work says at a pause, and ``tell`` what it is told there.
    """
    told = None
    while True:
        try:
            said = work.send(told)
        except StopIteration as end:
            result: _Result = end.value
            return result
        told = tell((yield say(said)))


def told_if_late(work: Generator[object, int | None, _Result], end: float, last: float) -> _Result:
    """Return what comes of work that is told when it is late.

    It is late past the time ``end``, and very late past the time ``last``, both by ``monotonic``.
    """

    def lateness(_told: int | None) -> int | None:
        """Return how late it is now, or None."""
        now = monotonic()
        return VERY_LATE if now > last else LATE if now > end else None

    return finished(passed_on(work, _nothing, lateness))


def telling(
    work: Generator[object, int | None, _Result], done: _Done
) -> Generator[_Done, int | None, _Result]:
    """Do work that says at every pause how much was ``done`` before it."""
    return passed_on(work, lambda _said: done)


def quiet(work: Generator[object, int | None, _Result]) -> Pausing[_Result]:
    """Do work that pauses as often, and says nothing of how far it is."""
    return telling(work, None)


def told_if_very_late(work: Generator[object, int | None, _Result]) -> Pausing[_Result]:
    """Do work that is told only of being very late."""
    return passed_on(work, _nothing, lambda told: told == VERY_LATE)


def _nothing(_said: object) -> None:
    return None
