# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: Blender has its frames only if they are played one by one from the first, or cached."""

from bpy.types import Object, Scene

from ..rig.dependencies import all_behind
from ..rig.rig import Rig
from .standstill import evaluated


def simulated_from(rig: Rig, ob: Object, scene: Scene) -> int | None:
    """Return where rigid bodies begin that the armature object or a target depends on; None for none."""
    world = scene.rigidbody_world
    if world is None or not world.enabled:
        return None
    behind = (source for thing, bone, _ in evaluated(rig, ob) for source, _ in all_behind(thing, bone))
    is_simulated = any(source.rigid_body and source.rigid_body.type == 'ACTIVE' for source in behind)
    return world.point_cache.frame_start if is_simulated else None
