# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove everything that Superpose stored and made for an armature; the pose and the keys of bones stay."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import ID, Action, Context, Object, Operator

from ...armature import RigError
from ...armature.fcurves.actions import curves_of, remove_curve
from ..mixins.rig import RigOperator
from .belongings import clear, made_targets

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

# Where a thing lies or is looked at, not what needs it.
HOLDERS = (bpy.types.Collection, bpy.types.Scene, bpy.types.Screen)


def is_set_up(ob: Object) -> bool:
    return any(owner.is_property_set("superpose") for owner in (ob, *ob.pose.bones))


def is_ours(path: str) -> bool:
    """Return whether the path ends at one of Superpose's own properties."""
    return path.rpartition(".")[2].startswith("superpose_")


def remove_animation(ob: Object) -> None:
    """Remove the drivers of Superpose's own properties, and their F-curves in the assigned action."""
    animation = ob.animation_data
    if animation is None:
        return
    for driver in [driver for driver in animation.drivers if is_ours(driver.data_path)]:
        animation.drivers.remove(driver)
    for curve in [curve for curve in curves_of(animation) if is_ours(curve.data_path)]:
        remove_curve(animation, curve)


def actions_of(targets: list[Object]) -> list[Action]:
    """Return the actions that move the targets, those of NLA strips too, unless the user wants them kept."""
    users = bpy.data.user_map(subset=list(bpy.data.actions))
    kept = (action for action in users if not action.use_fake_user and not action.library)
    return [action for action in kept if users[action] & set(targets)]


def unused(things: list[ID]) -> list[ID]:
    """Return those of the things that nothing but each other needs."""
    users, left = bpy.data.user_map(subset=things), set(things)
    while needed := {thing for thing in left if any(needs(user, left) for user in users[thing])}:
        left -= needed
    return [thing for thing in things if thing in left]


def needs(user: ID, things: set[ID]) -> bool:
    return user not in things and not isinstance(user, HOLDERS)


def put_scenes_back() -> None:
    """Turn off what Superpose shows in the scenes, and forget that it was ever on."""
    ours = [setting for setting in bpy.types.Scene.bl_rna.properties if is_ours(setting.identifier)]
    for scene in (scene for scene in bpy.data.scenes if not scene.library):
        for setting in ours:
            if scene.is_property_set(setting.identifier):
                setattr(scene, setting.identifier, setting.default)  # only this tells who follows the setting
                scene.property_unset(setting.identifier)


class SUPERPOSE_OT_remove_setup(RigOperator, Operator):
    """Remove all effectors and settings of Superpose from this armature, and the targets made for it"""

    bl_idname = "superpose.remove_setup"
    bl_label = "Remove Set-Up"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        targets = made_targets(ob)
        if not (is_set_up(ob) or targets):
            raise RigError(f"'{ob.name}' has no set-up")
        collection = ob.superpose.collection
        remove_animation(ob)
        for owner in (*ob.pose.bones, ob, *targets):
            clear(owner)
        removed = unused([*targets, *actions_of(targets)])
        kept = [target.name for target in targets if target not in removed]
        # Else nothing would be active, and the panel had no armature to show.
        if context.object in removed and context.view_layer.objects.get(ob.name) == ob:
            ob.select_set(True)
            context.view_layer.objects.active = ob
        bpy.data.batch_remove(removed)
        if collection and not collection.library and not collection.objects and not collection.children:
            bpy.data.batch_remove(unused([collection]))
        if not any(is_set_up(other) for other in bpy.data.objects if other.type == 'ARMATURE'):
            put_scenes_back()
        if kept:
            self.report({'INFO'}, f"Kept what is in use elsewhere: {', '.join(kept)}")
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_remove_setup,))
