# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one joint may not do, in degrees and directions that a user can read."""

from math import pi, radians
from typing import NamedTuple

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
)
from bpy.types import PropertyGroup

from . import OVERRIDABLE, SETTING

# Ranges may go round the back: from 150 to 210 degrees, say.
ROUND = {"min": -2 * pi, "max": 2 * pi, "soft_min": -pi, "soft_max": pi, **SETTING}
# Library overrides may add items of their own.
ITEMS = {"options": set(), "override": {*OVERRIDABLE["override"], 'USE_INSERTION'}}
ORDERS = tuple(
    (order, order, f"Turn about {order[0]} first, {order[2]} last")
    for order in ('XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX')
)


class Kind(NamedTuple):
    """What a kind of limit is called, and what the panel shows of it, row by row.

    A row is the way in which it is drawn, a method of the panel, and the names of properties.
    """

    label: str
    description: str
    rows: tuple[tuple[str, ...], ...] = ()


# In the order of the numbers by which files keep them.
KINDS = {
    'NONE': Kind("From the Rig", "The rig's locks, Limit Rotation constraints and IK limits count"),
    'FREE': Kind("Free", "No limit, whatever the rig says"),
    'HINGE': Kind(
        "Hinge",
        "Turns about one axis, as elbows and knees do",
        (("vector", "axis"), ("range", "hinge_min", "hinge_max"), ("value", "hinge_play")),
    ),
    'CONES': Kind(
        "Cones",
        "The bone points into a cone, or into a chain of cones and the space between neighbours",
        (("cones", "cones"), ("twist", "use_twist", "twist_min", "twist_max")),
    ),
    'ELLIPSE': Kind(
        "Ellipse",
        "The bone leans by its own angle to each of four sides",
        (("sides", "radii"), ("twist", "use_twist", "twist_min", "twist_max")),
    ),
    'EULER': Kind(
        "Angles",
        "Three angles, each in a range, as a Limit Rotation constraint has them",
        (("value", "order"), ("ranges", "euler_min", "euler_max")),
    ),
}


class SUPERPOSE_PG_cone(PropertyGroup):
    """One cone of directions in a chain of them."""

    direction: FloatVectorProperty(
        name="Direction",
        description="Middle of the cone, in the bone's rest frame, of any length; +Y is where the bone "
        "points at rest",
        default=(0.0, 1.0, 0.0),
        subtype='DIRECTION',
        **SETTING,
    )
    radius: FloatProperty(
        name="Radius",
        description="Angle from the middle to the rim; too much lets the joint bend farther than real "
        "joints do",
        default=radians(45.0),
        min=0.0,
        max=pi,
        subtype='ANGLE',
        **SETTING,
    )


class SUPERPOSE_PG_limit(PropertyGroup):
    """The region of rotations allowed to a bone, relative to its rest pose and in its parent's frame."""

    kind: EnumProperty(
        name="Limit",
        description="How the joint is limited; a limit set here takes the place of the rig's own",
        items=[(name, kind.label, kind.description) for name, kind in KINDS.items()],
        default='NONE',
        **SETTING,
    )
    axis: FloatVectorProperty(
        name="Axis",
        description="Axis of the hinge, in the bone's rest frame, of any length; an axis along the bone "
        "makes a twist",
        default=(1.0, 0.0, 0.0),
        subtype='DIRECTION',
        **SETTING,
    )
    hinge_min: FloatProperty(
        name="Minimum",
        description="Smallest angle about the axis, from the rest pose; above the maximum, the limit "
        "allows nothing",
        default=radians(-5.0),
        subtype='ANGLE',
        **ROUND,
    )
    hinge_max: FloatProperty(
        name="Maximum",
        description="Largest angle about the axis, from the rest pose; too much lets the joint bend through "
        "itself",
        default=radians(140.0),
        subtype='ANGLE',
        **ROUND,
    )
    hinge_play: FloatProperty(
        name="Play",
        description="How far the hinge's axis may tilt, as in elbows and knees; too much makes the joint a "
        "ball",
        default=0.0,
        min=0.0,
        max=radians(90.0),
        subtype='ANGLE',
        **SETTING,
    )
    cones: CollectionProperty(
        type=SUPERPOSE_PG_cone,
        name="Cones",
        description="Cones in their order; the bone may point into each, and between neighbours",
        **ITEMS,
    )
    limb: FloatVectorProperty(
        name="Limb",
        description="Direction in which the bone's limb goes on, in its rest frame, of any length: it "
        "points into the cones, and the twist is about it. +Y unless the bone lies across its limb",
        default=(0.0, 1.0, 0.0),
        subtype='DIRECTION',
        **SETTING,
    )
    active_cone_index: IntProperty(name="Cone", description="Cone that is shown and dragged", **SETTING)
    radii: FloatVectorProperty(
        name="Radii",
        description="How far the bone may lean: turning positively and negatively about its X axis, "
        "then positively and negatively about its Z axis; 0 locks that side, half a turn frees it",
        size=4,
        default=(radians(45.0),) * 4,
        min=0.0,
        max=pi,
        unit='ROTATION',
        **SETTING,
    )
    use_twist: BoolProperty(
        name="Limit Twist",
        description="Limit the turn about the bone's own length; without this, the bone may spin freely",
        default=True,
        **SETTING,
    )
    twist_min: FloatProperty(
        name="Minimum",
        description="Smallest turn about the bone's own length, from the rest pose; above the maximum, the "
        "limit allows nothing",
        default=radians(-45.0),
        subtype='ANGLE',
        **ROUND,
    )
    twist_max: FloatProperty(
        name="Maximum",
        description="Largest turn about the bone's own length, from the rest pose; too much wrings the joint",
        default=radians(45.0),
        subtype='ANGLE',
        **ROUND,
    )
    order: EnumProperty(
        name="Order",
        description="Order in which the three angles turn the bone; best kept to that of its rotation mode",
        items=ORDERS,
        default='XYZ',
        **SETTING,
    )
    euler_min: FloatVectorProperty(
        name="Minimum",
        description="Smallest angle, from the rest pose; equal to the maximum it locks the axis, above the "
        "maximum it allows nothing",
        default=(radians(-45.0),) * 3,
        subtype='EULER',
        **ROUND,
    )
    euler_max: FloatVectorProperty(
        name="Maximum",
        description="Largest angle, from the rest pose; a whole turn above the minimum frees the axis",
        default=(radians(45.0),) * 3,
        subtype='EULER',
        **ROUND,
    )
    cushion: FloatProperty(
        name="Soft Rim",
        description="Width of the rim inside the limit that the joint enters only slowly; as wide as the "
        "limit, it pulls the joint to the middle",
        default=0.0,
        min=0.0,
        max=pi,
        subtype='ANGLE',
        **SETTING,
    )

    @property
    def shown(self) -> Kind:
        """What is shown of a limit of this kind."""
        return KINDS[self.kind]


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PG_cone, SUPERPOSE_PG_limit))
