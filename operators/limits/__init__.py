# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints may do, and how they would rather be."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(
    __name__, ("comfort", "making", "cones", "transfer", "learning", "file", "presets")
)
