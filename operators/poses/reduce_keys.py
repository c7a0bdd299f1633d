# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduce the keys of an animation that has keys in every frame."""

from collections.abc import Generator

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...armature import (
    frame_numbers,
    keys_kept,
    pose_kept,
    present_frame_kept,
    read_rig,
)
from ...armature.reduction.tracks import check_dense
from ...armature.solution.keyframes import take_action
from ...reports import keys_text, store_keys
from ..mixins.dialog import fields_of
from ..mixins.reducing import FEWER, ReducingOperator


class SUPERPOSE_OT_reduce_keys(ReducingOperator, Operator):
    """Remove keys of bones that a solve moves, where these have a key in every frame. Keys that somebody \
has placed, with gaps or handles of their own, stay"""

    bl_idname = "superpose.reduce_keys"
    bl_label = "Reduce Keys"
    confirm_text = "Reduce"

    keys: EnumProperty(name="Keys", description="Which frames have keys", items=FEWER)

    def draw(self, context: Context) -> None:
        layout = fields_of(self.layout)
        self.draw_range(context, layout)
        self.draw_keys(context.scene, layout)
        layout.prop(self, "action")

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Reduce the keys, giving how many steps are done; closing it early leaves all as it was."""
        scene = context.scene
        numbers = frame_numbers(scene, self.range, self.frame_start, self.frame_end)
        context.evaluated_depsgraph_get()  # which bones are mirrored is read as they are shown
        rig = read_rig(ob)
        choice = self.key_choice(scene, rig, ob, numbers)
        check_dense(scene, rig, ob, numbers, self.action)
        with pose_kept(ob, only_on_failure=True), present_frame_kept(scene), keys_kept(ob):
            take_action(ob, self.action)
            kept = yield from self.reduced(context, ob, rig, numbers, choice)
        store_keys(scene, ob, kept)
        self.remember(ob, numbers)
        shared = self.shared_text(ob)
        if shared:
            self.report({'INFO'}, shared)
        self.report({'INFO'}, keys_text(scene, kept))


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_reduce_keys,))
