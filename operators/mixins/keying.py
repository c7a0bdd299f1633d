# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that are written for a range of frames, and the action that they go into."""

from bpy.props import EnumProperty
from bpy.types import Context, Object, UILayout

from ...armature import stands_still
from ...armature.fcurves.actions import others_moved
from ...reports import names_text
from .frame_range import SceneRangeOperator
from .rig import armature_of

_STANDS_STILL = (
    "No target is animated: the body would stand",
    "still in all frames. Bake Pins keeps its keys",
)


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

    def draw_solved_action(self, context: Context, layout: UILayout) -> None:
        """Draw where the keys go, and a warning where what is keyed would be lost to targets that stand."""
        layout.prop(self, "action")
        if stands_still(armature_of(context)):
            col = layout.column(align=True)
            for place, line in enumerate(_STANDS_STILL):
                col.label(text=line, icon='BLANK1' if place else 'ERROR')

    @staticmethod
    def shared_text(ob: Object) -> str:
        """Return in words which other objects the keys that were written move too, or nothing."""
        others = others_moved(ob.animation_data) if ob.animation_data else []
        return f"The same keys also move {names_text(others)}: the action is shared" if others else ""
