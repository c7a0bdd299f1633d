# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D viewports, with the sidebar that shows how it went."""

import bpy


def redraw() -> None:
    """Have Blender draw every 3D viewport and its sidebar anew, as where an operator ends."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == 'VIEW_3D':
                area.tag_redraw()
