# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One file for each thing the user wants, one room for what belongs together."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(
    __name__,
    (
        *("setup", "poses", "posing", "recording", "clip_report"),
        *("comparison", "controls", "limits", "select_handle", "reasons", "manual"),
    ),
)
