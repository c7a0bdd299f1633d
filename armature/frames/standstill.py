# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands still: objects that Blender does not evaluate, although it may keep a copy of how they were.

That is what is switched off in viewports, excluded from the view layer or in another scene only. What the eye
hides goes on moving.
"""

from collections.abc import Iterator

from bpy.types import LayerCollection, Object, ViewLayer

from ..errors import RigError
from ..rig.rig import Rig
from .failing import check_settings, check_sources


def check_evaluated(rig: Rig, ob: Object, view_layer: ViewLayer) -> None:
    """Raise RigError naming the armature object or the target that stands still, or that something fails."""
    for thing, _, name in evaluated(rig, ob):
        check_object(thing, name, view_layer)
    check_driven(rig, ob)


def check_driven(rig: Rig, ob: Object) -> None:
    """Raise RigError naming the armature object, the target or the setting that a driver or a library fails.

    Once a driver has failed in any frame it fails in all that follow.
    """
    for thing, bone, name in evaluated(rig, ob):
        check_sources(thing, bone, name)
    check_settings(rig, ob)


def evaluated(rig: Rig, ob: Object) -> Iterator[tuple[Object, str, str]]:
    """Yield the armature object, the bones that carry what is solved of it, and all targets.

    Each with its bone, if any, and what it is called.
    """
    yield ob, "", f"Armature '{ob.name}'"
    above = rig.bones_above(ob)
    parents = {link.parent for link in above}
    for link in above:
        if link not in parents:  # those are behind the others
            yield ob, link.name, f"Bone '{link.name}'"
    for bone, words, has_none in zip(rig.effector_bones(ob), rig.targets, rig.targetless, strict=True):
        asked = None if has_none else bone.superpose
        if asked and asked.target:
            yield asked.target, asked.target_bone, f"The target {words}"
    for setting in rig.goals:
        goal = ob.superpose.goals[setting.index]
        if goal.target:
            yield goal.target, goal.target_bone, f"The target '{goal.target.name}' of {setting.words}"


def check_object(ob: Object, name: str, view_layer: ViewLayer) -> None:
    """Raise RigError unless Blender evaluates the object; ``name``: what it is called in the message."""
    if ob.visible_get(view_layer=view_layer):
        return
    homes = set(ob.users_collection)
    layers = [
        (layer, is_on) for layer, is_on in _layers(view_layer.layer_collection) if layer.collection in homes
    ]
    included = [is_on for layer, is_on in layers if not layer.exclude]
    if not layers:
        raise RigError(f"{name} is not in this scene, so it stands still: link it to the scene")
    if not included:
        raise RigError(
            f"{name} is in a collection that is excluded from the view layer, so it stands still: "
            f"include the collection, and hide it with the eye instead"
        )
    if ob.hide_viewport or not any(included):
        raise RigError(
            f"{name} is switched off in viewports, so it stands still: hide it with the eye instead"
        )


def _layers(layer: LayerCollection, is_on: bool = True) -> Iterator[tuple[LayerCollection, bool]]:
    """Yield the view layer's collections, and whether they and those above are switched on in viewports."""
    is_on = is_on and not layer.collection.hide_viewport
    yield layer, is_on
    for child in layer.children:
        yield from _layers(child, is_on)
