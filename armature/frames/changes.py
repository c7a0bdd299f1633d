# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender says has changed since it last evaluated the scene."""

from bpy.types import ID, Collection, Depsgraph, DepsgraphUpdate, Object


def only_moved(depsgraph: Depsgraph) -> bool:
    """Return whether objects have been moved and nothing else has changed.

    Not that of objects with constraints or animation: these are not told from moves. What a parent, a driver
    or a visibility changes is told as a change of the scene; a bone that is posed, as one of the armature.
    """
    return all(_is_move(update) for update in depsgraph.updates)


def _is_move(update: DepsgraphUpdate) -> bool:
    thing: ID = update.id
    if isinstance(thing, Collection):  # that of something that is moved
        return True
    is_moved = update.is_updated_transform and not (update.is_updated_geometry or update.is_updated_shading)
    return is_moved and isinstance(thing, Object) and thing.animation_data is None and not thing.constraints
