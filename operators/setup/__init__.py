# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The set-up: effectors, their targets, and its removal."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(
    __name__, ("body", "file", "effectors", "create_targets", "snap_targets", "hold", "goals", "remove")
)
