# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""When all settings may be others than before, though nobody has changed one: another file, undo and redo."""

from collections.abc import Callable

import bpy
from bpy.app.handlers import load_post, redo_post, undo_post


def watch(look: Callable[..., None]) -> None:
    """Have a persistent function called after every such change, and once in a moment.

    An add-on sees no file while it is being switched on, so the present one is looked at right after.
    """
    for handlers in (load_post, undo_post, redo_post):
        handlers.append(look)
    bpy.app.timers.register(look)


def unwatch(look: Callable[..., None]) -> None:
    """Have it called no more."""
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    for handlers in (redo_post, undo_post, load_post):
        handlers.remove(look)
