# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators are in the middle of: Blender drops it where the add-on is switched off meanwhile."""

from bpy.types import Context


def cancel_all(context: Context) -> None:
    """Cancel drags and long work in all windows: what they have begun and what they show is taken back."""
    for window in context.window_manager.windows:
        ours = [each for each in window.modal_operators if each.bl_idname.startswith("SUPERPOSE_OT_")]
        for operator in ours:
            with context.temp_override(window=window):
                operator.cancel(context)
        for area in window.screen.areas if ours else ():
            area.header_text_set(None)
