# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one bone is to the solve."""

from math import pi

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PoseBone, PropertyGroup

from . import KEYABLE, OVERRIDABLE, RESULT, SETTING, TARGET
from .bone_names import KEPT, naming, target_armature
from .comfort import SUPERPOSE_PG_comfort
from .limit import SUPERPOSE_PG_limit
from .result_lists import Reason, result_list


class SUPERPOSE_PG_bone(PropertyGroup):
    """What one bone is to the solve: an effector with a target, a joint with a limit, a stiff bone."""

    is_effector: BoolProperty(
        name="Effector",
        description="This bone should meet a target",
        **SETTING,
    )
    order: IntProperty(
        name="Order",
        description="Place in the list of effectors; it makes no difference to the solve",
        **SETTING,
    )
    enabled: BoolProperty(
        name="Enabled",
        description="Take part in the solve; a disabled effector is left wherever the others carry it",
        default=True,
        **SETTING,
    )
    target: PointerProperty(
        name="Target",
        description="Object whose place and rotation the bone should take; for an armature, choose a bone",
        type=Object,
        **TARGET,
    )
    expects_target: BoolProperty(
        name="Expects Target",
        description="A target was chosen; where there is none it was deleted",
        **SETTING,
    )
    chosen_target_bone: StringProperty(name="Chosen Target Bone", **KEPT)
    target_bone: StringProperty(
        name="Target Bone",
        description="Bone of the target armature whose place and rotation this bone should take",
        **SETTING,
        **naming("chosen_target_bone", target_armature),
    )
    hold: EnumProperty(
        name="Hold",
        description="What the bone does while you move others; the bone that you move comes first anyway. "
        "It is the same in all frames: to let go in some, key Position Weight and Rotation Weight to 0 "
        "there",
        items=(
            (
                'PINNED',
                "Pinned",
                "Stays where it is, or at its target, before anything else: others give way to it. Too "
                "many pins contradict each other",
                'PINNED',
                0,
            ),
            (
                'FOLLOWS',
                "Follows",
                "Stays as far as pinned and moved bones let it; among bones that follow, the weights decide",
                'LINKED',
                1,
            ),
            (
                'FREE',
                "Free",
                "Goes with the body, which strays as little as it can, and takes its target along",
                'UNLINKED',
                2,
            ),
        ),
        default='FOLLOWS',
        **SETTING,
    )
    use_sole: BoolProperty(
        name="Pin by the Sole",
        description="Ball and toes of a pinned foot stay, if the body is recognised, and the heel stays "
        "above the ground: it lifts where the ankle bends no further. Without this, the ankle stays and "
        "the foot tips",
        default=True,
        **SETTING,
    )
    ground: FloatVectorProperty(
        name="Ground",
        description="The face that a foot was last put on: its normal, and its distance along that from "
        "the scene's origin. It counts as long as the foot's ball is on it; all zero for none",
        size=4,
        **SETTING | {"options": {'HIDDEN'}},
    )
    planted: FloatVectorProperty(
        name="Planted",
        description="The place, bone to armature, of a foot without a target before its heel had to lift. "
        "It counts as long as the foot's ball is still in its place there; all zero for none",
        size=16,
        **SETTING | {"options": {'HIDDEN'}},
    )
    position_axes: BoolVectorProperty(
        name="Position Axes",
        description="Scene axes along which the place counts; along the others the bone is free. With too "
        "few axes it drifts",
        default=(True, True, True),
        subtype='XYZ',
        **SETTING,
    )
    rotation_axes: BoolVectorProperty(
        name="Rotation Axes",
        description="The target's own axes about which the rotation counts; about the others the bone "
        "turns freely. With too few axes it twists",
        default=(True, True, True),
        subtype='XYZ',
        **SETTING,
    )
    falloff: FloatProperty(
        name="Pass Through",
        description="How much the bones above this one work for the effectors below it; too little shields "
        "them, and effectors below may no longer reach",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="How unwilling the bone is to turn; 1 locks it. With too many stiff bones, targets are "
        "missed",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )

    twist_share: FloatProperty(
        name="Share of Twist",
        description="Part of a limb's turn about its own length that the bone takes; 0 for a bone that is "
        "no twist bone. Too much wrings the skin at the bone's other end",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )
    twist_of: EnumProperty(
        name="Twist Of",
        description="Which turn about the limb's length the bone shares, if its share is more than 0",
        items=(
            (
                'END',
                "Next Joint",
                "The turn of the joint at the limb's end: a forearm's twist bone turns with the hand",
            ),
            (
                'START',
                "Limb",
                "The turn of the limb's own first bone: an upper arm's twist bone stays behind at the "
                "shoulder",
            ),
        ),
        **SETTING,
    )

    turn_speed: FloatProperty(
        name="Turn / Second",
        description="Largest turn of the bone in a second, so that it lags and follows through, in bakes "
        "and while Live plays; 0 for no bound. If it is too slow, the effectors that it carries miss their "
        "targets",
        default=0.0,
        min=0.0,
        soft_max=4 * pi,
        step=1000,
        precision=1,
        subtype='ANGLE',
        **SETTING,
    )

    chosen_as: StringProperty(
        name="Chosen As",
        description="By which name settings know the bone, whatever it is called by now",
        **SETTING | {"options": {'HIDDEN'}},
    )
    made_as: StringProperty(
        name="Made As",
        description="The role in the body, such as hand.L, for which Set Up Body made the bone an effector",
        **SETTING | {"options": {'HIDDEN'}},
    )
    made: EnumProperty(
        name="Made",
        description="What Set Up Body has made of this bone, and Remove Set-Up takes back",
        items=(
            ('EFFECTOR', "Effector", "The bone was made an effector"),
            ('STIFFNESS', "Stiffness", "The bone was made stiff"),
            ('LIMIT', "Limit", "The joint was given a limit"),
            ('COMFORT', "Comfort", "The joint was given a comfort pose"),
            ('TWIST', "Twist", "The bone was given a share of its limb's twist"),
            ('SPEED', "Speed", "The bone was made slow"),
            ('ROOT', "Root", "The bone was made the root bone"),
        ),
        **SETTING | {"options": {'ENUM_FLAG', 'HIDDEN'}},
    )

    mass: FloatProperty(
        name="Mass",
        description="The bone's share of the body's mass, for Balance goals; 0 takes the share of a "
        "human's bone, or goes by length. Too much makes the whole body lean to balance the bone",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )

    limit: PointerProperty(
        name="Limit",
        description="How far the joint may turn",
        type=SUPERPOSE_PG_limit,
        **OVERRIDABLE,
    )
    comfort: PointerProperty(
        name="Comfort",
        description="How the joint would rather be where the targets leave a choice",
        type=SUPERPOSE_PG_comfort,
        **OVERRIDABLE,
    )

    is_solved: BoolProperty(name="Solved", description="The last solve included this effector", **RESULT)
    is_missed: BoolProperty(
        name="Missed", description="The last solve left a miss that can be seen", **RESULT
    )
    is_along: BoolProperty(
        name="Goes Along",
        description="The last solve asked nothing of the bone: it went with the body",
        **RESULT,
    )
    gave_way: BoolProperty(
        name="Gave Way", description="It only follows, and the last solve left it elsewhere", **RESULT
    )
    position_residual: FloatProperty(
        name="Distance",
        description="Distance left between the bone and its target after the last solve, in scene units",
        subtype='DISTANCE',
        **RESULT,
    )
    rotation_residual: FloatProperty(
        name="Angle",
        description="Turn left between the bone and its target after the last solve",
        subtype='ANGLE',
        **RESULT,
    )
    miss: StringProperty(name="Miss", description="What the last solve left, in words", **RESULT)
    left: StringProperty(
        name="Left",
        description="Whether the last solve met the target, and how far off the bone is by place and by turn",
        **RESULT,
    )
    held_back: StringProperty(
        name="At Their Limits",
        description="Bones that the last solve left at limits which keep this effector off, one a line",
        **RESULT,
    )
    reasons_json: StringProperty(
        name="Reasons",
        description="Why the last solve missed the target, the most telling first, as JSON",
        options={'HIDDEN'},
    )
    reasons = result_list("reasons_json", Reason)
    is_of_frame: BoolProperty(
        name="Is of a Frame", description="The result is that of one frame of a bake, the worst", **RESULT
    )
    worst_frame: IntProperty(name="Worst Frame", description="The frame that the result is of", **RESULT)
    out_of_reach: FloatProperty(
        name="Out of Reach",
        description="How far the target lies beyond the bones at full stretch, in scene units. It does not "
        "count limits, which may keep the bone farther off",
        subtype='DISTANCE',
        **RESULT,
    )


register_classes, unregister_classes = bpy.utils.register_classes_factory((SUPERPOSE_PG_bone,))


def register() -> None:
    register_classes()
    # Blender makes no animation path to a group on a bone, so what is to be keyed is the bone's own.
    PoseBone.superpose_influence = FloatProperty(
        name="Influence",
        description="Blends the target from where the bone is animated to be (0) to the target itself (1)",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **KEYABLE,
    )
    PoseBone.superpose_position_weight = FloatProperty(
        name="Position Weight",
        description="How much a miss in place counts against the other effectors; 0 ignores the place. A "
        "weight far above the others spoils their places where not all can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **KEYABLE,
    )
    PoseBone.superpose_rotation_weight = FloatProperty(
        name="Rotation Weight",
        description="How much a miss in rotation counts against the other effectors; 0 ignores the "
        "rotation. A weight far above the position weight gives up the place where not both can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **KEYABLE,
    )
    PoseBone.superpose_offset = FloatVectorProperty(
        name="Offset",
        description="The point that should meet the target, measured from the bone's head along its axes; "
        "far from the bone, a small turn moves it a lot",
        subtype='TRANSLATION',
        unit='LENGTH',
        **KEYABLE,
    )
    PoseBone.superpose_mask = BoolProperty(
        name="Mask Target",
        description="In these frames bakes ignore the target and bridge it by its motion before and after; "
        "over long spans that is a guess",
        **KEYABLE,
    )
    PoseBone.superpose_contact = BoolProperty(
        name="Contact",
        description="In these frames the head of the bone stands: bakes hold it in place, and other "
        "targets give way. If its target moves on meanwhile, the body stays behind",
        **KEYABLE,
    )
    PoseBone.superpose_tip_contact = BoolProperty(
        name="Tip Contact",
        description="In these frames the tip of the bone, such as the ball of a foot, stands: bakes hold "
        "it in place, and the bone may turn about it",
        **KEYABLE,
    )
    PoseBone.superpose = PointerProperty(type=SUPERPOSE_PG_bone, **OVERRIDABLE)


def unregister() -> None:
    del PoseBone.superpose
    del PoseBone.superpose_tip_contact
    del PoseBone.superpose_contact
    del PoseBone.superpose_mask
    del PoseBone.superpose_offset
    del PoseBone.superpose_rotation_weight
    del PoseBone.superpose_position_weight
    del PoseBone.superpose_influence
    unregister_classes()
