# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that pauses after every step, so that whoever asked for it can show progress, stop it or hurry it.

At a pause, work may be told that it is late: then it ends with what it has come to. What comes first ends
only when it is told that it is very late.
"""

from collections.abc import Callable, Generator
from time import monotonic
from typing import TypeVar

_Result = TypeVar("_Result")
_Said = TypeVar("_Said")
_Done = TypeVar("_Done")
Pausing = Generator[None, int | None, _Result]
# What work is told that is past the last of its time.
VERY_LATE = 2


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
    """Do work that says at every pause what ``say`` makes of what it says, and is told what ``tell`` makes of
    what it is told.
    """
    told = None
    while True:
        try:
            said = work.send(told)
        except StopIteration as end:
            result: _Result = end.value
            return result
        told = tell((yield say(said)))


def hurried(work: Generator[object, int | None, _Result], end: float, last: float) -> _Result:
    """Return what comes of work that is told 1 when it is late, past the ``end``, and 2 past the ``last``.

    Both are times by ``monotonic``.
    """

    def lateness(_told: int | None) -> int:
        """Return how many of the two times have passed."""
        now = monotonic()
        return (now > end) + (now > last)

    return finished(passed_on(work, _nothing, lateness))


def telling(
    work: Generator[object, int | None, _Result], done: _Done
) -> Generator[_Done, int | None, _Result]:
    """Do work that says at every pause how much was ``done`` before it."""
    return passed_on(work, lambda _said: done)


def quiet(work: Generator[object, int | None, _Result]) -> Pausing[_Result]:
    """Do work that pauses as often, and says nothing of how far it is."""
    return telling(work, None)


def unhurried(work: Generator[object, int | None, _Result]) -> Pausing[_Result]:
    """Do work that is told only of being very late."""
    return passed_on(work, _nothing, lambda told: told == VERY_LATE)


def _nothing(_said: object) -> None:
    return None
