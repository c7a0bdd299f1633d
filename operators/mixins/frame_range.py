# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A range of frames of one's own, besides the scene's."""

from typing import TYPE_CHECKING

from bpy.props import EnumProperty, IntProperty
from bpy.types import Context, Event, UILayout

from .stepwise import StepwiseOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

RANGES = (
    ('SCENE', "Scene", "From the scene's start frame to its end frame"),
    ('PREVIEW', "Preview", "The scene's preview range"),
    ('CUSTOM', "Custom", "From the start to the end given here"),
)
FRAMES_OF_BLENDER = {"min": -1_048_574, "max": 1_048_574}


class RangeDialog:
    """Mixin of operators whose dialogs ask for ``frame_start`` and ``frame_end``: the one that is changed
    takes the other along, as in Blender's own ranges, so that no range ends before it starts.
    """

    ends = (0, 0)  # what the dialog had last

    def note_ends(self) -> None:
        self.ends = self.frame_start, self.frame_end

    def check(self, _context: Context) -> bool:
        """Follow what the user changes in the dialog; Blender draws it anew where this returns True."""
        is_crossed = self.frame_end < self.frame_start
        if is_crossed and self.frame_end == self.ends[1]:
            self.frame_end = self.frame_start
        elif is_crossed:
            self.frame_start = self.frame_end
        self.note_ends()
        return is_crossed


class FrameRangeOperator(RangeDialog, StepwiseOperator):
    """Mixin of operators that go through frames; ``choice`` names their property that may be 'CUSTOM'."""

    choice = "range"

    frame_start: IntProperty(
        name="Start", description="First frame of the custom range", default=1, **FRAMES_OF_BLENDER
    )
    frame_end: IntProperty(
        name="End", description="Last frame of the custom range", default=250, **FRAMES_OF_BLENDER
    )

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        if getattr(self, self.choice) != 'CUSTOM':  # the last custom range stays, else the scene's
            self.frame_start, self.frame_end = context.scene.frame_start, context.scene.frame_end
        self.note_ends()
        return StepwiseOperator.invoke(self, context, event)


class SceneRangeOperator(FrameRangeOperator):
    """Mixin of operators that go through the scene's range, its preview range or one of their own."""

    range: EnumProperty(
        name="Range",
        description="Which frames are used",
        items=RANGES,
    )

    def draw_range(self, context: Context, layout: UILayout) -> UILayout:
        """Draw which frames are meant, and return the column of their ends."""
        layout.prop(self, "range")
        col = layout.column(align=True)
        sub = col.column(align=True)
        sub.enabled = self.range == 'CUSTOM'
        owner, infix = {'SCENE': (context.scene, ""), 'PREVIEW': (context.scene, "preview_")}.get(
            self.range, (self, "")
        )
        sub.prop(owner, f"frame_{infix}start", text="Start")
        sub.prop(owner, f"frame_{infix}end", text="End")
        return col
