# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armatures of a scene move, and in which frames."""

from math import ceil, floor

from bpy.types import AnimData, NlaTrack, Object, Scene

from ..errors import RigError
from ..fcurves.actions import curves_of
from ..frames.ranges import frame_length

_OURS = ".superpose"
_MARGIN = 1e-3  # frames; keys are in single precision, and of importers off by as much


def leaders(scene: Scene, follower: Object) -> list[Object]:
    """Return the other armatures of the scene that have animation, by name."""
    armatures = (ob for ob in scene.objects if ob.type == 'ARMATURE' and ob != follower)
    return sorted((ob for ob in armatures if _times(ob.animation_data)), key=lambda ob: ob.name)


def motion_ends(scene: Scene, leader: Object) -> tuple[int, int]:
    """Return the scene's first and last frame in which the leader is animated. Raises RigError."""
    times = _times(leader.animation_data)
    if not times:
        raise RigError(f"'{leader.name}' is not animated")
    stretch = frame_length(scene)
    first, last = min(times) / stretch, max(times) / stretch
    return floor(first + _MARGIN), ceil(last - _MARGIN)


def _times(animation: AnimData | None) -> list[float]:
    """Return when what plays there begins and ends."""
    if animation is None:
        return []
    strips = [strip for track in _heard(animation) for strip in track.strips if not strip.mute]
    played = [(strip.frame_start, strip.frame_end) for strip in strips]
    return [time for ends in (*_own_ends(animation), *played) for time in ends]


def _own_ends(animation: AnimData) -> list[tuple[float, float]]:
    """Return when the curves of the assigned action that may move bones begin and end.

    Those of other slots do not, nor do contacts and what else of a body's set-up is keyed.
    """
    curves = [
        curve
        for curve in curves_of(animation)
        if (curve.keyframe_points or curve.sampled_points) and _OURS not in curve.data_path
    ]
    if curves and animation.action.use_frame_range:
        return [tuple(animation.action.frame_range)]
    return [tuple(curve.range()) for curve in curves]


def _heard(animation: AnimData) -> list[NlaTrack]:
    """Return the tracks that play."""
    tracks = animation.nla_tracks if animation.use_nla else ()
    return [track for track in tracks if track.is_solo] or [track for track in tracks if not track.mute]
