# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that look at recorded targets and mark frames of them."""

from collections.abc import Generator, Sequence

from bpy.types import Context, Object

from ...armature import (
    Rig,
    RigError,
    frame_rate,
    pose_kept,
    pose_kept_from_keys,
    present_frame_kept,
    read_frames,
    read_rig,
)
from ...armature.recording.marks import check_marks, is_marked, mark_spans
from ...armature.recording.recording import Recording
from ...reports import store_found
from ...solvers.geometry import Mask
from ...solvers.motion import Span, spans_of
from ..mixins.dialog import fields_of
from ..mixins.frame_range import SceneRangeOperator


class RecordingOperator(SceneRangeOperator):
    """Mixin of operators that find ``marks``, properties of bones, in the scene's frames or others."""

    marks: Sequence[str] = ()

    def draw(self, context: Context) -> None:
        self.draw_range(context, fields_of(self.layout))

    def recorded(
        self, context: Context, ob: Object, numbers: list[int]
    ) -> Generator[int, None, tuple[Rig, Recording]]:
        """Read the frames ``numbers``, giving how many are read; raises RigError where marks cannot go."""
        scene, rig = context.scene, self.rig_to_mark(context, ob)
        if rig.targetless.all():
            raise RigError(f"No effector of '{ob.name}' has a target")
        self.phase, self.total = "Reading frame", len(numbers)
        with pose_kept(ob), present_frame_kept(scene):
            frames = yield from read_frames(context, rig, ob, numbers)
        return rig, Recording(rig, frames, frame_rate(scene))

    def rig_to_mark(self, context: Context, ob: Object) -> Rig:
        """Return the rig whose effectors are marked; raises RigError where marks cannot go."""
        context.evaluated_depsgraph_get()  # which bones are mirrored is read as they are shown
        rig = read_rig(ob)
        for bone in rig.effector_bones(ob):
            for name in self.marks:
                check_marks(ob, bone.path_from_id(name))
        return rig

    @staticmethod
    def check_moving(ob: Object, recording: Recording) -> None:
        """Raise RigError where nothing is recorded, whatever the body does."""
        count = len(recording.frames)
        if count > 1 and recording.is_still:
            raise RigError(f"No target of '{ob.name}' moves in {count} frames: animate them first")

    def tell(self, ob: Object, words: str) -> None:
        """Report what was found, and leave it where the panel shows it."""
        store_found(ob, words)
        self.report({'INFO'}, words)

    def store(self, context: Context, ob: Object, rig: Rig, masks: Mask, first: int) -> None:
        """Mark frames of effectors where masks (frames, effectors, marks) have them, from ``first`` on."""
        with pose_kept_from_keys(context, ob):
            for column, bone in enumerate(rig.effector_bones(ob)):
                for number, name in enumerate(self.marks):
                    spans = spans_of(masks[:, column, number])
                    if spans or is_marked(bone, name):
                        moved = [Span(span.first + first, span.last + first) for span in spans]
                        mark_spans(context.scene, bone, name, moved, first)
