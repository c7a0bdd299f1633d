# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits in the viewport, drawn and dragged, and targets in their colours."""

import bpy

register, unregister = bpy.utils.register_submodule_factory(__name__, ("switch", "gizmos", "tool_handles"))
