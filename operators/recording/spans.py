# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say of which frames something holds: spans that are added, changed, or taken back."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Object, Operator, PoseBone

from ...armature import RigError, effectors_of, is_effector, is_selected, pose_kept_from_keys
from ...armature.recording.marks import CONTACT, MASK, TIP_CONTACT, mark, marked_spans
from ...solvers.motion import Span
from ..mixins.dialog import WIDTH, fields_of
from ..mixins.frame_range import FRAMES_OF_BLENDER, RangeDialog
from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

KINDS = (
    (MASK, "Masked", "Bakes ignore the target and bridge it"),
    (CONTACT, "Contact", "The head of the bone stands"),
    (TIP_CONTACT, "Tip Contact", "The tip of the bone stands"),
)

_EACH = {'SKIP_SAVE'}  # a span says nothing of the next one


class SUPERPOSE_OT_mark_frames(RangeDialog, RigOperator, Operator):
    """Set for a span of frames whether the target is masked, or the bone stands; other frames stay"""

    bl_idname = "superpose.mark_frames"
    bl_label = "Mark Span"

    kind: EnumProperty(name="Mark", description="What is set for the frames", items=KINDS, options=_EACH)
    bone: StringProperty(
        name="Effector",
        description="Bone of the effector; if empty, all effectors that are selected bones",
        options=_EACH,
    )
    use_mark: BoolProperty(
        name="Add", description="Add the span; off removes it", default=True, options=_EACH
    )
    frame_start: IntProperty(
        name="Start", description="First frame of the span", default=1, options=_EACH, **FRAMES_OF_BLENDER
    )
    frame_end: IntProperty(
        name="End", description="Last frame of the span", default=1, options=_EACH, **FRAMES_OF_BLENDER
    )

    def invoke(self, context: Context, _event: Event) -> "set[OperatorReturnItems]":
        if self.properties.is_property_set("frame_start"):
            return self.execute(context)
        self.frame_start = self.frame_end = context.scene.frame_current
        return asked(self, context, self.kind, self.bone, "Mark")

    def draw(self, _context: Context) -> None:
        draw_ends(self)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        span, bones = span_of(self.frame_start, self.frame_end), self.bones(ob)
        with pose_kept_from_keys(context, ob):
            for bone in bones:
                mark(context.scene, bone, self.kind, span, self.use_mark)
        ob.superpose.found = ""  # which no longer is all that is marked
        return {'FINISHED'}

    def bones(self, ob: Object) -> list[PoseBone]:
        """Return the effectors that are meant; raises RigError."""
        if self.bone:
            return [effector_named(ob, self.bone)]
        chosen = [bone for bone in effectors_of(ob) if is_selected(bone)]
        if not chosen:
            raise RigError(f"No effector of '{ob.name}' is selected")
        return chosen

    @staticmethod
    def spans(context: Context, bone: PoseBone, kind: str) -> list[tuple[int, int]]:
        """Return first and last frames of the spans that are marked, for the panel."""
        return [(span.first, span.last) for span in marked_spans(context.scene, bone, kind)]


class SUPERPOSE_OT_change_span(RangeDialog, RigOperator, Operator):
    """Have a span of masked frames, or a contact, begin and end in other frames"""

    bl_idname = "superpose.change_span"
    bl_label = "Change Span"

    kind: EnumProperty(name="Mark", description="What is set for the frames", items=KINDS, options=_EACH)
    bone: StringProperty(name="Effector", description="Bone of the effector", options=_EACH)
    first: IntProperty(
        name="First", description="First frame of the span as it is", options=_EACH, **FRAMES_OF_BLENDER
    )
    last: IntProperty(
        name="Last", description="Last frame of the span as it is", options=_EACH, **FRAMES_OF_BLENDER
    )
    frame_start: IntProperty(
        name="Start", description="First frame of the span then", options=_EACH, **FRAMES_OF_BLENDER
    )
    frame_end: IntProperty(
        name="End", description="Last frame of the span then", options=_EACH, **FRAMES_OF_BLENDER
    )

    def invoke(self, context: Context, _event: Event) -> "set[OperatorReturnItems]":
        self.frame_start, self.frame_end = self.first, self.last
        return asked(self, context, self.kind, self.bone, "Change")

    def draw(self, _context: Context) -> None:
        draw_ends(self)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bone, before = effector_named(ob, self.bone), Span(self.first, self.last)
        after = span_of(self.frame_start, self.frame_end)
        if before not in marked_spans(context.scene, bone, self.kind):
            raise RigError(f"'{self.bone}' has no such span from {before.first} to {before.last}")
        with pose_kept_from_keys(context, ob):
            for span, is_marked in ((before, False), (after, True)):
                mark(context.scene, bone, self.kind, span, is_marked)
        ob.superpose.found = ""  # which no longer is all that is marked
        return {'FINISHED'}


def asked(
    operator: Operator, context: Context, kind: str, bone: str, confirm_text: str
) -> "set[OperatorReturnItems]":
    """Have the user say which frames are meant, of which effector."""
    operator.note_ends()
    label = next(label for each, label, _ in KINDS if each == kind)
    title = f"{label}: '{bone}'" if bone else label
    manager = context.window_manager
    return manager.invoke_props_dialog(operator, width=WIDTH, title=title, confirm_text=confirm_text)


def draw_ends(operator: Operator) -> None:
    """Draw the first and the last frame that are meant."""
    col = fields_of(operator.layout).column(align=True)
    col.prop(operator, "frame_start")
    col.prop(operator, "frame_end")


def span_of(first: int, last: int) -> Span:
    """Return the span; raises RigError where it ends before it starts."""
    if last < first:
        raise RigError(f"The span ends ({last}) before it starts ({first})")
    return Span(first, last)


def effector_named(ob: Object, name: str) -> PoseBone:
    """Return the bone of the effector; raises RigError."""
    bone = ob.pose.bones.get(name)
    if bone is None or not is_effector(bone):
        raise RigError(f"'{name}' is no effector of '{ob.name}'")
    return bone


class SUPERPOSE_OT_go_to_frame(Operator):
    """Go to this frame"""

    bl_idname = "superpose.go_to_frame"
    bl_label = "Go to Frame"
    # One step of undo with Blender's own jumps: else undo of what is done there would leave the frame, too.
    bl_options = {'INTERNAL', 'UNDO_GROUPED'}
    bl_undo_group = "Frame Change"

    frame: IntProperty(name="Frame", description="The frame to go to")

    def execute(self, context: Context) -> "set[OperatorReturnItems]":
        context.scene.frame_set(self.frame)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_mark_frames, SUPERPOSE_OT_change_span, SUPERPOSE_OT_go_to_frame)
)
