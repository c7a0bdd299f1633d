# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Superpose: pose whole bodies by saying where their parts should be."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(
    __name__, ("properties", "operators", "overlay", "live", "panels", "command")
)
