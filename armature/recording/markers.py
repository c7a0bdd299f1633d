# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markers of the timeline that were put there for an armature, told from the user's own.

The armature stores their frames and names: Blender cuts names, and markers hold no data of add-ons. What the
user moves, renames or binds a camera to is the user's. A copy of the armature stores them too, but they are
not its own.
"""

import json
from collections import Counter
from collections.abc import Iterable

import bpy
from bpy.types import Object, Scene, TimelineMarker


def put_markers(scene: Scene, ob: Object, named: Iterable[tuple[int, str]]) -> None:
    """Put markers at frames, with names; those that were there for the armature go."""
    remove_markers(ob)
    made = [scene.timeline_markers.new(name, frame=frame) for frame, name in named]
    ob.superpose.markers = json.dumps([(marker.frame, marker.name) for marker in made])
    ob.superpose.markers_of = ob.name


def remove_markers(ob: Object) -> None:
    """Remove the markers of the armature from all scenes."""
    for scene in (scene for scene in bpy.data.scenes if not scene.library):
        for marker in markers_of(scene, ob):
            scene.timeline_markers.remove(marker)
    if ob.is_property_set("superpose"):
        for name in ("markers", "markers_of"):
            ob.superpose.property_unset(name)


def has_markers(ob: Object) -> bool:
    """Return whether any scene has markers of the armature."""
    return any(markers_of(scene, ob) for scene in bpy.data.scenes if not scene.library)


def markers_of(scene: Scene, ob: Object) -> list[TimelineMarker]:
    """Return the scene's markers that were put there for the armature."""
    stored = ob.superpose.markers if ob.is_property_set("superpose") and not _is_copy(ob) else ""
    left = Counter((frame, name) for frame, name in json.loads(stored)) if stored else Counter()
    found = []
    for marker in scene.timeline_markers if left else ():
        place = marker.frame, marker.name
        if left[place] and marker.camera is None:
            left[place] -= 1
            found.append(marker)
    return found


def _is_copy(ob: Object) -> bool:
    """Return whether the markers that the armature stores were made for another one, which has them still."""
    setup = ob.superpose
    other = bpy.data.objects.get(setup.markers_of) if setup.markers_of != ob.name else None
    has_setup = other is not None and other.is_property_set("superpose")
    return has_setup and other.superpose.markers == setup.markers


def users_frames(scene: Scene) -> set[int]:
    """Return the frames of the user's own markers."""
    made = {marker for ob in bpy.data.objects for marker in markers_of(scene, ob)}
    return {marker.frame for marker in scene.timeline_markers if marker not in made}
