# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What buttons offer, changed for kinds that only tests know."""

import bpy
from bpy.props import EnumProperty


def offering(operator, items):
    """Register the operator anew, to offer the items as its ``kind``."""
    bpy.utils.unregister_class(operator)
    kind = operator.__annotations__["kind"].keywords | {"items": items}
    operator.__annotations__ = operator.__annotations__ | {"kind": EnumProperty(**kind)}
    bpy.utils.register_class(operator)
