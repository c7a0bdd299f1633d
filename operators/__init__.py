# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One file for each thing the user wants: read, solve, write, report."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(
    __name__,
    (
        "effectors",
        "create_targets",
        "comfort",
        "snap_targets",
        "solve",
        "reset",
        "remove_setup",
        "bake",
        "compare_solvers",
        "limits",
        "limit_cones",
        "limit_transfer",
        "limits_from_animation",
        "limits_file",
        "limit_presets",
    ),
)
