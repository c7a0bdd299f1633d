# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets that Superpose made, to be drawn in colour: Blender shows empties as thin black lines."""

from collections.abc import Iterator, Sequence

from bpy.types import Context, Object, PropertyGroup
from mathutils import Matrix

from ..armature import effectors_of
from ..armature.rig.usable_targets import lacks_bone, target_place
from ..armature.setup.empties import made_for
from .marks import Colour

IDLE: Colour = (0.4, 0.4, 0.4)


def shown_targets(context: Context) -> list[Object]:
    """Return the targets that Superpose made and that the viewport shows."""
    view = context.space_data
    if not (view.overlay.show_overlays and view.overlay.show_extras):
        return []
    return [ob for ob in context.view_layer.objects if is_target(ob) and ob.visible_get(viewport=view)]


def boxes_of(context: Context, targets: Sequence[Object]) -> Iterator[tuple[Matrix, Colour]]:
    """Yield where each target has its unit box (box_to_world), and its colour.

    Those of effectors and goals that take no part in solves are grey.
    """
    heeded = heeded_targets(targets)
    for ob in targets:
        yield box_of(ob), colour_of(context, ob, tuple(ob.color[:3]) if ob in heeded else IDLE)


def box_of(target: Object) -> Matrix:
    """Return where the target has its unit box (box_to_world)."""
    return target.matrix_world @ Matrix.Scale(target.empty_display_size, 4)


def target_to_world(asking: PropertyGroup) -> Matrix | None:
    """Return where the target of an effector or another goal is; None without one, or if it is gone."""
    target = asking.target
    if target is None or not target.users_scene or lacks_bone(asking):
        return None
    return target_place(asking)


def is_target(ob: Object) -> bool:
    """Return whether Superpose made the empty as a target; stores nothing."""
    return ob.type == 'EMPTY' and made_for(ob) is not None


def heeded_targets(targets: Sequence[Object]) -> set[Object]:
    """Return those that an effector or another goal which takes part has as its target; stores nothing."""
    rigs = set(map(made_for, targets))
    askers = [bone.superpose for rig in rigs for bone in effectors_of(rig)]
    askers += [goal for rig in rigs if rig.is_property_set("superpose") for goal in rig.superpose.goals]
    return {asker.target for asker in askers if asker.enabled}


def colour_of(context: Context, ob: Object, own: Colour) -> Colour:
    """Return the theme's colour of what is selected, else its ``own``."""
    if not ob.select_get():
        return own
    theme = context.preferences.themes[0].view_3d
    return tuple(theme.object_active if ob == context.object else theme.object_selected)
