# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Superpose: pose whole bodies by saying where their parts should be."""

import bpy

from .under_way import cancel_all

_register, _unregister = bpy.utils.register_submodule_factory(
    __name__,
    ("properties", "undone", "overridden", "operators", "overlay", "live", "panels", "tools", "command"),
)


def register() -> None:
    """Switch the add-on on; raises RuntimeError where another copy of it is on, which this would break."""
    solve = getattr(bpy.types, "SUPERPOSE_OT_solve", None)
    if solve is not None:
        other = solve.__module__.partition(".operators.")[0]
        raise RuntimeError(f"Superpose is switched on already, as '{other}': switch that copy off first")
    _register()


def unregister() -> None:
    """Switch the add-on off, and end what it is in the middle of."""
    cancel_all(bpy.context)
    _unregister()
