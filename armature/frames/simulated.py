# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: Blender has its frames only if they are played one by one from the first, or cached."""

from collections.abc import Iterator

from bpy.types import Object, PointCache, Scene

from ..rig.dependencies import all_behind
from ..rig.rig import Rig
from .standstill import evaluated


def simulated_from(rig: Rig, ob: Object, scene: Scene) -> int | None:
    """Return the first frame of what is simulated and places the armature object or a target, if any is."""
    behind = {source for thing, bone, _ in evaluated(rig, ob) for source, _ in all_behind(thing, bone)}
    return min((cache.frame_start for thing in behind for cache in _caches(thing, scene)), default=None)


def _caches(thing: Object, scene: Scene) -> Iterator[PointCache]:
    world = scene.rigidbody_world
    if world and world.enabled and thing.rigid_body and thing.rigid_body.type == 'ACTIVE':
        yield world.point_cache
    for modifier in thing.modifiers:
        if modifier.type in {'CLOTH', 'SOFT_BODY'} and modifier.show_viewport:
            yield modifier.point_cache
