# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object is still in the file: long work lets others delete what it is about."""

from bpy.types import Object


def is_there(ob: Object) -> bool:
    """Return whether the object has not been deleted."""
    try:
        return bool(ob.name)
    except ReferenceError:  # which is how Blender says so
        return False
