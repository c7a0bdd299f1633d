# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Save a body's set-up to a file, by roles, and load it onto another body of its kind."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator
from bpy_extras.io_utils import ImportHelper

from ...armature import RigError
from ...armature.by_role.made_roles import as_made
from ...armature.by_role.preset import preset_as_json, preset_from_json
from ...armature.by_role.recognised import check_sure, whole_body
from ...armature.by_role.saving import preset_of
from ...reports import names_text
from ..mixins.json_file import JsonFile, SavedFile
from ..mixins.rig import RigOperator
from .whole import WholeBodyOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_save_set_up(SavedFile, RigOperator, Operator):
    """Save to a file what effectors and goals ask for and how stiff joints are, by the roles of the bones, \
so that you can load it onto other rigs"""

    bl_idname = "superpose.save_set_up"
    bl_label = "Save Set-Up"
    bl_options = {'REGISTER'}
    what = "set_up"

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        preset, unsaid, goals = preset_of(ob, whole_body(ob))
        self.write_text(preset_as_json(preset))
        words = f"Saved the set-up of '{ob.name}' to '{self.file_name}'"
        if unsaid:
            words += ", without effectors that play no role and your own limits, comfort and shares of twist "
            words += f"(see Save Limits): {names_text(unsaid)}"
        if goals:
            words += f", without goals about objects or bones that have no role: {names_text(goals)}"
        self.report({'INFO'}, words)
        return {'FINISHED'}


class SUPERPOSE_OT_load_set_up(JsonFile, WholeBodyOperator, ImportHelper, Operator):
    """Set up this body from a file that was saved from any body of its kind"""

    bl_idname = "superpose.load_set_up"
    bl_label = "Load Set-Up"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        preset, body = preset_from_json(self.read_text()), whole_body(ob)
        check_sure(ob, body)
        if preset.kind != body.kind:
            raise RigError(
                f"The file is for another kind of body ({preset.kind}) than '{ob.name}' ({body.kind})"
            )
        said = as_made(ob, body)
        self.set_up(context, ob, body.confirmed(body.kind, said) if said else body, preset, anew=True)
        return {'FINISHED'}

    def draw(self, _context: Context) -> None:
        self.draw_choices(self.layout.column(heading="Make"))


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_save_set_up, SUPERPOSE_OT_load_set_up)
)
