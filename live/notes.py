# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What *Live* does not do, though a user may expect it."""

from bpy.types import Object, Scene

from ..armature import made_targets, places_in_pose, unmovable_words, why_unmovable
from ..dragging import Drag, Found
from ..reports import names_text, stay_text, visible_distance
from ..solvers.geometry import norm


def drag_notes(scene: Scene, drag: Drag) -> list[str]:
    """Return in words which targets are turned in vain, and that the body gets no keys."""
    notes, turned = [], drag.turned_in_vain()
    if turned:
        notes.append(f"{names_text(turned)} cannot turn with the target: Rotation Weight is 0")
    if scene.tool_settings.use_keyframe_insert_auto:
        notes.append("Automatic keyframing keys the targets, not the body: bake it, or use Pose Body")
    return notes


def stay_notes(ob: Object, found: Found) -> list[str]:
    """Return in words which targets should go along with the pose that was found, and cannot."""
    made, asked = made_targets(found.rig, ob), (found.frame, found.skeleton, found.solution.pose)
    fixed = [row for row in sorted(found.rig.along & made.keys()) if why_unmovable(made[row])]
    if not fixed:
        return []
    away = norm((places_in_pose(found.rig, *asked) - found.frame.targets)[:, :3, 3])
    seen = visible_distance([found.frame])[0, 0]
    return list(filter(None, [stay_text(unmovable_words(made[row] for row in fixed if away[row] > seen))]))
