# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How one joint would rather be, where the targets leave a choice."""

from math import pi, radians

import bpy
from bpy.props import BoolProperty, FloatVectorProperty
from bpy.types import PropertyGroup

from ..solvers.posture import MOST_TIES
from . import SETTING


class SUPERPOSE_PG_comfort(PropertyGroup):
    """A rotation relative to rest, in the parent's frame, and how far the joint strays from there."""

    is_set: BoolProperty(
        name="Comfort",
        description="Pull the joint to its comfort pose where the targets leave a choice",
        **SETTING,
    )
    rotation: FloatVectorProperty(
        name="Comfort Pose",
        description="Rotation in which the joint rests, relative to its rest pose",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
        subtype='QUATERNION',
        **SETTING,
    )
    spread: FloatVectorProperty(
        name="Spread",
        description="How far the joint usually strays from its comfort pose, about each of three axes; a "
        "small spread pulls harder, a very large one does not pull at all",
        size=3,
        default=(radians(20.0),) * 3,
        min=0.0,
        max=pi,
        unit='ROTATION',
        **SETTING,
    )
    spread_axes: FloatVectorProperty(
        name="Spread Axes",
        description="Rotation of the three axes of the spread, in the bone's own frame",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
        subtype='QUATERNION',
        **SETTING,
    )
    limb: FloatVectorProperty(
        name="Limb",
        description="Direction in which a limb that bends to one side only goes on, in the bone's own "
        "frame; zero where it bends to all sides",
        size=3,
        **SETTING,
    )
    towards: FloatVectorProperty(
        name="Bends Towards",
        description="The side to which the limb bends, in the bone's rest frame; zero where it bends to "
        "all sides",
        size=3,
        **SETTING,
    )
    ties: FloatVectorProperty(
        name="Ties",
        description="How far the joint goes with the joints that move together, for each of its own axes, "
        "in standard deviations; the product of two joints' ties is the correlation of their strays",
        size=3 * MOST_TIES,
        min=-1.0,
        max=1.0,
        **SETTING,
    )


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PG_comfort,))
