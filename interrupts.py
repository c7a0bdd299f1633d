# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl+C noted, to stop where nothing is left half done."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


@contextmanager
def interrupts() -> Iterator[Event]:
    """Give an event that is set once the program is interrupted, which does not end it. Main thread."""
    noted = Event()
    before = signal.signal(signal.SIGINT, lambda *_: noted.set())
    try:
        yield noted
    finally:  # a handler that is not Python's own, as Blender's, cannot be put back
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
