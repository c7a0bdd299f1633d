# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that is pasted is a pose and nothing else: what is set up of the bones stays.

Blender copies what is stored with bones along with their pose. From 4.3 on it calls who asks as it reads its
clipboard: then ours is taken out of what was read. In 4.2 an operator of ours has Blender's keys.
"""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Operator

from ...armature import KeptPose
from ...armature.setup.kept_settings import is_any_set_up, leave_out_settings, settings_kept
from ...reloads import TELLS_OF_IMPORTS, unwatch_pasted, watch_pasted

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_paste_pose(Operator):
    """Paste the copied pose and leave the set-up of the bones as it is. Blender's own Paste Pose replaces \
the set-up by the copied one, that of the other side where it is flipped, and without targets"""

    bl_idname = "superpose.paste_pose"
    bl_label = "Paste Pose"
    bl_options = {'REGISTER', 'UNDO'}

    flipped: BoolProperty(name="Flipped on X-Axis", description="Paste the pose as its mirror image")
    selected_mask: BoolProperty(name="On Selected Only", description="Paste it on the selected bones only")

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether it pastes; where nothing is set up the same keys call Blender's own."""
        return bpy.ops.pose.paste.poll() and is_any_set_up(context.pose_object)

    def execute(self, context: Context) -> "set[OperatorReturnItems]":
        ob = context.pose_object  # not the active one while a mesh's weights are painted
        untouched = KeptPose(ob)  # live posing is to see the pose, and no settings on the way
        try:
            with settings_kept(ob):
                return bpy.ops.pose.paste(flipped=self.flipped, selected_mask=self.selected_mask)
        except RuntimeError as error:  # as where nothing was copied
            self.report({'ERROR'}, str(error).removeprefix("Error: ").strip())
            return {'CANCELLED'}
        finally:
            untouched.let_go()
            ob.update_tag()


def register() -> None:
    if TELLS_OF_IMPORTS:
        watch_pasted(leave_out_settings)
    else:
        bpy.utils.register_class(SUPERPOSE_OT_paste_pose)


def unregister() -> None:
    if TELLS_OF_IMPORTS:
        unwatch_pasted(leave_out_settings)
    else:
        bpy.utils.unregister_class(SUPERPOSE_OT_paste_pose)
