# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What kinds that only tests know are made of: the add-on's modules, and what buttons offer."""

from importlib import import_module
from types import SimpleNamespace

import bpy
from bpy.props import EnumProperty


def rooms_of(addon, **names):
    """The add-on's modules, each by the name it is given here, as the extension has loaded them."""
    return SimpleNamespace(**{name: import_module(f"{addon.name}.{room}") for name, room in names.items()})


def offering(operator, items):
    """Register the operator anew, to offer the items as its ``kind``."""
    bpy.utils.unregister_class(operator)
    kind = operator.__annotations__["kind"].keywords | {"items": items}
    operator.__annotations__ = operator.__annotations__ | {"kind": EnumProperty(**kind)}
    bpy.utils.register_class(operator)
