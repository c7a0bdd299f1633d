# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Save a rig's limits to a file, and load them."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Object, Operator
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...armature import RigError
from ...armature.limits.file import joints_as_json, joints_from_json
from ..mixins.paths import path_from, path_text, write_text
from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class LimitsFile:
    """Mixin of the two: files named .json."""

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", description="Files that are shown", options={'HIDDEN'})

    @property
    def path(self) -> Path:
        return path_from(self.filepath)


class SUPERPOSE_OT_export_limits(LimitsFile, RigOperator, ExportHelper, Operator):
    """Save the limits and comfort poses that the bones have of their own to a file"""

    bl_idname = "superpose.export_limits"
    bl_label = "Save Limits"
    bl_options = {'REGISTER'}

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        text, path = joints_as_json(ob), self.path
        try:
            write_text(path, text + "\n")
        except OSError as error:
            raise RigError(f"'{path_text(path)}' cannot be written: {error.strerror}") from error
        self.report({'INFO'}, f"Saved the limits of '{ob.name}' to '{path_text(path.name)}'")
        return {'FINISHED'}


class SUPERPOSE_OT_import_limits(LimitsFile, RigOperator, ImportHelper, Operator):
    """Load limits and comfort poses from a file; bones that it does not name keep theirs"""

    bl_idname = "superpose.import_limits"
    bl_label = "Load Limits"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        path = self.path
        name = path_text(path.name)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise RigError(f"'{path_text(path)}' cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise RigError(f"'{name}' is no text") from error
        content = joints_from_json(ob, text)
        content.store(ob)
        if content.limits:
            context.scene.superpose_show_limits = True
        count = len(content.limits.keys() | content.comforts.keys())
        self.report({'INFO'}, f"Loaded what '{name}' says of {count} bones")
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_export_limits, SUPERPOSE_OT_import_limits)
)
