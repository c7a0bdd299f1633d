# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What *Live* does not do, though a user may expect it."""

from bpy.types import Object

from ..armature import (
    bearers,
    borne_targets,
    made_targets,
    own_targets,
    places_in_pose,
    unmovable_words,
    why_unmovable,
)
from ..dragging import Found
from ..reports import names_text, stay_text, visible_distance
from ..solvers.geometry import norm
from .dragged import Dragged


def drag_notes(dragged: Dragged | None) -> list[str]:
    """Return in words which targets are moved and turned in vain by what is dragged, if anything is."""
    if dragged is None:
        return []
    moved, turned = dragged.drag.moved_in_vain(), dragged.drag.turned_in_vain()
    return [
        *([f"{names_text(moved)} cannot go with the target: Position Weight is 0"] if moved else ()),
        *([f"{names_text(turned)} cannot turn with the target: Rotation Weight is 0"] if turned else ()),
    ]


def stay_notes(ob: Object, found: Found) -> list[str]:
    """Return in words which targets should go along with the pose that was found, and cannot."""
    rig, asked = found.rig, (found.frame, found.skeleton, found.solution.pose)
    bones = made_targets(rig, ob, rig.along)
    if not bones:
        return []
    stay = bearers(borne_targets(rig, ob), own_targets(rig, ob, bones))
    fixed = [row for row in sorted(bones) if row in stay or why_unmovable(bones[row])]
    if not fixed:
        return []
    away = norm((places_in_pose(rig, *asked) - found.frame.targets)[:, :3, 3])
    seen = visible_distance([found.frame])[0, 0]
    left = [bones[row] for row in fixed if away[row] > seen]
    words = unmovable_words(left, {bones[row].name for row in stay})
    return list(filter(None, [stay_text(words)]))
