# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What fails while Blender goes on: files that are not found; drivers, as where scripts may not run."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import bpy
from bpy.types import ID, CacheFile, FCurve, Object

from ..errors import RigError
from ..fcurves.actions import drivers_of, with_inner
from ..fcurves.paths import KEYED_OF_EFFECTORS, bone_and_property, is_transform, is_turn, paths_of_goal
from ..rig.dependencies import all_behind
from ..rig.rig import Rig

_ADVICE = "mend it, or let the file run scripts (blender -y)"


def check_sources(thing: Object, bone: str, name: str) -> None:
    """Raise RigError where what places the object, its bone or what it depends on is missing, or fails.

    ``name``: what it is called in the message.
    """
    for source, its_bone in all_behind(thing, bone):
        whose = "" if source == thing else f" of '{source.name}'"
        for fault in chain(_missing(source, its_bone), _unplaced(source, its_bone, whose)):
            raise RigError(f"{name} is not in its place: {fault}")


def check_settings(rig: Rig, ob: Object) -> None:
    """Raise RigError where a driver fails that says how much an effector or another goal counts."""
    paths = {bone.path_from_id(name) for bone in rig.effector_bones(ob) for name in KEYED_OF_EFFECTORS}
    for setting in rig.goals:
        paths |= paths_of_goal(ob.superpose.goals[setting.index])
    for curve in _failing(ob):
        if curve.data_path in paths:
            raise RigError(f"The driver of {curve.data_path} fails: {_ADVICE}")


def _missing(thing: Object, bone: str) -> Iterator[str]:
    """Yield in words what was not found of what moves the object or, if it has a name, its bone."""
    for block in _blocks(thing):
        if block.is_missing:
            yield f"'{block.name}' of '{block.library.filepath}' is missing: find its library"
    for cache in _caches(thing, bone):
        if not Path(bpy.path.abspath(cache.filepath, library=cache.library)).exists():
            yield f"'{cache.filepath}' is missing, whose motion it has"


def _blocks(thing: Object) -> Iterator[ID]:
    """Yield the object and the actions that move it; of those that are missing Blender has empty ones."""
    yield thing
    animation = thing.animation_data
    if animation:
        tracks = [track for track in animation.nla_tracks if not track.mute] if animation.use_nla else []
        strips = [strip for track in tracks for strip in with_inner(track.strips) if not strip.mute]
        yield from filter(None, (animation.action, *(strip.action for strip in strips)))


def _caches(thing: Object, bone: str) -> list[CacheFile]:
    """Return the files, as Alembic's, by which constraints move the object or its bone."""
    owner = thing.pose.bones.get(bone) if bone and thing.pose else thing
    acting = [constraint for constraint in owner.constraints if not constraint.mute] if owner else []
    files = (constraint.cache_file for constraint in acting if constraint.type == 'TRANSFORM_CACHE')
    return [file for file in files if file]


def _unplaced(thing: Object, bone: str, whose: str) -> Iterator[str]:
    """Yield in words which drivers fail that place the object or, if it has a name, its bone."""
    for curve in _failing(thing):
        own, prop = bone_and_property(curve.data_path)
        if own == bone and (is_transform(prop) or is_turn(prop) or prop.startswith("constraints[")):
            yield f"the driver of {prop}{whose} fails: {_ADVICE}"


def _failing(thing: Object) -> list[FCurve]:
    return [curve for curve in drivers_of(thing.animation_data) if not curve.driver.is_valid]
