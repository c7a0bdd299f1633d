# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to a set-up: the effectors on the bones, the targets made for them and their collection."""

import bpy
from bpy.types import Context, Object, PoseBone
from mathutils import Matrix

from ...armature import target_matrix
from ...armature.setup.clearing import clear_effector, unset_keyed
from ...armature.setup.comfort import read_comfort
from ...armature.setup.empties import made_for
from ...armature.setup.limits import limit_kind
from ...armature.setup.made import forget_made, made_of
from ...armature.setup.twists import has_twist

# What Set Up Body may have made of joints, by what it is called there.
MADE = {
    'STIFFNESS': ("stiffness",),
    'LIMIT': ("limit",),
    'COMFORT': ("comfort",),
    'TWIST': ("twist_share", "twist_of"),
    'SPEED': ("turn_speed",),
}


def effector_places(context: Context, ob: Object, bones: list[PoseBone]) -> list[Matrix]:
    """Return where targets have to be for the bones to meet them as they are (target_to_world, unscaled)."""
    depsgraph = context.evaluated_depsgraph_get()
    return [target_matrix(ob, bone.name, bone.superpose_offset, depsgraph) for bone in bones]


def made_targets(ob: Object) -> list[Object]:
    """Return the objects that Superpose made as targets for this armature."""
    return [target for target in bpy.data.objects if made_for(target) == ob and not target.library]


def users_own(ob: Object) -> list[str]:
    """Return the user's goals and bones with settings, where Set Up Body has made others; else none."""
    set_up = [bone for bone in ob.pose.bones if bone.is_property_set("superpose")]
    if not any(map(made_of, set_up)):
        return []
    bones = [bone.name for bone in set_up if settings_of(bone) - made_of(bone)]
    return [*bones, *(goal.name for goal in ob.superpose.goals)]


def settings_of(bone: PoseBone) -> set[str]:
    """Return which of the things the bone has that Set Up Body or the user may have given it."""
    stored = bone.superpose
    there = {
        'EFFECTOR': stored.is_effector,
        'MASS': stored.mass > 0,
        'STIFFNESS': stored.stiffness > 0,
        'LIMIT': limit_kind(bone) != 'NONE',
        'COMFORT': read_comfort(bone) is not None,
        'TWIST': has_twist(bone),
        'SPEED': stored.turn_speed > 0,
    }
    return {what for what, is_there in there.items() if is_there}


def clear_made(bone: PoseBone) -> None:
    """Delete of the bone's settings those that Set Up Body has made."""
    made = set(made_of(bone))
    clear_made_of_joint(bone)
    if 'EFFECTOR' in made:
        clear_effector(bone)
    if 'ROOT' in made and bone.id_data.superpose.root_bone == bone.name:
        bone.id_data.superpose.property_unset("chosen_root_bone")
    bone.superpose.property_unset("made")


def clear_made_of_joint(bone: PoseBone) -> None:
    """Delete of what its joint may do what Set Up Body has made."""
    for what in made_of(bone) & MADE.keys():
        for name in MADE[what]:
            bone.superpose.property_unset(name)
        forget_made(bone, what)


def clear(owner: PoseBone | Object) -> None:
    """Delete everything that Superpose stored on the pose bone or object."""
    owner.property_unset("superpose")
    if isinstance(owner, PoseBone):
        unset_keyed(owner)
    else:
        owner.superpose_live = False  # else nobody would notice
        owner.property_unset("superpose_live")
