# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded targets: which frames of them count, found or said."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(
    __name__, ("follow_motion", "lost", "contacts", "spans")
)
