# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools in the toolbar of the 3D viewport. They bind keys to operators; they compute nothing."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(__name__, ("pose",))
