# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A library override opens with the results of its original, of another pose: they are taken back."""

import bpy
from bpy.app.handlers import load_post, persistent

from .reports import forget


@persistent
def _on_load(*_: object) -> None:
    for ob in bpy.data.objects:
        if ob.override_library and ob.pose and ob.is_property_set("superpose"):
            forget(ob)


def register() -> None:
    load_post.append(_on_load)


def unregister() -> None:
    load_post.remove(_on_load)
