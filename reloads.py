# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""When settings may be others than before, though nobody has changed one.

That is another file, undo and redo, and what is appended, linked or pasted.
"""

from collections.abc import Callable

import bpy
from bpy.app import handlers

_CHANGES = [handlers.load_post, handlers.undo_post, handlers.redo_post]
if hasattr(handlers, "blend_import_post"):  # from 4.3 on
    _CHANGES.append(handlers.blend_import_post)


def watch(look: Callable[..., None]) -> None:
    """Have a persistent function called after every such change, and once in a moment.

    An add-on sees no file while it is being switched on, so the present one is looked at right after. Blender
    4.2 does not say that something was appended; there it is seen as soon as another object is made active.
    """
    for change in _CHANGES:
        change.append(look)
    if not hasattr(handlers, "blend_import_post"):
        active = bpy.types.LayerObjects, "active"
        bpy.msgbus.subscribe_rna(key=active, owner=look, args=(), notify=look, options={'PERSISTENT'})
    bpy.app.timers.register(look)


def unwatch(look: Callable[..., None]) -> None:
    """Have it called no more."""
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    for change in reversed(_CHANGES):
        change.remove(look)
    bpy.msgbus.clear_by_owner(look)
