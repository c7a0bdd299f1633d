# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses by the solver, in the present frame or over many, and rest."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(
    __name__, ("solve", "live", "reset", "paste", "bake", "bake_pins", "reduce_keys")
)
