# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armatures of a scene move, and in which frames."""

from math import ceil, floor

from bpy.types import AnimData, Object, Scene

from ..errors import RigError
from ..frames.ranges import animation_times


def leaders(scene: Scene, follower: Object) -> list[Object]:
    """Return the other armatures of the scene that have animation, by name."""
    armatures = (ob for ob in scene.objects if ob.type == 'ARMATURE' and ob != follower)
    return sorted((ob for ob in armatures if _times(ob.animation_data)), key=lambda ob: ob.name)


def motion_ends(scene: Scene, leader: Object) -> tuple[int, int]:
    """Return the scene's first and last frame in which the leader is animated. Raises RigError."""
    times = _times(leader.animation_data)
    if not times:
        raise RigError(f"'{leader.name}' is not animated")
    (stretch,) = animation_times(scene, [1])
    return floor(min(times) / stretch), ceil(max(times) / stretch)


def _times(animation: AnimData | None) -> list[float]:
    """Return when the actions that play there begin and end."""
    if animation is None:
        return []
    action = [animation.action.frame_range] if animation.action else []
    strips = [
        (strip.frame_start, strip.frame_end)
        for track in animation.nla_tracks
        if not track.mute
        for strip in track.strips
        if not strip.mute
    ]
    return [time for ends in (*action, *strips) for time in ends]
