# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is stored in the file, where the user would look for it: on the pose bone and on the object.

An effector is data of its pose bone, so it follows a renamed bone, is copied with the object, and the
path of its animated influence stays the same when the list is put in another order.

Blender stores a group as soon as it is read; whoever only wants to look asks ``is_property_set`` first.
"""

from math import pi, radians

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
from bpy.types import Collection, Object, PoseBone, PropertyGroup

# Rigs that are linked with a library override are set up like any other.
OVERRIDABLE = {"override": {'LIBRARY_OVERRIDABLE'}}
SETTING = {"options": set(), **OVERRIDABLE}
# What a solve found out is neither keyed nor part of an override: it is true until the next solve.
RESULT = {"options": set()}


class SUPERPOSE_PG_bone(PropertyGroup):
    """What one bone is to the solve: an effector with a target, a stiff bone, or neither."""

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
        **SETTING,
    )
    target_bone: StringProperty(
        name="Target Bone",
        description="Bone of the target armature whose place and rotation this bone should take",
        **SETTING,
    )
    offset: FloatVectorProperty(
        name="Offset",
        description="The point that should meet the target, measured from the bone's head along its axes; "
        "far from the bone, a small turn moves it a lot",
        subtype='TRANSLATION',
        unit='LENGTH',
        **SETTING,
    )
    position_weight: FloatProperty(
        name="Position",
        description="How much a miss in place counts against the other effectors; 0 ignores the place, "
        "far above the others it spoils theirs where not all can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **SETTING,
    )
    rotation_weight: FloatProperty(
        name="Rotation",
        description="How much a miss in rotation counts against the other effectors; 0 ignores the rotation, "
        "far above the position weight it gives up the place where not both can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **SETTING,
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

    is_solved: BoolProperty(name="Solved", description="The last solve included this effector", **RESULT)
    is_missed: BoolProperty(name="Missed", description="The last solve left a gap that can be seen", **RESULT)
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
    gap: StringProperty(name="Gap", description="What the last solve left, in words", **RESULT)
    out_of_reach: FloatProperty(
        name="Out of Reach",
        description="How far the target certainly lies beyond what the bones can reach, in scene units; "
        "0 within reach",
        subtype='DISTANCE',
        **RESULT,
    )


class SUPERPOSE_PG_setup(PropertyGroup):
    """How one armature is solved, and how the last solve went."""

    active_bone_index: IntProperty(
        name="Effector",
        description="Bones that should meet a target",
        **SETTING,
    )
    root_bone: StringProperty(
        name="Root Bone",
        description="Topmost bone that the solve moves; empty for the armature's own topmost bones",
        **SETTING,
    )
    root_location: EnumProperty(
        name="Root Location",
        description="Whether the whole body may be moved to reach the targets",
        items=(
            ('FREE', "Free", "The root bone moves along the chosen axes; with few effectors the body floats"),
            ('ANCHORED', "Anchored", "The root bone turns where it is; what limbs cannot reach is missed"),
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
        description="Keep to the limits that the rig already has: Limit Rotation constraints in local space, "
        "and limits, locks and stiffness of Blender's IK. Without, those of IK do not count and bones with "
        "such a constraint are not solved",
        default=True,
        **SETTING,
    )
    method: EnumProperty(
        name="Method",
        description="How the bones' rotations are found",
        items=(
            ('SUPERPOSE', "Superpose", "Sweeps that spread the motion, then exact steps onto the targets"),
            ('SWEEP', "Sweeps Only", "The published sweeps alone: softer, targets are missed a little"),
        ),
        default='SUPERPOSE',
        **SETTING,
    )
    # From here to stabilisation: the fields of solvers.Settings, with the same names and defaults.
    tolerance: FloatProperty(
        name="Tolerance",
        description="Gap at which a target counts as met, as a fraction of the longest chain; "
        "too much leaves gaps that can be seen",
        default=1e-5,
        min=1e-12,
        soft_max=1e-2,
        max=1.0,
        precision=6,
        **SETTING,
    )
    angle_tolerance: FloatProperty(
        name="Angle Tolerance",
        description="Turn at which a target counts as met; too much leaves hands and feet askew",
        default=1e-5,
        min=1e-12,
        soft_max=radians(5.0),
        max=pi,
        precision=6,
        subtype='ANGLE',
        **SETTING,
    )
    iterations: IntProperty(
        name="Iterations",
        description="Most steps that are taken; too few leave targets missed, too many only cost time "
        "where a target cannot be met",
        default=60,
        min=1,
        soft_max=500,
        **SETTING,
    )
    restarts: IntProperty(
        name="Restarts",
        description="Other start poses that are tried where a target within reach was missed; many cost time",
        default=3,
        min=0,
        soft_max=20,
        **SETTING,
    )
    sweeps: IntProperty(
        name="Sweeps First",
        description="Sweeps before the exact steps; many bend the tips more and the trunk less",
        default=0,
        min=0,
        soft_max=20,
        **SETTING,
    )
    dampening: FloatProperty(
        name="Dampening",
        description="Largest turn of a bone in one sweep; small values spread a bend over the chain but need "
        "more sweeps, large ones bend the tips first",
        default=pi,
        min=radians(0.1),
        max=pi,
        subtype='ANGLE',
        **SETTING,
    )
    stabilisation: IntProperty(
        name="Stabilisation",
        description="Shorter turns that are tried where a lock or limit made things worse; 0 accepts it, "
        "many cost time",
        default=0,
        min=0,
        soft_max=10,
        **SETTING,
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
    is_solved: BoolProperty(name="Solved", description="There is a result of a solve", **RESULT)
    rmsd: FloatProperty(
        name="RMSD",
        description="Root mean square of what the last solve left between bones and targets, in scene units",
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
    message: StringProperty(name="Result", description="How the last solve or bake went", **RESULT)
    notes: StringProperty(name="Notes", description="What the last solve noticed about the rig", **RESULT)


CLASSES = (SUPERPOSE_PG_bone, SUPERPOSE_PG_setup)
register_classes, unregister_classes = bpy.utils.register_classes_factory(CLASSES)


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
        options={'ANIMATABLE'},
        **OVERRIDABLE,
    )
    PoseBone.superpose = PointerProperty(type=SUPERPOSE_PG_bone, **OVERRIDABLE)
    Object.superpose = PointerProperty(type=SUPERPOSE_PG_setup, **OVERRIDABLE)


def unregister() -> None:
    del Object.superpose
    del PoseBone.superpose
    del PoseBone.superpose_influence
    unregister_classes()
