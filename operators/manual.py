# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual, which is installed with the extension: as a whole, and what of it speaks of one control."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Operator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

PAGE = Path(__file__).resolve().parent.parent / "manual" / "panel.html"
# What Blender calls operators and properties, in small letters, and the heading of the page that speaks of
# them. The first that fits counts.
HEADINGS = (
    ("bpy.ops.superpose.set_up_body", "set-up-body"),
    ("bpy.ops.superpose.make_body", "rigs-with-controls"),
    ("bpy.ops.superpose.fit_controls*", "rigs-with-controls"),
    ("bpy.types.superpose_pg_setup.control_rig", "rigs-with-controls"),
    ("bpy.ops.superpose.*_set_up", "set-up-body"),
    ("bpy.ops.superpose.remove_setup", "whole-body"),
    ("bpy.ops.superpose.*effector*", "effectors"),
    ("bpy.ops.superpose.*targets", "targets"),
    ("bpy.types.scene.superpose_show_targets", "targets"),
    ("bpy.ops.superpose.*goal", "goals"),
    ("bpy.types.superpose_pg_goal*", "goals"),
    ("bpy.types.superpose_pg_setup.*goal*", "goals"),
    ("bpy.ops.superpose.bake*", "bake"),
    ("bpy.ops.superpose.compare*", "compare-solvers"),
    ("bpy.ops.superpose.*comfort", "comfort"),
    ("bpy.types.superpose_pg_comfort*", "comfort"),
    ("bpy.ops.superpose.apply_limit_preset*", "human-joints"),
    ("bpy.ops.superpose.*limit*", "limit"),
    ("bpy.ops.superpose.*cone", "limit"),
    ("bpy.types.superpose_pg_limit*", "limit"),
    ("bpy.types.superpose_pg_cone*", "limit"),
    ("bpy.types.scene.superpose_*limits*", "limit"),
    ("bpy.types.superpose_pg_bone.stiffness", "active-bone"),
    ("bpy.types.superpose_pg_bone.mass", "active-bone"),
    ("bpy.types.superpose_pg_bone.twist*", "active-bone"),
    ("bpy.types.superpose_pg_bone.turn_speed", "active-bone"),
    ("bpy.types.posebone.superpose_*weight", "weights-and-axes"),
    ("bpy.types.posebone.superpose_offset", "weights-and-axes"),
    ("bpy.types.superpose_pg_bone.*axes", "weights-and-axes"),
    ("bpy.types.superpose_pg_bone.*", "effectors"),
    ("bpy.types.posebone.superpose_*", "effectors"),
    ("bpy.types.superpose_pg_setup.root_*", "root"),
    ("bpy.types.superpose_pg_setup.scope", "solve"),
    ("bpy.types.superpose_pg_setup.*", "solver"),
    ("bpy.*superpose*", "solve"),
)


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return where Blender finds what its context menus call Online Manual; nothing where there is none."""
    there = HEADINGS if PAGE.exists() else ()
    return f"{PAGE.as_uri()}#", there


class SUPERPOSE_OT_help(Operator):
    """Open the manual, which is installed with the extension, in the web browser"""

    bl_idname = "superpose.help"
    bl_label = "Help"

    def execute(self, _context: Context) -> "set[OperatorReturnItems]":
        if not PAGE.exists():
            self.report(
                {'ERROR'}, "This copy of the extension was not built and has no manual: see docs/panel.md"
            )
            return {'CANCELLED'}
        return bpy.ops.wm.url_open(url=PAGE.as_uri())


register_classes, unregister_classes = bpy.utils.register_classes_factory((SUPERPOSE_OT_help,))


def register() -> None:
    register_classes()
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    bpy.utils.unregister_manual_map(manual_map)
    unregister_classes()
