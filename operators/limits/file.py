# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Save a rig's limits to a file, and load them."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator
from bpy_extras.io_utils import ImportHelper

from ...armature.limits.file import joints_as_json, joints_from_json
from ..mixins.json_file import JsonFile, SavedFile
from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_export_limits(SavedFile, RigOperator, Operator):
    """Save the bones' own limits and comfort poses to a file"""

    bl_idname = "superpose.export_limits"
    bl_label = "Save Limits"
    bl_options = {'REGISTER'}
    what = "limits"

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        self.write_text(joints_as_json(ob))
        self.report({'INFO'}, f"Saved the limits of '{ob.name}' to '{self.file_name}'")
        return {'FINISHED'}


class SUPERPOSE_OT_import_limits(JsonFile, RigOperator, ImportHelper, Operator):
    """Load limits and comfort poses from a file; bones that the file does not name keep theirs"""

    bl_idname = "superpose.import_limits"
    bl_label = "Load Limits"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        content = joints_from_json(ob, self.read_text())
        content.store(ob)
        if content.limits:
            context.scene.superpose_show_limits = True
        count = len(content.limits.keys() | content.comforts.keys())
        self.report({'INFO'}, f"Loaded the settings of {count} bones from '{self.file_name}'")
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_export_limits, SUPERPOSE_OT_import_limits)
)
