# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets that Superpose made, to be drawn in colour: Blender shows empties as thin black lines."""

from collections.abc import Iterator

from bpy.types import Context, Object
from mathutils import Matrix

Colour = tuple[float, float, float]


def shown_targets(context: Context) -> Iterator[tuple[Matrix, Colour]]:
    """Yield where each target that the viewport shows has its unit box (box_to_world), and its colour."""
    if not context.space_data.overlay.show_extras:
        return
    for ob in context.view_layer.objects:
        if is_target(ob) and ob.visible_get(viewport=context.space_data):
            frame = ob.matrix_world @ Matrix.Scale(ob.empty_display_size, 4)
            yield frame, colour_of(context, ob)


def is_target(ob: Object) -> bool:
    """Return whether Superpose made the empty as a target; stores nothing."""
    return ob.type == 'EMPTY' and ob.is_property_set("superpose") and ob.superpose.rig is not None


def colour_of(context: Context, ob: Object) -> Colour:
    """Return the theme's colour of what is selected, else the target's own."""
    if not ob.select_get():
        return tuple(ob.color[:3])
    theme = context.preferences.themes[0].view_3d
    return tuple(theme.object_active if ob == context.object else theme.object_selected)
