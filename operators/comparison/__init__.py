# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every solver on the same problems, Blender's own among them."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(__name__, ("compare",))
