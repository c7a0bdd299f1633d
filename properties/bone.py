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
        description="What the bone does while others are moved; what is moved itself comes first anyway. "
        "The same in all frames: where it should let go, key Position Weight and Rotation Weight to 0",
        items=(
            (
                'PINNED',
                "Pinned",
                "Stays where it is, or at its target, before anything else: others give way to it, "
                "and too many of these contradict each other",
                'PINNED',
                0,
            ),
            (
                'FOLLOWS',
                "Follows",
                "Stays as far as what is pinned or moved lets it; among these the weights decide",
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
        description="Of a pinned foot of a recognised body ball and toes stay, and the heel stays above the "
        "ground: it lifts where the ankle bends no further. Without it the ankle stays, and the foot tips",
        default=True,
        **SETTING,
    )
    ground: FloatVectorProperty(
        name="Ground",
        description="The face that a foot was last put on: its normal, and how far along that it is from the "
        "scene's origin. It counts as long as the foot's ball is on it; all zero for none",
        size=4,
        **SETTING | {"options": {'HIDDEN'}},
    )
    planted: FloatVectorProperty(
        name="Planted",
        description="The place, bone to armature, of a foot without a target before its heel had to lift. It "
        "counts as long as the foot's ball is where it has it; all zero for none",
        size=16,
        **SETTING | {"options": {'HIDDEN'}},
    )
    position_axes: BoolVectorProperty(
        name="Position Axes",
        description="Scene axes along which the place counts; along the others the bone is free, "
        "and with too few it drifts",
        default=(True, True, True),
        subtype='XYZ',
        **SETTING,
    )
    rotation_axes: BoolVectorProperty(
        name="Rotation Axes",
        description="The target's own axes about which the rotation counts; about the others the bone turns "
        "freely, with too few it twists",
        default=(True, True, True),
        subtype='XYZ',
        **SETTING,
    )
    falloff: FloatProperty(
        name="Pass Through",
        description="How much the bones above this one work for the effectors below it; "
        "too little shields them, and what is below may no longer reach",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="How unwilling the bone is to turn; 1 locks it, and with too many stiff bones targets "
        "are missed",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )

    twist_share: FloatProperty(
        name="Share of Twist",
        description="How much of a limb's turn about its own length the bone takes; 0 for a bone that is no "
        "twist bone. Too much, and the skin wrings at the bone's other end",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )
    twist_of: EnumProperty(
        name="Twist Of",
        description="Whose turn about the limb's length it takes a share of, where its share is more than 0",
        items=(
            (
                'END',
                "Next Joint",
                "That of the joint at the limb's end, as a forearm's twist bone turns with the hand",
            ),
            (
                'START',
                "Limb",
                "That of the limb's own first bone: an upper arm's twist bone stays behind at the shoulder",
            ),
        ),
        **SETTING,
    )

    turn_speed: FloatProperty(
        name="Turn / Second",
        description="How far the bone turns in a second at most, so that it lags and follows through, in "
        "bakes and while Live plays; 0 for no bound. Too slow, and what it carries misses its target",
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
        ),
        **SETTING | {"options": {'ENUM_FLAG', 'HIDDEN'}},
    )

    mass: FloatProperty(
        name="Mass",
        description="The bone's share of the body's mass, for goals of balance; 0 takes that of humans, "
        "or goes by length. Too much, and the whole body leans to balance the bone",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )

    limit: PointerProperty(
        name="Limit",
        description="What the joint may not do",
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
    is_missed: BoolProperty(name="Missed", description="The last solve missed by what can be seen", **RESULT)
    is_along: BoolProperty(
        name="Goes Along", description="The last solve asked for nothing: it went with the body", **RESULT
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
        description="Whether the last solve met the target, and what it left by place and by turn",
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
        description="How far the target lies beyond the bones at full stretch, in scene units; "
        "limits, which it leaves aside, may keep the bone farther off",
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
        description="How much a miss in place counts against the other effectors; 0 ignores the place, "
        "far above the others it spoils theirs where not all can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **KEYABLE,
    )
    PoseBone.superpose_rotation_weight = FloatProperty(
        name="Rotation Weight",
        description="How much a miss in rotation counts against the other effectors; 0 ignores the rotation, "
        "far above the position weight it gives up the place where not both can be met",
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
        description="In these frames bakes do not believe the target, but bridge it by how it moves before "
        "and after; of long spans that is made up",
        **KEYABLE,
    )
    PoseBone.superpose_contact = BoolProperty(
        name="Contact",
        description="In these frames the head of the bone stands: bakes hold it in place, whatever gives "
        "way; where the target goes on meanwhile, the body stays behind",
        **KEYABLE,
    )
    PoseBone.superpose_tip_contact = BoolProperty(
        name="Tip Contact",
        description="In these frames the tip of the bone, as the ball of a foot, stands: bakes hold it in "
        "place, and the bone may turn about it",
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
