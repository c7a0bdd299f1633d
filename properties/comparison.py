# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel shows of the last comparison of solvers."""

import bpy
from bpy.props import FloatProperty, StringProperty
from bpy.types import PropertyGroup

from . import RESULT


class SUPERPOSE_PG_contestant(PropertyGroup):
    """How one solver did; its name is the label."""

    solved: FloatProperty(
        name="Solved", description="Share of the problems that were solved", subtype='FACTOR', **RESULT
    )
    miss: StringProperty(name="Miss", description="The worst that was left", **RESULT)
    milliseconds: FloatProperty(
        name="Milliseconds", description="Median time of one problem, in milliseconds", **RESULT
    )
    cannot: StringProperty(
        name="Cannot",
        description="What of the problem the solver cannot express, and whether it ran out of time",
        **RESULT,
    )


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PG_contestant,))
