# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armatures of the open file are meant."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Object

from ..armature import effectors_of
from ..armature.setup.empties import made_for
from .errors import CommandError


def armature(name: str | None) -> Object:
    """Return the named armature, or the one that was active, or whose target was, when the file was saved.

    Raises CommandError.
    """
    if not bpy.data.filepath:  # where Blender cannot open the file it goes on with its own scene
        raise CommandError("No .blend file is open")
    objects = bpy.context.view_layer.objects
    if name is None:
        if objects.active is None:
            raise CommandError("No object is active in this file: name an armature with --armature")
        return made_for(objects.active) or objects.active
    named = next((ob for ob in objects if ob.name == name), None)
    if named is None:
        raise CommandError(f"There is no object '{name}' in the scene '{bpy.context.scene.name}'")
    if named.type != 'ARMATURE':
        raise CommandError(f"'{name}' is not an armature")
    return named


def armature_meant(name: str | None, needs_effectors: bool) -> Object:
    """Return the named armature, the active one, or else the only one: of those with effectors, if any has.

    Raises CommandError.
    """
    objects, scene = bpy.context.view_layer.objects, bpy.context.scene.name
    armatures = [ob for ob in objects if ob.type == 'ARMATURE']
    set_up = list(filter(is_set_up, armatures))
    found = set_up if set_up or needs_effectors else armatures
    active = objects.active and (made_for(objects.active) or objects.active)
    if name is not None or not bpy.data.filepath or active in found:
        return armature(name)
    if not found:
        raise not_set_up() if armatures else CommandError(f"There is no armature in the scene '{scene}'")
    if len(found) > 1:
        names = ", ".join(f"'{ob.name}'" for ob in found)
        raise CommandError(f"Which of the armatures {names} is meant? Name it with --armature")
    return found[0]


def armatures_meant(name: str | None) -> list[Object]:
    """Return the named armature, or all that are set up. Raises CommandError."""
    if name is not None or not bpy.data.filepath:
        return [armature(name)]
    found = list(filter(is_set_up, bpy.context.view_layer.objects))
    if not found:
        raise not_set_up()
    return found


def not_set_up() -> CommandError:
    """Return what to say, and what to do, where no armature has anything to solve."""
    found = f"No armature of the scene '{bpy.context.scene.name}' has effectors"
    return CommandError(f"{found}: set one up first, by Set Up Body or bpy.ops.superpose.set_up_body()")


def is_set_up(ob: Object) -> bool:
    """Return whether the object is an armature that something is asked of."""
    return ob.type == 'ARMATURE' and bool(effectors_of(ob) or ob.superpose.goals)


@contextmanager
def choice_kept() -> Iterator[None]:
    """Have active and selected in the end what was so: importers choose what they make."""
    layer = bpy.context.view_layer
    active, selected = layer.objects.active, {ob for ob in layer.objects if ob.select_get()}
    try:
        yield
    finally:
        for ob in layer.objects:
            ob.select_set(ob in selected)
        layer.objects.active = active


@contextmanager
def chosen(ob: Object) -> Iterator[None]:
    """Have operators work on the armature: without a window there is no active object but this."""
    with bpy.context.temp_override(object=ob, active_object=ob, selected_objects=[ob]):
        yield
