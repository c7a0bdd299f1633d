# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One reason why an effector misses its target."""

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import PropertyGroup

from . import RESULT


class SUPERPOSE_PG_reason(PropertyGroup):
    """Why an effector misses its target, as the last solve found it."""

    kind: EnumProperty(
        name="Kind",
        description="What keeps the effector from its target",
        items=(
            ('STRAY', "Not as Solved", "Something else moves the bone or its target"),
            ('SHORT', "Too Short", "The bones do not reach as far"),
            ('LIMIT', "Limit", "Joints are at their limits"),
            ('PIN', "Pin", "A pinned effector holds"),
            ('EFFECTOR', "Effector", "Another effector pulls the other way"),
            ('GOAL', "Goal", "A goal holds, or pulls the other way"),
            ('CONTACT', "Contact", "Something stands, which must hold"),
            ('SPEED', "Speed", "A bone turns no faster"),
            ('STUCK', "Unknown", "No pose was found that comes nearer"),
        ),
        **RESULT,
    )
    about: StringProperty(name="About", description="The bone or the goal, by its name", **RESULT)
    words: StringProperty(name="Words", description="The reason, as it is read", **RESULT)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PG_reason,))
