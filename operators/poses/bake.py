# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a range of frames and write the result as keyframes."""

from collections.abc import Generator, Sequence
from dataclasses import replace

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Context, Object, Operator

from ...armature import (
    Channels,
    Rig,
    Sight,
    animation_times,
    channels,
    frame_ends,
    frame_length,
    frame_numbers,
    frame_rate,
    is_plain,
    keys_kept,
    pose_kept,
    present_frame_kept,
    read_rig,
    read_sights,
    settings_of,
    stack_clip,
    write_keys,
)
from ...armature.limits.outside import locked_outside
from ...armature.recording.contacts import Limbs
from ...armature.recording.followed import followed
from ...armature.recording.holds import holds_of
from ...armature.recording.recording import Recording, weighed, with_targets
from ...armature.reduction.reducing import KeyChoice, ReducedKeys
from ...armature.setup.ranks import GRADUAL
from ...armature.solution.baked import asked_in, left_by_bakes, remember_baked
from ...dragging import solved
from ...reports import (
    ClipReport,
    Report,
    Timing,
    clip_report,
    count_text,
    jumps_text,
    keys_text,
    led_of,
    loop_text,
    met_text,
    miss_text,
    of_believed,
    report_of,
    shown_heads,
    still_pins,
    still_text,
    store,
    strays_text,
    turned_away_text,
)
from ...solvers import (
    Goal,
    Jumps,
    Request,
    Settings,
    Solution,
    Targets,
    find_jumps,
    with_lag,
    with_opposition_told,
)
from ...solvers.clip import find_sudden_turns, with_worst_sought
from ...solvers.geometry import Mask
from ...solvers.kept import how_far_off
from ..mixins.dialog import fields_of
from ..mixins.reducing import ReducingOperator
from ..mixins.report import ReportOperator
from .bake_words import doubts_texts, left_out_text, outside_texts, slide_text, snapped_text
from .clips import AskedClip, SolvedClip
from .solving import Solving
from .take import take_of, wide_of


class SUPERPOSE_OT_bake(ReportOperator, ReducingOperator, Operator):
    """Solve every frame of a range and write keyframes for the bones that move"""

    bl_idname = "superpose.bake"
    bl_label = "Bake to Keyframes"
    confirm_text = "Bake"

    step: IntProperty(
        name="Step",
        description="Frames from one key to the next; Blender interpolates between them, so large steps "
        "let feet slide",
        default=1,
        min=1,
    )
    frames: EnumProperty(
        name="Frames",
        description="Whether frames are solved together or one by one",
        items=(
            (
                'TOGETHER',
                "Together",
                "Solve all frames as one motion, which keeps one way of meeting its targets and "
                "accelerates little. Only the method Superpose does this; others solve each frame alone",
            ),
            (
                'FOLLOWING',
                "From the Frame Before",
                "Begin each frame where the frame before ended; a frame depends only on earlier frames",
            ),
            (
                'ALONE',
                "Each Alone",
                "Begin each frame at its own animated pose; neighbours make no "
                "difference, so the body may jump",
            ),
        ),
    )
    smoothness: FloatProperty(
        name="Smoothness",
        description=(
            "How far targets give way to smooth motion; 0 meets them exactly, 0.1 keeps knees from popping "
            "where they get straight, 0.5 takes noise out of captured targets; too much rounds off quick "
            "motion, and feet slide"
        ),
        default=0.0,
        min=0.0,
        max=1.0,
        subtype='FACTOR',
    )

    use_clean: BoolProperty(
        name="Clean Targets",
        description="Bridge doubtful frames of targets (dropouts, flips and spikes), and take out as much "
        "noise as each target has; sharp turns of exact animation are rounded off a little",
    )

    def draw(self, context: Context) -> None:
        layout = fields_of(self.layout)
        self.draw_range(context, layout).prop(self, "step")
        layout.prop(self, "use_clean")
        layout.prop(self, "frames")
        row = layout.row()
        row.enabled = self.frames == 'TOGETHER' and settings_of(self.rig_meant(context)).method == 'SUPERPOSE'
        row.prop(self, "smoothness")
        self.draw_keys(context.scene, layout)
        self.draw_solved_action(context, layout)

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Bake, giving the frames that are read or solved so far; closing it early leaves all as it was."""
        scene = context.scene
        numbers = frame_numbers(scene, self.range, self.frame_start, self.frame_end, self.step)
        context.evaluated_depsgraph_get()  # which bones are mirrored is read as they are shown
        rig = read_rig(ob)
        choice = self.key_choice(scene, rig, ob, numbers)
        self.phase = "Reading frame"
        with pose_kept(ob, only_on_failure=True), present_frame_kept(scene):
            # All frames are let go of before the scene goes back to its own, where Blender copies the keys.
            told = yield from self.baked(context, ob, rig, numbers, choice)
        self.tell(context, ob, rig, *told)

    def baked(
        self, context: Context, ob: Object, rig: Rig, numbers: list[int], choice: KeyChoice | None
    ) -> Generator[int, None, tuple[Report, ClipReport, str, list[str]]]:
        """Bake the frames; return the report, that of the clip, where it jumps and notes."""
        asked = yield from self.ask(context, ob, rig, numbers)
        found = yield from self.find(ob, asked)
        del asked  # it has the frames beside them, too
        jumps = yield from self.jumps(found.request, found.solution)
        values = channels(found.rig, found.frames, found.solution.pose)
        sights, kept = yield from self.write(context, ob, found.rig, numbers, values, choice)
        del values  # they take as much as all poses
        remember_baked(ob, numbers, found.digests, found.off)
        self.remember(ob, numbers)
        return self.results(context, ob, numbers, found, jumps, sights, kept)

    def ask(
        self, context: Context, ob: Object, rig: Rig, numbers: list[int]
    ) -> Generator[int, None, AskedClip]:
        """Read the frames, and those beside them that have a say; return what is asked of them."""
        settings = settings_of(ob)
        is_one_motion = self.frames == 'TOGETHER' and settings.method == 'SUPERPOSE'
        wide = wide_of(context, ob, rig, numbers, self.step, is_one_motion, self.use_clean)
        self.total = len(wide.numbers)
        take = yield from take_of(context, ob, rig, numbers, self.step, wide)
        self.phase, self.total, rate = "Solving frame", len(take.beside), frame_rate(context.scene, self.step)
        follows = followed(ob, Recording(rig, take.frames, rate), take.marks[:, 0], self.use_clean)
        request = stack_clip(rig, take.numbers, follows.frames, settings)
        limbs = Limbs(rig, follows.frames, weighed(request.targets, follows.masked), rate)
        targets, held, apart, loose = self.planted(limbs, take.marks[:, 1:], take.inner, settings)
        request = replace(request, targets=targets, goals=(*request.goals, *held)).rows(take.inner)
        held = request.goals[len(request.goals) - len(held) :]
        take, follows = take.solved(), follows.rows(take.inner)
        request = replace(request, pose=take.moved_on(request, request.pose)).but_in(take.beside, GRADUAL)
        return AskedClip(rig, take, follows, request, held, apart, loose, rate)

    def find(self, ob: Object, asked: AskedClip) -> Generator[int, None, SolvedClip]:
        """Solve what is asked; return what was found of the frames that are baked."""
        rig, take, frames, held = asked.rig, asked.take, asked.follows.frames, asked.held
        how = self.frames, self.smoothness, self.use_clean, asked.rate
        digests = asked_in(rig, take.frames, asked.request.settings, take.marks, how)
        left = left_by_bakes(ob, take.numbers, digests, how_far_off(asked.request))[take.alike]
        keeps, together = rig.is_keyed, self.frames != 'ALONE'
        holds = holds_of(frames, asked.request, take.marks)
        way = Solving(self.frames, self.smoothness, keeps, take, left, holds, beside_contacts=bool(held))
        found = yield from solved(rig, frames, asked.request, way.found, as_one=together, keeps=keeps)
        found = yield from way.gone_on(found, frames, held)
        solution = with_lag(found.request, found.solution, found.rig.speeds, 1 / asked.rate)
        own = take.own
        off = how_far_off(replace(asked.request, pose=solution.pose).rows(own))
        request, solution = found.request.rows(own), solution.rows(own)
        solution = with_opposition_told(request, (yield from with_worst_sought(request, solution)))
        return SolvedClip(
            rig=found.rig,
            request=request,
            solution=solution,
            read=take.frames[own],
            marks=take.marks[own],
            follows=asked.follows.rows(own),
            held=held,
            apart=asked.apart,
            loose=asked.loose[own],
            outside=take.outside,
            loop=take.loop,
            digests=digests[own],
            off=off,
        )

    def results(
        self,
        context: Context,
        ob: Object,
        numbers: list[int],
        found: SolvedClip,
        jumps: Jumps,
        sights: Sequence[Sight],
        kept: ReducedKeys | None,
    ) -> tuple[Report, ClipReport, str, list[str]]:
        """Return the report, that of the clip, where it jumps and notes."""
        scene, rig, frames = context.scene, found.rig, found.frames
        request, solution = found.request, found.solution
        turned = find_sudden_turns(request.pose, solution.pose, jumps)
        sights = sights and with_targets(sights, found.read, frames)
        report = of_believed(report_of(rig, frames, request.skeleton, solution, sights), found.follows.masked)
        locked = locked_outside(ob, rig.names, rig.joints, request.pose.rotations)
        _, last = frame_ends(scene, self.range, self.frame_start, self.frame_end)
        notes = [left_out_text(numbers, last), *outside_texts(found.outside, locked, numbers)]
        notes += [still_text(rig, request, solution), turned_away_text(report)]
        notes += [loop_text(rig, found.loop.period, self.step, solution)] if found.loop else []
        notes += doubts_texts(rig, numbers, found.follows, found.loose)
        notes += [slide_text(scene, found)]
        notes += [keys_text(scene, kept) if kept else "", self.shared_text(ob)]
        timing = Timing(tuple(numbers), frame_rate(scene), scene.unit_settings.scale_length)
        heads = shown_heads(frames, request.skeleton, solution, sights)
        stands = found.marks[:, 1:].any(axis=1) | still_pins(rig, frames)
        led = led_of(rig, found.read, frames, request.targets, found.follows.masked.any(axis=-1))
        clip = clip_report(
            rig, timing, report, stands, heads, jumps=jumps, sudden_turns=turned, keys=kept, led=led
        )
        jumped = jumps_text(rig, numbers, jumps, turned, self.frames == 'ALONE')
        if not jumped and self.frames == 'TOGETHER' and not self.smoothness:  # which eases snaps
            jumped = snapped_text(rig, numbers, request, solution, report)
        return report, clip, jumped, [note for note in notes if note]

    def planted(
        self, limbs: Limbs, contacts: Mask, inner: slice, settings: Settings
    ) -> tuple[Targets, tuple[Goal, ...], float, Mask]:
        """Return targets led to where limbs have ``contacts`` (frames, 2, effectors), and what holds them.

        And, in those of the frames that are ``inner``, how far they step within a contact at most, and where
        (frames, effectors) they move too fast in one to be held.
        """
        if not contacts.any():
            return limbs.targets, (), 0.0, contacts.any(axis=1)[inner]
        targets, held, apart, loose = limbs.planted(contacts.transpose(0, 2, 1), inner)
        return targets, held if settings.method == 'SUPERPOSE' else (), apart, loose

    def write(
        self,
        context: Context,
        ob: Object,
        rig: Rig,
        numbers: list[int],
        values: Channels,
        choice: KeyChoice | None,
    ) -> Generator[int, None, tuple[Sequence[Sight], ReducedKeys | None]]:
        """Write and reduce the keys; return what all of them show, unless that is certain, and what stays."""
        is_certain, times = is_plain(ob) and values.is_fine, animation_times(context.scene, numbers)
        keys = rig, times, values, self.action, frame_length(context.scene)
        if is_certain and choice is None:
            write_keys(ob, *keys)
            return (), None
        with keys_kept(ob):
            write_keys(ob, *keys)
            self.phase = "Checking frame"
            sights = () if is_certain else (yield from read_sights(context, rig, ob, numbers))
            kept = choice and (yield from self.reduced(context, ob, rig, numbers, choice))
        return sights, kept

    def jumps(self, request: Request, solution: Solution) -> Generator[int, None, Jumps]:
        """Return where the solution of what was asked jumps."""
        self.phase, self.total = "Looking for jumps, frame", len(request)
        return (yield from find_jumps(request, solution))

    def tell(
        self,
        context: Context,
        ob: Object,
        rig: Rig,
        report: Report,
        clip: ClipReport,
        jumps: str,
        notes: list[str],
    ) -> None:
        """Report the result, and leave it where the panel shows it."""
        numbers = clip.frames
        strays = strays_text(context.scene, ob, rig, numbers, report.strays)
        left = [of[:, report.asked] for of in report.left]
        worst = miss_text(context.scene, *map(np.max, left), report.visible.min())
        mean = miss_text(context.scene, *map(np.mean, left))
        missed, count = int(report.missed.any(axis=1).sum()), len(report.missed)
        frames = count_text(count, "frame")
        message = f"Baked {frames}: {met_text(context.scene, *map(np.max, left), report.visible.min())}"
        told = f"Baked {frames}, {missed} missed: worst {worst}"
        if missed:
            row, column = report.worst_miss
            miss = report.distances[row, column], report.angles[row, column], report.visible.min()
            there, where = miss_text(context.scene, *miss), f"{numbers[row]}, {report.names[column]}"
            message = f"Missed in {missed} of {frames}: {there} at {where}"
            told = f"Baked {frames}, {missed} missed, most at frame {where}: {there}"
        told += f"; mean {mean}"
        if ob.superpose_live:  # it would pose the body beside its keys
            ob.superpose_live = False
            message, told = (f"{text}; Live is off, so that the keys are seen" for text in (message, told))
        kind = 'WARNING' if missed or jumps else 'INFO'
        self.report_lines(kind, told, (*strays.splitlines(), jumps, *notes))
        store(context.scene, ob, rig, report, message, is_pose=False, jumps=jumps, notes=notes, clip=clip)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_bake,))
