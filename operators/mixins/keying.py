# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that are written for a range of frames, and the action that they go into."""

from bpy.props import EnumProperty
from bpy.types import Object

from ...armature.fcurves.actions import others_moved
from ...reports import names_text
from .frame_range import SceneRangeOperator


class KeyingOperator(SceneRangeOperator):
    """Mixin of operators that write keys for a range of frames."""

    action: EnumProperty(
        name="Action",
        description="Where the keyframes go",
        items=(
            ('NEW', "New", "A copy of the present action, which stays in the file as it is"),
            ('CURRENT', "Current", "The present action; keys of other bones and outside the range stay"),
        ),
    )

    @staticmethod
    def shared_text(ob: Object) -> str:
        """Return in words which other objects the keys that were written move too, or nothing."""
        others = others_moved(ob.animation_data) if ob.animation_data else []
        return f"The same keys also move {names_text(others)}: the action is shared" if others else ""
