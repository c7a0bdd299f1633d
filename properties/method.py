# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""By which method an armature is solved: the fields of solvers.Settings, names and defaults the same."""

from math import pi, radians

from bpy.props import EnumProperty, FloatProperty, IntProperty
from bpy.types import PoseBone, PropertyGroup

from ..solvers import PARAMETERS, UNSUPPORTED
from . import SETTING

SWEEPING = ("dampening", "kernel")  # what only sweeps go by


def has_ik_stiffness(bone: PoseBone) -> bool:
    """Return whether Blender's own IK would find the bone stiff."""
    return any(getattr(bone, f"ik_stiffness_{axis}") for axis in "xyz")


def has_comfort(bone: PropertyGroup) -> bool:
    """Return whether the bone's settings have a comfort pose or a soft rim."""
    at_rest = bone.is_property_set("comfort") and bone.comfort.is_set
    return at_rest or (bone.is_property_set("limit") and bone.limit.cushion > 0)


class MethodSettings:
    """The method of a set-up, what it goes by, and what of the set-up it ignores."""

    def parameters(self) -> tuple[str, ...]:
        """Return the settings that the method goes by, besides the tolerances."""
        return PARAMETERS[self.method]

    def is_at_work(self, name: str) -> bool:
        """Return whether the setting makes a difference as the others are."""
        return self.method != 'SUPERPOSE' or name not in SWEEPING or self.sweeps > 0

    def ignored(self) -> list[str]:
        """Return what there is in the set-up that the method cannot express, in words."""
        pose = self.id_data.pose.bones
        set_up = [bone for bone in pose if bone.is_property_set("superpose")]
        bones = [bone.superpose for bone in set_up]
        asked = [bone for bone in set_up if bone.superpose.is_effector and bone.superpose.enabled]
        turned = any(bone.superpose_rotation_weight and any(bone.superpose.rotation_axes) for bone in asked)
        goals = [goal for goal in self.goals if goal.enabled]
        ranks = {'MUST' if bone.superpose.hold == 'PINNED' else 'SHOULD' for bone in asked}
        in_use = {
            "goals": bool(goals),
            "ranks": len(ranks | {goal.rank for goal in goals}) > 1,
            "rotation": turned,
            "rotation above": turned,
            "stiffness": any(0 < bone.stiffness < 1 for bone in bones)
            or (self.use_limits and any(map(has_ik_stiffness, pose))),
            "comfort": any(self.use_comfort and has_comfort(bone) for bone in bones),
        }
        return [words for feature, words in UNSUPPORTED[self.method].items() if in_use[feature]]

    method: EnumProperty(
        name="Method",
        description="How the bones' rotations are found",
        items=(
            (
                'SUPERPOSE',
                "Superpose",
                "For everything: exact steps onto the targets, and other starts where one is missed",
            ),
            (
                'SWEEP',
                "Sweeps Only",
                "The published sweeps of superpositions: for soft poses where near is enough; slow to end",
            ),
            (
                'CCD',
                "CCD",
                "Cyclic coordinate descent: for single chains, tails and tentacles; the tips bend first",
            ),
            (
                'FABRIK',
                "FABRIK",
                "Forward and backward reaching: for long chains and cloth-like motion by positions alone; "
                "stretches out straight where a target is out of reach",
            ),
            (
                'TRANSPOSE',
                "Jacobian Transpose",
                "Turns joints as targets pull at them: for soft, springy motion; many iterations",
            ),
            (
                'PSEUDO_INVERSE',
                "Pseudo-Inverse",
                "The smallest turns towards the targets: quick for bent chains, wild where one is straight "
                "or its target out of reach",
            ),
            (
                'DLS',
                "Damped Least Squares",
                "The pseudo-inverse, calmed by a constant: for robots and steady dragging; slow to end",
            ),
            (
                'SDLS',
                "Selectively Damped",
                "Least squares that damp only what would thrash about: for targets that may be out of reach",
            ),
        ),
        default='SUPERPOSE',
        **SETTING,
    )
    tolerance: FloatProperty(
        name="Tolerance",
        description="Miss up to which a target counts as met, as a fraction of the longest chain; "
        "too much leaves misses that can be seen",
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
        description="Largest number of steps; too few leave targets missed, too many only cost time where "
        "a target cannot be met",
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
        description="Sweeps before the exact steps; the settings below are for sweeps only. Many sweeps "
        "bend the tips more and the trunk less",
        default=0,
        min=0,
        soft_max=20,
        **SETTING,
    )
    dampening: FloatProperty(
        name="Dampening",
        description="Largest turn of a bone in one sweep; small values spread a bend over the chain but "
        "need more sweeps, large values bend the tips first",
        default=pi,
        min=radians(0.1),
        max=pi,
        subtype='ANGLE',
        **SETTING,
    )
    stabilisation: IntProperty(
        name="Stabilisation",
        description="Shorter turns that are tried where a lock or limit made the pose worse; 0 accepts the "
        "worse pose, many cost time",
        default=0,
        min=0,
        soft_max=10,
        **SETTING,
    )
    kernel: EnumProperty(
        name="Superpose By",
        description="How a sweep finds the best rotation of a bone",
        items=(
            ('QCP', "QCP", "Quaternions: where many rotations are best, the smallest turn"),
            (
                'KABSCH',
                "Kabsch",
                "Singular values, to check QCP; where many rotations are best, bones spin",
            ),
        ),
        default='QCP',
        **SETTING,
    )
    averaging: EnumProperty(
        name="Averaging",
        description="How a bone serves several effectors at once",
        items=(
            ('TURNS', "Turns", "Take the mean of the turns that each effector asks for"),
            (
                'POINTS',
                "Points",
                "Turn the mean of the effectors towards the mean of their targets; gets stuck where they lie "
                "around a bone",
            ),
        ),
        default='TURNS',
        **SETTING,
    )
    target_clamp: FloatProperty(
        name="Target Clamp",
        description="How far a target may pull in one iteration, as a fraction of the longest chain; too "
        "much makes chains that are far off thrash about, too little takes many iterations",
        default=0.2,
        min=1e-3,
        soft_max=1.0,
        **SETTING,
    )
    step_length: FloatProperty(
        name="Step Length",
        description="Fixed length of every step; 0 takes the length that leaves the smallest miss. Too "
        "much never settles, too little takes thousands of iterations",
        default=0.0,
        min=0.0,
        soft_max=2.0,
        **SETTING,
    )
    damping_constant: FloatProperty(
        name="Damping Constant",
        description="Lambda, as a fraction of the longest chain: a large one is calm and slow, a small one "
        "is quick but wild where a chain is straight; 0 is the pseudo-inverse",
        default=0.1,
        min=0.0,
        soft_max=1.0,
        **SETTING,
    )
    turn_clamp: FloatProperty(
        name="Largest Turn",
        description="Largest turn of a bone in one iteration; small values are calm and slow",
        default=pi / 4,
        min=radians(0.1),
        max=pi,
        subtype='ANGLE',
        **SETTING,
    )
    rest_pull: FloatProperty(
        name="Pull to Rest",
        description="Share of the way to the rest pose that bones take in each iteration, as far as this "
        "does not move effectors; too much shakes bones that should hold still",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **SETTING,
    )
