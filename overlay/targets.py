# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets that Superpose made, to be drawn in colour: Blender shows empties as thin black lines."""

from collections.abc import Iterator, Sequence

from bpy.types import Context, Object
from mathutils import Matrix

from ..armature import effectors_of

Colour = tuple[float, float, float]
IDLE: Colour = (0.4, 0.4, 0.4)


def shown_targets(context: Context) -> Iterator[tuple[Matrix, Colour]]:
    """Yield where each target that the viewport shows has its unit box (box_to_world), and its colour.

    Those whose effectors take no part in solves are grey.
    """
    if not context.space_data.overlay.show_extras:
        return
    targets = [ob for ob in context.view_layer.objects if is_target(ob)]
    heeded = heeded_targets(targets)
    for ob in targets:
        if ob.visible_get(viewport=context.space_data):
            frame = ob.matrix_world @ Matrix.Scale(ob.empty_display_size, 4)
            yield frame, colour_of(context, ob, tuple(ob.color[:3]) if ob in heeded else IDLE)


def is_target(ob: Object) -> bool:
    """Return whether Superpose made the empty as a target; stores nothing."""
    return ob.type == 'EMPTY' and ob.is_property_set("superpose") and ob.superpose.rig is not None


def heeded_targets(targets: Sequence[Object]) -> set[Object]:
    """Return those that an effector which takes part has as its target; stores nothing."""
    rigs = {target.superpose.rig for target in targets}
    return {bone.superpose.target for rig in rigs for bone in effectors_of(rig) if bone.superpose.enabled}


def colour_of(context: Context, ob: Object, own: Colour) -> Colour:
    """Return the theme's colour of what is selected, else its ``own``."""
    if not ob.select_get():
        return own
    theme = context.preferences.themes[0].view_3d
    return tuple(theme.object_active if ob == context.object else theme.object_selected)
