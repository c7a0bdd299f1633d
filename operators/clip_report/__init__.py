# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a bake from frame to frame: drawn, saved, and its frames marked and gone to."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(__name__, ("picture", "save", "markers"))
