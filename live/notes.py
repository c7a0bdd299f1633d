# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a drag of targets does not do, though a user may expect it."""

from bpy.types import Scene

from ..dragging import Drag
from ..reports import names_text


def drag_notes(scene: Scene, drag: Drag) -> list[str]:
    """Return in words which targets are turned in vain, and that the body gets no keys."""
    notes, turned = [], drag.turned_in_vain()
    if turned:
        notes.append(f"{names_text(turned)} cannot turn with the target: Rotation Weight is 0")
    if scene.tool_settings.use_keyframe_insert_auto:
        notes.append("Automatic keyframing keys the targets, not the body: bake it, or use Pose Body")
    return notes
