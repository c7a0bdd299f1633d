# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every solver on the same problems of one armature, and write down how each did."""

from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...armature import (
    SOLVERS,
    VISIBLE_TURN,
    FrameSnapshot,
    Rig,
    RigError,
    frame_numbers,
    frame_rate,
    pose_kept,
    present_frame_kept,
    read_frame,
    read_frames,
    read_rig,
    settings_of,
    stack,
    world_lengths,
)
from ...files import path_text
from ...reports import store_comparison, visible_distance
from ...solvers.comparison import Problems, Result, Trace, compete, met_at_start, reachable, summary, trace
from ..mixins.dialog import fields_of
from ..mixins.rig import armature_of
from ..mixins.stepwise import StepwiseOperator
from .contestants import blender, own_methods
from .files import check_folder, show_soon, shown_image, write_files

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


def compared_rig(ob: Object) -> Rig:
    """Return who is solved; raises RigError where no effectors are: others than ours know nothing else."""
    rig = read_rig(ob)
    if not rig.effectors:
        raise RigError(f"Solvers are compared by effectors, and '{ob.name}' has none that is enabled")
    return rig


class SUPERPOSE_OT_compare_solvers(StepwiseOperator, Operator):
    """Run every solver on the same problems, and write a table and a plot of the results. The pose stays"""

    bl_idname = "superpose.compare_solvers"
    bl_label = "Compare Solvers"
    confirm_text = "Compare"
    bl_options = {'REGISTER'}  # no UNDO: nothing is changed

    problems: EnumProperty(
        name="Problems",
        description="Which problems the solvers get",
        items=(
            ('PRESENT', "Present", "Meet the targets of the present frame"),
            ('RANDOM', "Random", "Meet the places of the effectors in random poses within the limits"),
            ('CLIP', "Clip", "Meet the targets of every frame of the scene's range"),
        ),
    )
    count: IntProperty(
        name="Count", description="How many random problems", default=20, min=1, max=10_000, soft_max=1000
    )
    seed: IntProperty(
        name="Seed",
        description="Start of the random numbers: another seed gives other problems",
        default=0,
        min=0,
    )
    in_sequence: BoolProperty(
        name="From the Frame Before",
        description="Begin each frame where the solver ended the frame before, instead of at its own pose",
        default=True,
    )
    iterations: IntProperty(
        name="Iterations",
        description="Largest number of iterations of each solver; too few are unfair to solvers with many "
        "small steps",
        default=200,
        min=1,
        max=1_000_000,
        soft_max=2000,
    )
    seconds: FloatProperty(
        name="Time Limit",
        description="How long a solver may take for one problem, in seconds: it gets as many iterations as "
        "fit in. The table says which solvers ran out of time",
        subtype='TIME_ABSOLUTE',
        default=0.5,
        min=0.01,
        max=3600.0,
        soft_max=10.0,
    )
    use_blender: BoolProperty(
        name="Blender's Own",
        description="Run Blender's standard and iTaSC solvers too, on a copy that is removed again",
        default=True,
    )
    directory: StringProperty(
        name="Folder",
        description="Where table and plot are saved; empty for the folder of the .blend file",
        subtype='DIR_PATH',
        options={'SKIP_SAVE'},
    )
    show: BoolProperty(
        name="Show Plot", description="Open the plot in an image editor when it is done", default=True
    )

    def draw(self, _context: Context) -> None:
        layout = fields_of(self.layout)
        layout.prop(self, "problems")
        if self.problems == 'RANDOM':
            col = layout.column(align=True)
            col.prop(self, "count")
            col.prop(self, "seed")
        elif self.problems == 'CLIP':
            layout.prop(self, "in_sequence")
        layout.prop(self, "iterations")
        layout.prop(self, "seconds")
        layout.prop(self, "use_blender")
        layout.prop(self, "directory")
        layout.prop(self, "show")

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        return self.attempt(context, lambda: self.ask(context, event))

    def ask(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        """Show the dialog, unless it is plain already that the comparison would be refused.

        A file that is not saved yet has no folder: the dialog begins with the user's own.
        """
        if not (self.directory or bpy.data.filepath):
            self.directory = str(Path.home())
        check_folder(self.directory)
        compared_rig(armature_of(context))
        return StepwiseOperator.invoke(self, context, event)

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Compare, giving how far it is; closing it early leaves all as it was."""
        folder = check_folder(self.directory)
        rig = compared_rig(ob)
        frames = yield from self.frames(context, ob, rig)
        problems = self.problems_of(context, ob, rig, frames)
        near = float(visible_distance(frames).max()), VISIBLE_TURN
        with ExitStack() as borrowed:
            given = rig, ob, problems
            blenders = [borrowed.enter_context(blender(*given, name)) for name in self.blenders()]
            entrants = [*own_methods(ob, problems), *blenders]
            self.phase, self.total = "Run", len(entrants) * len(problems)
            results = yield from compete(entrants, problems, self.iterations, self.seconds)
            traces = [] if met_at_start(problems, near) else (yield from self.follow(results, problems))
        rows = [summary(result, problems, near) for result in results]
        self.tell(context, ob, folder, rows, traces, near[0])

    def blenders(self) -> tuple[str, ...]:
        return tuple(SOLVERS) if self.use_blender else ()

    def frames(self, context: Context, ob: Object, rig: Rig) -> Generator[int, None, list[FrameSnapshot]]:
        """Read the frames that problems are made of."""
        if self.problems != 'CLIP':
            return [read_frame(rig, ob, context.evaluated_depsgraph_get())]
        numbers = frame_numbers(context.scene, 'SCENE')
        self.phase, self.total = "Reading frame", len(numbers)
        with pose_kept(ob), present_frame_kept(context.scene):
            return (yield from read_frames(context, rig, ob, numbers))

    def problems_of(self, context: Context, ob: Object, rig: Rig, frames: list[FrameSnapshot]) -> Problems:
        asked = stack(rig, frames, settings_of(ob))
        is_clip = self.problems == 'CLIP'
        problems = Problems(
            asked.skeleton,
            asked.pose,
            asked.effectors,
            asked.targets,
            asked.settings,
            asked.goals,
            scale=float(world_lengths(frames[:1], 1.0)[0, 0]),
            fps=frame_rate(context.scene) if is_clip else None,
            in_sequence=is_clip and self.in_sequence,
        )
        return reachable(problems, self.count, self.seed) if self.problems == 'RANDOM' else problems

    def follow(self, results: list[Result], problems: Problems) -> Generator[int, None, list[Trace]]:
        """Take the curves of the plot."""
        self.phase, self.total, traces = "Curve", len(results), []
        for result in results:
            asked = result.contestant, problems, self.iterations, self.seconds, len(traces), result.runs
            traces.append((yield from trace(*asked)))
        return traces

    def tell(
        self,
        context: Context,
        ob: Object,
        folder: Path,
        rows: list[dict],
        traces: list[Trace],
        visible: float,
    ) -> None:
        """Write the files, and leave the table where the panel shows it."""
        about = {"problems": self.about(context), "iterations": self.iterations, "seconds": self.seconds}
        files = write_files(folder, ob, about, rows, traces)
        store_comparison(context.scene, ob, about["problems"], rows, visible)
        image = shown_image(files.picture)
        if self.show and not bpy.app.background:
            show_soon(image)
        self.report({'INFO'}, f"Compared {len(rows)} solvers: {path_text(files.table)}")

    def about(self, context: Context) -> str:
        """Return what the solvers were compared on, in words."""
        if self.problems == 'PRESENT':
            return f"The pose at frame {context.scene.frame_current}"
        if self.problems == 'RANDOM':
            return f"{self.count} random poses, seed {self.seed}"
        start = "each from the one before" if self.in_sequence else "each on its own"
        return f"Frames {context.scene.frame_start} to {context.scene.frame_end}, {start}"


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_compare_solvers,))
