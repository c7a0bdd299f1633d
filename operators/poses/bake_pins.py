# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write keys for the frames in which pins stand between the keys of the body."""

from collections.abc import Generator, Mapping

import bpy
import numpy as np
from bpy.types import Context, Object, Operator

from ...armature import (
    FrameSnapshot,
    Rig,
    RigError,
    animation_times,
    channels,
    frame_length,
    frame_numbers,
    keyed_pins,
    pose_kept,
    present_frame_kept,
    read_frames,
    read_rig,
    settings_of,
    stack_clip,
    write_keys,
)
from ...armature.fcurves.generated import mark_generated, placed_keys
from ...dragging import held_in_place
from ...reports import Report, count_text, miss_text, report_of, store
from ...solvers import Pose
from ...solvers.geometry import Array
from ...solvers.model import replaced_poses
from ..mixins.dialog import fields_of
from ..mixins.keying import KeyingOperator
from ..mixins.report import ReportOperator

Places = list[Mapping[int, Array]]


class SUPERPOSE_OT_bake_pins(ReportOperator, KeyingOperator, Operator):
    """Stop pinned feet and hands from sliding between their keys: add keys where they would slide"""

    bl_idname = "superpose.bake_pins"
    bl_label = "Bake Pins"
    confirm_text = "Bake"

    def draw(self, context: Context) -> None:
        layout = fields_of(self.layout)
        self.draw_range(context, layout)
        layout.prop(self, "action")

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Bake, giving the frames that are read so far; closing it early leaves all as it was."""
        numbers = frame_numbers(context.scene, self.range, self.frame_start, self.frame_end)
        times = animation_times(context.scene, numbers)
        context.evaluated_depsgraph_get()  # which bones are mirrored is read as they are shown
        rig = read_rig(ob)
        pins = keyed_pins(rig, ob)
        if not pins.keys:
            why = pins.hindrance and f": {pins.hindrance} moves the body too"
            raise RigError(f"No pinned bone of '{ob.name}' is held by its keys{why}")
        self.phase, self.total = "Reading frame", len(numbers)
        with pose_kept(ob, only_on_failure=True), present_frame_kept(context.scene):
            frames = yield from read_frames(context, rig, ob, numbers)
            places = [pins.standing(frame, time) for frame, time in zip(frames, times, strict=True)]
            if not any(places):
                raise RigError(f"No pinned bone of '{ob.name}' stands between two of its keys")
            pose, report = self.held(ob, rig, frames, places)
            values, frame = channels(rig, frames, pose), frame_length(context.scene)
            placed = placed_keys(ob)
            write_keys(ob, rig, times, values, self.action, frame)
            mark_generated(ob, placed)
        self.tell(context, ob, rig, report)

    @staticmethod
    def held(ob: Object, rig: Rig, frames: list[FrameSnapshot], places: Places) -> tuple[Pose, Report]:
        """Return all frames' poses, and how pins hold in those in which any stand."""
        pose = stack_clip(rig, range(len(frames)), frames, settings_of(ob)).pose
        rows = np.flatnonzero([bool(there) for there in places])
        standing = [[values[row] for row in rows] for values in (frames, places)]
        asked = held_in_place(rig, settings_of(ob), *standing)
        return replaced_poses(pose, rows, asked[-1].pose), report_of(*asked)

    def tell(self, context: Context, ob: Object, rig: Rig, report: Report) -> None:
        """Report how pins hold, and leave it where the panel shows it."""
        worst = miss_text(context.scene, report.distances.max(), report.angles.max())
        missed, count = int(report.missed.any(axis=1).sum()), len(report.missed)
        told = f"Pins hold in {count_text(count, 'frame')}: {worst} off"
        if missed:
            told = f"Pins are missed in {missed} of {count} frames, by up to {worst}"
        notes = [note for note in (self.shared_text(ob),) if note]
        self.report_lines('WARNING' if missed else 'INFO', told, notes)
        store(context.scene, ob, rig, report, told, is_pose=False, notes=notes)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_bake_pins,))
