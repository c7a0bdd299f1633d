# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Save the report of the last bake from frame to frame, as numbers or as a picture."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Context, Object, Operator

from ...armature import RigError
from ...reports import clip_picture, clip_report_of
from ...solvers.comparison import to_svg
from ..mixins.json_file import SavedFile
from ..mixins.rig import RigOperator
from .picture import icon_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


ENDINGS = (".json", ".svg")


class SUPERPOSE_OT_save_clip_report(SavedFile, RigOperator, Operator):
    """Save the report of the last bake, frame by frame: numbers as .json, or the picture as .svg"""

    bl_idname = "superpose.save_clip_report"
    bl_label = "Save Clip Report"
    bl_options = {'REGISTER'}
    what = "clip"
    check_extension = None  # of two the user says which

    filter_glob: StringProperty(
        default="*.json;*.svg", description="Files that are shown", options={'HIDDEN'}
    )
    file_format: EnumProperty(
        name="Format",
        description="What is saved. In scripts, the ending of the file's name decides",
        items=(
            ('SVG', "Picture (.svg)", "The picture that the panel shows, for any browser"),
            ('JSON', "Numbers (.json)", "How far each target is missed in each frame, for scripts"),
        ),
    )

    def check(self, _context: Context) -> bool:
        """Have the file end as its format does, and return whether that changes its name."""
        own, ending = self.path, f".{self.file_format.lower()}"
        if not own.name or own.suffix.lower() == ending:
            return False
        stem = own.stem if own.suffix.lower() in ENDINGS else own.name
        self.filepath = str(own.with_name(stem + ending))
        return True

    def draw(self, _context: Context) -> None:
        self.layout.prop(self, "file_format", expand=True)

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        report = clip_report_of(ob)
        if report is None:
            raise RigError(f"'{ob.name}' was not baked last: there is no clip report")
        match self.path.suffix.lower():
            case ".json":
                self.write_text(ob.superpose.clip_report)
            case ".svg":
                self.write_text(to_svg(clip_picture(report)))
            case _:
                raise RigError(f"'{self.file_name}' ends neither in .json nor in .svg")
        self.report({'INFO'}, f"Saved the clip report of '{ob.name}' to '{self.file_name}'")
        return {'FINISHED'}

    @staticmethod
    def picture(ob: Object) -> int:
        """Return the icon of the report's picture for the panel, 0 while it is not painted."""
        return icon_of(ob)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_save_clip_report,))
