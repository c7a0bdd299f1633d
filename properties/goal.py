# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a body besides that effectors meet their targets.

Goals belong to the armature object: of groups that are stored on a bone Blender could animate nothing.
"""

from collections.abc import Mapping
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from . import KEYABLE, RANKS, RESULT, SETTING, TARGET
from .bone_names import KEPT, naming, own_armature, target_armature


class Kind(NamedTuple):
    """What a kind of goal is called and shows: ``bones`` and ``settings`` by the names of their properties.

    ``weights``: what counts how much. ``has_target``: whether an object may say where; of others the pose
    that is kept. ``without``: what is meant where a bone or the target is left empty.
    """

    label: str
    description: str
    icon: str
    bones: tuple[str, ...] = ("bone",)
    settings: tuple[str, ...] = ()
    weights: tuple[str, ...] = ("weight",)
    has_target: bool = True
    without: Mapping[str, str] = MappingProxyType({"target": "No target"})


# In the order of the numbers by which files keep them.
KINDS = {
    'ATTACH': Kind(
        "Attachment",
        "The bone stays beside another bone, wherever the solve moves that bone",
        'LINKED',
        bones=("bone", "other_bone"),
        settings=("place", "turn"),
        weights=("position_weight", "rotation_weight"),
        has_target=False,
    ),
    'AIM': Kind(
        "Aim",
        "An axis of the bone points at the target; it may turn about that axis",
        'CON_TRACKTO',
        settings=("axis",),
    ),
    'POLE': Kind(
        "Pole",
        "The middle joint of a limb, an elbow or a knee, lies towards the target",
        'CON_KINEMATIC',
        bones=("upper_bone", "bone", "end_bone"),
    ),
    'PLANE': Kind(
        "Plane",
        "Bones stay on the upper side of the target's XY plane: a floor, a wall",
        'CON_FLOOR',
        without={"bone": "All Bones", "target": "Ground of the scene"},
    ),
    'BALANCE': Kind(
        "Balance",
        "The centre of mass stays above the target, or between the lowest effectors",
        'PIVOT_MEDIAN',
        bones=(),
        without={"target": "Above the lowest effectors"},
    ),
}
AXES = tuple(
    (f"{sign}{axis}", f"{sign}{axis}", f"The bone's own {axis} axis{', turned round' if sign else ''}")
    for sign in ("", "-")
    for axis in "XYZ"
)


def _on_name(goal: PropertyGroup, context: Context) -> None:
    """Let no two goals have one name: library overrides tell them by it."""
    taken = {other.name for other in goal.id_data.superpose.goals if other != goal}
    if goal.name in taken:
        numbered = (f"{goal.name} {number}" for number in count(2))
        goal.name = next(name for name in numbered if name not in taken)


class SUPERPOSE_PG_goal(PropertyGroup):
    """One goal that is no effector: of which kind it is, its bones, its target and how much it counts."""

    name: StringProperty(
        name="Name",
        description="Name of the goal in the list; no two goals have the same name",
        **SETTING | {"update": _on_name},
    )
    kind: EnumProperty(
        name="Goal",
        description="What is asked of the bone",
        items=[
            (name, kind.label, kind.description, kind.icon, number)
            for number, (name, kind) in enumerate(KINDS.items())
        ],
        **SETTING,
    )
    enabled: BoolProperty(
        name="Enabled",
        description="Take part in the solve",
        default=True,
        **SETTING,
    )
    chosen_bone: StringProperty(name="Chosen Bone", **KEPT)
    bone: StringProperty(
        name="Bone",
        description="The bone that the goal is for; for a pole the middle bone of the limb, for a plane "
        "empty for the whole body",
        **SETTING,
        **naming("chosen_bone", own_armature),
    )
    chosen_upper_bone: StringProperty(name="Chosen Upper Bone", **KEPT)
    upper_bone: StringProperty(
        name="Upper Bone",
        description="The bone with which the limb begins: an upper arm or a thigh",
        **SETTING,
        **naming("chosen_upper_bone", own_armature),
    )
    chosen_end_bone: StringProperty(name="Chosen End Bone", **KEPT)
    end_bone: StringProperty(
        name="End Bone",
        description="The bone with which the limb ends: a hand or a foot",
        **SETTING,
        **naming("chosen_end_bone", own_armature),
    )
    chosen_other_bone: StringProperty(name="Chosen Other Bone", **KEPT)
    other_bone: StringProperty(
        name="Other Bone",
        description="The bone of the same armature that this one stays beside",
        **SETTING,
        **naming("chosen_other_bone", own_armature),
    )
    target: PointerProperty(
        name="Target",
        description="Object whose place the goal uses; a plane without one is the ground of the scene, a "
        "balance without one stays between the lowest effectors",
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
        description="Bone of the target armature whose place the goal uses",
        **SETTING,
        **naming("chosen_target_bone", target_armature),
    )
    axis: EnumProperty(
        name="Axis",
        description="Which of the bone's own axes points at the target",
        items=AXES,
        default="Y",
        **SETTING,
    )
    place: FloatVectorProperty(
        name="Place",
        description="Where the bone is held, in the other bone's frame",
        size=3,
        subtype='TRANSLATION',
        unit='LENGTH',
        **KEYABLE,
    )
    turn: FloatVectorProperty(
        name="Turn",
        description="How the bone is turned against the other bone, a quaternion",
        size=4,
        subtype='QUATERNION',
        default=(1.0, 0.0, 0.0, 0.0),
        **KEYABLE,
    )
    position_weight: FloatProperty(
        name="Position",
        description="How much a miss in place counts against other goals; 0 ignores the place. A weight "
        "far above the others spoils their places where not all can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **KEYABLE,
    )
    rotation_weight: FloatProperty(
        name="Rotation",
        description="How much a miss in rotation counts against other goals; 0 ignores the rotation. A "
        "weight far above the others spoils their rotations where not all can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **KEYABLE,
    )
    weight: FloatProperty(
        name="Weight",
        description="How much a miss counts against other goals; a weight far above the others spoils "
        "these where not all can be met",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        **KEYABLE,
    )
    rank: EnumProperty(
        name="Rank",
        description="Whether the goal gives way where not all can be met; within a rank the weights decide",
        items=RANKS,
        default='SHOULD',
        **SETTING,
    )
    influence: FloatProperty(
        name="Influence",
        description="How much of its weight the goal has; you can key it. At 0 the goal counts as if it "
        "were not there",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
        **KEYABLE,
    )
    is_missed: BoolProperty(
        name="Missed", description="The last solve left a miss that can be seen", **RESULT
    )
    miss: StringProperty(name="Miss", description="What the last solve left, in words", **RESULT)

    @property
    def shown(self) -> Kind:
        """What is shown of a goal of this kind."""
        return KINDS[self.kind]


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PG_goal,))
