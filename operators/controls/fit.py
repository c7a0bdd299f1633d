# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the controls of a rig so that its joints are where its body has them, in this frame or in many."""

from collections.abc import Generator

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...armature import (
    animation_times,
    frame_length,
    frame_numbers,
    keys_kept,
    pose_kept,
    present_frame_kept,
    write_keys,
)
from ...armature.autokey import write_changes
from ...armature.controls import Apart, ControlRig, Fit, control_pair, read_control_rig
from ...reports import fit_lines, store_fit
from ...solvers.pauses import telling
from ..mixins.dialog import fields_of
from ..mixins.keying import KeyingOperator
from ..mixins.rig import armature_of
from ..mixins.stepwise import counted


class SUPERPOSE_OT_fit_controls(KeyingOperator, Operator):
    """Put the rig's controls so that its joints are where the body has them, and say how far off they stay"""

    bl_idname = "superpose.fit_controls"
    bl_label = "Fit Controls"
    confirm_text = "Fit"
    patience = 0.5

    frames: EnumProperty(
        name="Frames",
        description="Where controls are put",
        items=(
            ('PRESENT', "Present", "In the present frame; they are keyed if automatic keying is on"),
            ('RANGE', "Range", "In every frame of a range; they are keyed in each"),
        ),
    )

    @classmethod
    def check_context(cls, context: Context) -> None:
        control_pair(context.scene, armature_of(context))

    def draw(self, context: Context) -> None:
        layout = fields_of(self.layout)
        layout.prop(self, "frames")
        if self.frames == 'RANGE':
            self.draw_range(context, layout)
            layout.prop(self, "action")

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Fit the controls, giving how often they were placed; closing it early leaves all as it was."""
        scene = context.scene
        ob, body = control_pair(scene, ob)
        rig = read_control_rig(context.view_layer, ob, body)
        if self.frames == 'PRESENT':
            self.phase, self.total = "Placing controls", 0
            with pose_kept(ob):
                fit = yield from counted(rig.fitted(None))
            write_changes(context, ob, rig.changes(fit))
            self.tell(context, rig, [fit], [rig.apart()], [scene.frame_current])
            return
        numbers = frame_numbers(scene, self.range, self.frame_start, self.frame_end)
        with pose_kept(ob, only_on_failure=True), present_frame_kept(scene):
            fits = yield from self.fitted(context, rig, numbers)
            channels, times = rig.channels(fits), animation_times(scene, numbers)
            with keys_kept(ob):
                if channels.turned.any() or channels.moved.any():
                    write_keys(ob, rig, times, channels, self.action, frame_length(scene))
                left = yield from self.shown(context, rig, numbers)
        self.tell(context, rig, fits, left, numbers)

    def fitted(
        self, context: Context, rig: ControlRig, numbers: list[int]
    ) -> Generator[int, None, list[Fit]]:
        """Return how controls are in each frame, each found from the one before."""
        self.phase, self.total = "Fitting frame", len(numbers)
        fits: list[Fit] = []
        for number in numbers:
            context.scene.frame_set(number)
            rig = rig.as_switched()
            fit = yield from telling(rig.fitted(fits[-1] if fits else None), len(fits))
            fits.append(fit)
        return fits

    def shown(
        self, context: Context, rig: ControlRig, numbers: list[int]
    ) -> Generator[int, None, list[Apart]]:
        """Return how far joints are shown from the body in each frame, by the keys that were written."""
        self.phase, found = "Checking frame", []
        for number in numbers:
            context.scene.frame_set(number)
            found.append(rig.apart())
            yield len(found)
        return found

    def tell(
        self, context: Context, rig: ControlRig, fits: list[Fit], left: list[Apart], numbers: list[int]
    ) -> None:
        """Report how far joints are left from where the body has them, as Blender shows both."""
        lines = fit_lines(context.scene, rig, fits, left, numbers)
        store_fit(rig, lines, left)
        kind = {'WARNING'} if any(apart.is_seen for apart in left) else {'INFO'}
        self.report(kind, f"'{rig.ob.name}': {'. '.join(lines[:2])}")
        shared = self.shared_text(rig.ob) if self.frames == 'RANGE' else ""
        if shared:
            self.report({'WARNING'}, shared)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_fit_controls,))
