# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone is dragged and the body follows: with the mouse, or by values."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(__name__, ("pose", "flip"))
