# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose joints follow controls: an armature of their joints, and their controls put where it is."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(__name__, ("make_body", "fit"))
