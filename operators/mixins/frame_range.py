# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A range of frames of one's own, besides the scene's."""

from typing import TYPE_CHECKING

from bpy.props import IntProperty
from bpy.types import Context, Event

from .stepwise import StepwiseOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class FrameRangeOperator(StepwiseOperator):
    """Mixin of operators that go through frames; ``choice`` names their property that may be 'CUSTOM'."""

    choice = "range"

    frame_start: IntProperty(name="Start", description="First frame of the custom range", default=1)
    frame_end: IntProperty(name="End", description="Last frame of the custom range", default=250)

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        if getattr(self, self.choice) != 'CUSTOM':  # the last custom range stays, else the scene's
            self.frame_start, self.frame_end = context.scene.frame_start, context.scene.frame_end
        return StepwiseOperator.invoke(self, context, event)
