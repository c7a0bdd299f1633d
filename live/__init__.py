# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live posing: while it is on, the body follows its targets as they are moved or as frames go by."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(__name__, ("undo_step", "switch"))
