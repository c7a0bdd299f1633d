# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove everything that Superpose stored and made for an armature; the pose and the keys of bones stay."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.types import ID, Action, Collection, Context, Object, Operator

from ...armature import RigError, effectors_of
from ...armature.by_role.made_roles import is_as_made, moved_roles
from ...armature.by_role.plan import Plan
from ...armature.by_role.preset import Preset
from ...armature.fcurves.actions import curves_of, remove_curve
from ...armature.recording.markers import remove_markers
from ...armature.setup.made import made_of
from ...reports import forget, names_text
from ..mixins.rig import RigOperator
from .belongings import clear, clear_made, clear_made_of_joint, made_targets, users_own

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

# Where a thing lies or is looked at, not what needs it.
HOLDERS = (bpy.types.Collection, bpy.types.Scene, bpy.types.Screen)


def is_set_up(ob: Object) -> bool:
    return any(owner.is_property_set("superpose") for owner in (ob, *ob.pose.bones))


def is_ours(path: str, owners: Sequence[str] = ("",)) -> bool:
    """Return whether the path ends at one of Superpose's own properties, of one of the owners by path."""
    is_own = path.rpartition(".")[2].startswith("superpose_") or path.startswith("superpose.")
    return is_own and path.startswith(tuple(owners))


def remove_animation(ob: Object, owners: Sequence[str] = ("",)) -> None:
    """Remove the drivers of Superpose's own properties, and their F-curves in the assigned action.

    ``owners``: the paths of the bones whose properties are meant; else all.
    """
    animation = ob.animation_data
    if animation is None:
        return
    for driver in [driver for driver in animation.drivers if is_ours(driver.data_path, owners)]:
        animation.drivers.remove(driver)
    for curve in [curve for curve in curves_of(animation) if is_ours(curve.data_path, owners)]:
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


def take_back(ob: Object) -> list[Object]:
    """Delete what Set Up Body has made of the bones; return the targets that nothing asks for any more."""
    made = [bone for bone in ob.pose.bones if made_of(bone)]
    remove_animation(ob, [bone.path_from_id() for bone in made if 'EFFECTOR' in made_of(bone)])
    forget(ob)
    for bone in made:
        clear_made(bone)
    ob.superpose_live = False
    ob.superpose.property_unset("made_as")
    return unheeded(ob, made_targets(ob))


def unheeded(ob: Object, targets: Iterable[Object]) -> list[Object]:
    """Return those of the targets that no effector and no goal of the armature asks for."""
    heeded = {goal.target for goal in (*(bone.superpose for bone in effectors_of(ob)), *ob.superpose.goals)}
    return [target for target in targets if target not in heeded]


def take_back_other_kind(context: Context, ob: Object, kind: str) -> str:
    """Remove what Set Up Body has made of the armature as another kind of body, so that the two do not mix;
    return what that kind was, or nothing."""
    other = ob.superpose.made_as
    if other in ("", kind):
        return ""
    remove_targets(context, ob, take_back(ob), ob.superpose.collection)
    ob.superpose.property_unset("root_location")
    return other


def take_back_moved_roles(context: Context, ob: Object, plan: Plan, preset: Preset) -> list[str]:
    """Remove what Set Up Body has made of bones whose roles others play by now, or none; return their names.

    What the user has changed, or moves, stays. Bones that play such a role by now get the joints of it.
    """
    moved = moved_roles(ob, plan.roles)
    gone = [
        bone
        for role, bone in moved.items()
        if bone.name not in plan.effectors and is_as_made(bone, preset.effectors[role])
    ]
    targets = [bone.superpose.target for bone in gone if bone.superpose.target]
    for bone in gone:
        clear_made(bone)
    for bone in (ob.pose.bones[plan.roles[role]] for role in moved if plan.roles[role]):
        clear_made_of_joint(bone)
    remove_targets(context, ob, unheeded(ob, targets), None)
    return [bone.name for bone in gone]


def forget_all(ob: Object) -> list[Object]:
    """Delete everything that is stored on the armature and its bones; return the targets made for it."""
    targets = made_targets(ob)
    remove_animation(ob)
    remove_markers(ob)
    for owner in (*ob.pose.bones, ob):
        clear(owner)
    return targets


def remove_targets(context: Context, ob: Object, targets: list[Object], collection: Collection | None) -> str:
    """Remove the targets with what moves them, and their collection if it is empty; say which are needed."""
    for target in targets:
        clear(target)
    removed = unused([*targets, *actions_of(targets)])
    kept = [target.name for target in targets if target not in removed]
    # Else nothing would be active, and the panel had no armature to show.
    if context.object in removed and context.view_layer.objects.get(ob.name) == ob:
        ob.select_set(True)
        context.view_layer.objects.active = ob
    bpy.data.batch_remove(removed)
    if collection and not collection.library and not collection.objects and not collection.children:
        bpy.data.batch_remove(unused([collection]))
    return f"kept what is in use elsewhere: {', '.join(kept)}" if kept else ""


class SUPERPOSE_OT_remove_setup(RigOperator, Operator):
    """Remove what Set Up Body made of this armature, and keep your own settings. If it made nothing, remove \
all effectors and settings of Superpose and the targets made for it"""

    bl_idname = "superpose.remove_setup"
    bl_label = "Remove Set-Up"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        if not (is_set_up(ob) or made_targets(ob)):
            raise RigError(f"'{ob.name}' has no set-up")
        collection, theirs = ob.superpose.collection, users_own(ob)
        targets = take_back(ob) if theirs else forget_all(ob)
        own = f"kept your own settings of {names_text(theirs)}: press again to remove them too"
        kept = own if theirs else ""
        words = kept, remove_targets(context, ob, targets, collection)
        if not any(is_set_up(other) for other in bpy.data.objects if other.type == 'ARMATURE'):
            put_scenes_back()
        said = "; ".join(filter(None, words))
        if said:
            self.report({'INFO'}, said[0].upper() + said[1:])
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_remove_setup,))
