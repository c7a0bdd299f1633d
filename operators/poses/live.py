# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn live posing on or off from a menu or by a key, with a target active as well."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_toggle_live(RigOperator, Operator):
    """Switch Live on or off: the body follows its targets while you move them, or stays where it is"""

    bl_idname = "superpose.toggle_live"
    bl_label = "Live"

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        ob.superpose_live = not ob.superpose_live
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_toggle_live,))
