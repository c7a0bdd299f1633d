# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve the present frame's pose."""

from collections.abc import Generator
from itertools import compress
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import Context, Event, Object, Operator

from ...armature import (
    Rig,
    is_plain,
    left_as_posed,
    present_sight,
    read_frame,
    read_rig,
    settings_of,
    stack,
)
from ...armature.autokey import remarks_on_keys, write_and_key
from ...armature.limits.outside import left_outside
from ...armature.setup.copied import copied_from
from ...dragging import solved
from ...reports import (
    Report,
    miss_text,
    missed_lines,
    names_text,
    report_of,
    store,
    summary,
)
from ...solvers import Request, Solution, solve_kept
from ...solvers.geometry import Mask
from ..mixins.report import ReportOperator
from ..mixins.stepwise import StepwiseOperator, counted

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


def _solve(request: Request, _stays: Mask, _near: bool) -> Generator[int, None, Solution]:
    """Solve what is asked; a pose that is as near as can be stays."""
    return solve_kept(request)


class SUPERPOSE_OT_solve(ReportOperator, StepwiseOperator, Operator):
    """Turn the bones so that the effectors meet their targets"""

    bl_idname = "superpose.solve"
    bl_label = "Solve"

    patience = 2.0
    phase, total = "Solving, step", 0

    def invoke(self, context: Context, _event: Event) -> "set[OperatorReturnItems]":
        self.asked = context.window is not None and not bpy.app.background
        return self.execute(context)

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Solve, giving the steps taken so far; nothing is written before the end."""
        depsgraph = context.evaluated_depsgraph_get()
        rig = read_rig(ob)
        frame = read_frame(rig, ob, depsgraph)
        request = stack(rig, [frame], settings_of(ob))
        found = yield from counted(solved(rig, [frame], request, _solve, keeps=True))
        rig, solution = found.rig, found.solution
        with left_as_posed(ob):
            written = write_and_key(context, ob, rig, solution.pose)
        remarks = remarks_on_keys(context, written)
        depsgraph = context.evaluated_depsgraph_get()
        sights = [] if is_plain(ob) else [present_sight(depsgraph, rig, ob)]
        report = report_of(rig, [frame], request.skeleton, solution, sights)
        self.tell(context, ob, rig, report, remarks)

    def tell(self, context: Context, ob: Object, rig: Rig, report: Report, remarks: str) -> None:
        """Report the result, and why nothing was keyed, and leave it where the panel shows it."""
        is_missed, message = report.missed.any(), summary(context.scene, report)
        worst = miss_text(context.scene, *map(np.max, report.left))
        kind, told = ('WARNING', message) if is_missed else ('INFO', f"{message}; worst {worst}")
        self.report_lines(kind, told, [remarks, *missed_lines(context.scene, ob, rig, report)])
        outside = left_outside(ob, set(compress(rig.names, rig.turning)))
        copied = [name for name in rig.names if copied_from(ob.pose.bones[name])]
        notes = [
            remarks,
            f"Outside limits, not turned: {names_text(outside)}" if outside else "",
            f"Not mirrored, see Mirror Limits: {names_text(copied)}" if copied else "",
        ]
        store(context.scene, ob, rig, report, message, notes=notes)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_solve,))
