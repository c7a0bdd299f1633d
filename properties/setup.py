# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How one armature is solved, and how the last solve went."""

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Collection, Object, PropertyGroup

from . import OVERRIDABLE, RESULT, SETTING
from .active_effector import active_index, choose
from .bone_names import KEPT, naming, own_armature
from .goal import SUPERPOSE_PG_goal
from .method import MethodSettings
from .result_lists import Contestant, Reason, result_list


def is_other_armature(settings: PropertyGroup, ob: Object) -> bool:
    """Return whether the object is an armature, and not the one that the settings are of."""
    return ob.type == 'ARMATURE' and ob != settings.id_data


class SUPERPOSE_PG_setup(MethodSettings, PropertyGroup):
    """How one armature is solved, and how the last solve went."""

    active_bone_index: IntProperty(
        name="Effector",
        description="Bones that should meet a target; while a target is the active object, its effector is "
        "the active one",
        get=active_index,
        set=choose,
        options=set(),
    )
    chosen_bone_index: IntProperty(
        name="Chosen Effector",
        description="The effector that was last chosen in the list",
        **SETTING,
    )
    chosen_root_bone: StringProperty(name="Chosen Root Bone", **KEPT)
    root_bone: StringProperty(
        name="Root Bone",
        description="Topmost bone that the solve moves, but for one above it that you drag; empty for the "
        "armature's own topmost bones. Where a bone on the floor carries the hips, as in rigs for games, "
        "choose the hips: else the solve tilts the floor",
        **SETTING,
        **naming("chosen_root_bone", own_armature),
    )
    root_location: EnumProperty(
        name="Root Location",
        description="Whether the whole body may be moved to reach the targets",
        items=(
            (
                'FREE',
                "Free",
                "The root bone moves along the chosen axes; with few effectors the body floats. With one "
                "alone it stays until you choose this",
            ),
            (
                'ANCHORED',
                "Anchored",
                "The root bone turns where it is; targets that limbs cannot reach are missed",
            ),
        ),
        default='FREE',
        **SETTING,
    )
    root_axes: BoolVectorProperty(
        name="Free Axes",
        description="Scene axes along which the root bone may be moved",
        default=(True, True, True),
        subtype='XYZ',
        **SETTING,
    )
    scope: EnumProperty(
        name="Solve",
        description="Which effectors take part",
        items=(
            ('ALL', "All Effectors", "Solve the whole body"),
            ('SELECTED', "Selected Bones", "Solve only the chains of effectors that are selected bones"),
        ),
        default='ALL',
        **SETTING,
    )
    use_limits: BoolProperty(
        name="Joint Limits",
        description="Keep joints within the limits that are set here and those of the rig: Limit Rotation "
        "constraints in local space, and limits, locks and stiffness of Blender's IK. Without this, none "
        "of them count, and bones with such a constraint are not solved",
        default=True,
        **SETTING,
    )
    use_comfort: BoolProperty(
        name="Comfort",
        description="Where the targets leave a choice, take the pose nearest to the bones' comfort poses; "
        "without this, what the targets leave open stays as it is",
        default=True,
        **SETTING,
    )

    goals: CollectionProperty(
        name="Goals",
        description="Goals of the body besides its effectors' targets",
        type=SUPERPOSE_PG_goal,
        options=set(),
        override={'LIBRARY_OVERRIDABLE', 'USE_INSERTION'},
    )
    active_goal_index: IntProperty(
        name="Goal",
        description="The goal whose settings are shown",
        options=set(),
        **OVERRIDABLE,
    )

    control_rig: PointerProperty(
        name="Control Rig",
        description="Rig with controls that this armature is the body of: Fit Controls puts its controls so "
        "that its joints are where the bones of this one are",
        type=Object,
        poll=is_other_armature,
        **SETTING,
    )
    fitted: StringProperty(
        name="Fitted",
        description="How far the rig's joints were left from this armature's bones by the last Fit Controls, "
        "and which controls were left as they were",
        **RESULT,
    )
    found: StringProperty(
        name="Found", description="What was found in the targets since the last solve or bake", **RESULT
    )
    is_fitted_off: BoolProperty(
        name="Fitted Off", description="The last Fit Controls left a miss that can be seen", **RESULT
    )
    rig: PointerProperty(
        name="Rig",
        description="Armature for which Superpose made this target; it is removed with the set-up",
        type=Object,
        **SETTING,
    )
    collection: PointerProperty(
        name="Targets",
        description="Collection that Superpose made for the targets; it is removed with the set-up",
        type=Collection,
        **SETTING,
    )
    made_as: StringProperty(
        name="Made As",
        description="The kind of body that Set Up Body has made it",
        **SETTING | {"options": {'HIDDEN'}},
    )
    is_solved: BoolProperty(name="Solved", description="There is a result of a solve", **RESULT)
    rmsd: FloatProperty(
        name="RMSD",
        description="Root mean square of the distances that the last solve left between bones and targets, "
        "in scene units",
        subtype='DISTANCE',
        **RESULT,
    )
    position_residual: FloatProperty(
        name="Worst Distance",
        description="Largest distance left between an effector and its target, in scene units",
        subtype='DISTANCE',
        **RESULT,
    )
    rotation_residual: FloatProperty(
        name="Worst Angle",
        description="Largest turn left between an effector and its target",
        subtype='ANGLE',
        **RESULT,
    )
    is_missed: BoolProperty(name="Missed", description="The last solve missed some targets", **RESULT)
    solved_frame: IntProperty(name="Frame", description="The frame whose pose was solved last", **RESULT)
    followed: StringProperty(
        name="Followed",
        description="What live posing last found a pose for, as a digest, and how the bones hung together",
        options={'HIDDEN'},
    )
    followed_frame: FloatProperty(
        name="Followed Frame",
        description="The scene's frame in which live posing last left the armature",
        options={'HIDDEN'},
    )
    begun: StringProperty(
        name="Begun",
        description="The pose that the one in the file was solved from, for its frame alone, and of which "
        "pose that is said, as a digest",
        options={'HIDDEN'},
        **OVERRIDABLE,
    )
    stand: StringProperty(
        name="Stand",
        description="Where bones and targets were when the pose was solved",
        options={'HIDDEN'},
    )
    message: StringProperty(name="Result", description="How the last solve or bake went", **RESULT)
    jumps: StringProperty(name="Jumps", description="Where the last bake jumps, and what to do", **RESULT)
    strays: StringProperty(
        name="Strays",
        description="Which effectors Blender shows elsewhere than they were solved to be, and why",
        **RESULT,
    )
    notes: StringProperty(name="Notes", description="What the last solve noticed about the rig", **RESULT)
    reasons_json: StringProperty(
        name="Reasons",
        description="Why the last drag missed what it asked of bones that are no effectors, as JSON",
        options={'HIDDEN'},
    )
    reasons = result_list("reasons_json", Reason)
    clip_report: StringProperty(
        name="Clip Report",
        description="How the last bake went from frame to frame, as JSON",
        options={'HIDDEN'},
    )
    baked: StringProperty(
        name="Baked",
        description="What bakes were asked for in each frame, and how far off they left the body, as JSON",
        options={'HIDDEN'},
    )
    markers: StringProperty(
        name="Markers",
        description="Frames and names of the timeline's markers that Mark Frames has made, as JSON",
        options={'HIDDEN'},
    )
    markers_of: StringProperty(
        name="Markers Of",
        description="The armature that Mark Frames has made the markers for; a copy of it has none",
        options={'HIDDEN'},
    )
    compared: StringProperty(name="Compared", description="What solvers were last compared on", **RESULT)
    contestants_json: StringProperty(
        name="Comparison",
        description="How each solver did when they were last compared, as JSON",
        options={'HIDDEN'},
    )
    contestants = result_list("contestants_json", Contestant)


register_classes, unregister_classes = bpy.utils.register_classes_factory((SUPERPOSE_PG_setup,))


def register() -> None:
    register_classes()
    Object.superpose = PointerProperty(type=SUPERPOSE_PG_setup, **OVERRIDABLE)


def unregister() -> None:
    del Object.superpose
    unregister_classes()
