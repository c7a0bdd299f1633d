# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands still: objects that Blender does not evaluate, although it may keep a copy of how they were.

That is what is switched off in viewports or left out of the view layer. What the eye hides goes on moving.
"""

from collections.abc import Iterator

from bpy.types import Collection, LayerCollection, Object, ViewLayer

from ..errors import RigError
from ..rig.rig import Rig


def check_evaluated(rig: Rig, ob: Object, view_layer: ViewLayer) -> None:
    """Raise RigError naming the armature object or the target that stands still."""
    _check(ob, f"Armature '{ob.name}'", view_layer)
    for place, words in zip(rig.places, rig.targets, strict=True):
        target = ob.pose.bones[int(rig.indices[place])].superpose.target
        if target is not None:
            _check(target, f"The target {words}", view_layer)


def _check(ob: Object, name: str, view_layer: ViewLayer) -> None:
    if ob.visible_get(view_layer=view_layer):
        return
    in_use = set(_switched_on(view_layer.layer_collection))
    if ob.hide_viewport or in_use.isdisjoint(ob.users_collection):
        raise RigError(
            f"{name} is switched off in viewports, so it stands still: hide it with the eye instead"
        )


def _switched_on(layer: LayerCollection) -> Iterator[Collection]:
    """Yield the collections whose objects are evaluated."""
    if layer.collection.hide_viewport:
        return
    if not layer.exclude:
        yield layer.collection
    for child in layer.children:
        yield from _switched_on(child)
