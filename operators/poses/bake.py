# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a range of frames and write the result as keyframes."""

from collections.abc import Generator, Sequence
from dataclasses import replace

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Context, Object, Operator, Scene

from ...armature import (
    Channels,
    FrameSnapshot,
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
    world_lengths,
    write_keys,
)
from ...armature.limits.outside import locked_outside
from ...armature.recording.contacts import Limbs
from ...armature.recording.followed import Followed, followed
from ...armature.recording.holds import holds_of
from ...armature.recording.targets import Recording, weighed, with_targets
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
    doubts_text,
    jumps_text,
    keys_text,
    led_of,
    length_text,
    loop_text,
    met_text,
    miss_text,
    names_text,
    of_believed,
    report_of,
    shown_heads,
    snaps_text,
    still_pins,
    still_text,
    store,
    strays_text,
    turned_away_text,
)
from ...solvers import (
    Goal,
    Jumps,
    Place,
    Request,
    Settings,
    Solution,
    Targets,
    find_jumps,
    with_lag,
    with_opposition_told,
)
from ...solvers.clip import find_leaps, find_snaps, with_worst_sought
from ...solvers.geometry import Mask
from ...solvers.kept import how_far_off
from ..mixins.dialog import fields_of
from ..mixins.reducing import ReducingOperator
from ..mixins.report import ReportOperator
from .solving import Solving
from .take import take_of, wide_of

DOUBTED = "Doubtful, but followed: Clean Targets or mask"


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
        scene, settings = context.scene, settings_of(ob)
        is_one_motion = self.frames == 'TOGETHER' and settings.method == 'SUPERPOSE'
        wide = wide_of(context, ob, rig, numbers, self.step, is_one_motion, self.use_clean)
        self.total = len(wide.numbers)
        take = yield from take_of(context, ob, rig, numbers, self.step, wide)
        self.phase, self.total, rate = "Solving frame", len(take.beside), frame_rate(scene, self.step)
        follows = followed(ob, Recording(rig, take.frames, rate), take.marks[:, 0], self.use_clean)
        request = stack_clip(rig, take.numbers, follows.frames, settings)
        limbs = Limbs(rig, follows.frames, weighed(request.targets, follows.masked), rate)
        targets, held, apart, loose = self.planted(limbs, take.marks[:, 1:], take.inner, settings)
        request = replace(request, targets=targets, goals=(*request.goals, *held)).rows(take.inner)
        held = request.goals[len(request.goals) - len(held) :]
        take, follows, own, beside = take.solved(), follows.rows(take.inner), take.own, take.beside
        request = replace(request, pose=take.moved_on(request, request.pose)).but_in(beside, GRADUAL)
        read, marks = take.frames, take.marks
        how, asked = (self.frames, self.smoothness, self.use_clean, rate), request
        asked_for = asked_in(rig, read, settings, marks, how)
        left = left_by_bakes(ob, take.numbers, asked_for, how_far_off(asked))[take.alike]
        keeps, together, frames = rig.is_keyed, self.frames != 'ALONE', follows.frames
        holds = holds_of(frames, asked, marks)
        way = Solving(self.frames, self.smoothness, keeps, take, left, holds, beside_contacts=bool(held))
        found = yield from solved(rig, frames, request, way.found, as_one=together, keeps=keeps)
        found = yield from way.gone_on(found, frames, held)
        rig, request, solution = found.rig, found.request, found.solution
        solution = with_lag(request, solution, rig.speeds, 1 / rate)
        off = how_far_off(replace(asked, pose=solution.pose).rows(own))
        request, solution = request.rows(own), solution.rows(own)
        solution = with_opposition_told(request, (yield from with_worst_sought(request, solution)))
        read, marks, follows = read[own], marks[own], follows.rows(own)
        frames, masked = follows.frames, follows.masked
        jumps = yield from self.jumps(request, solution)
        leaps = find_leaps(request.pose, solution.pose, jumps)
        values = channels(rig, frames, solution.pose)
        sights, kept = yield from self.write(context, ob, rig, numbers, values, choice)
        remember_baked(ob, numbers, asked_for[own], off)
        self.remember(ob, numbers)
        del values  # they take as much as all poses
        sights = sights and with_targets(sights, read, frames)
        report = of_believed(report_of(rig, frames, request.skeleton, solution, sights), masked)
        locked = locked_outside(ob, rig.names, rig.joints, request.pose.rotations)
        notes = [self.left_out(scene, numbers), *self.outside_texts(take.outside, locked, numbers)]
        notes += [still_text(rig, request, solution), turned_away_text(report)]
        notes += [loop_text(rig, take.loop.period, self.step, solution)] if take.loop else []
        notes += self.doubts_texts(rig, numbers, follows, loose[own])
        notes += [self.slide_text(scene, frames, solution, len(request.goals) - len(held), held, apart)]
        notes += [keys_text(scene, kept) if kept else "", self.shared_text(ob)]
        timing = Timing(tuple(numbers), frame_rate(scene), scene.unit_settings.scale_length)
        heads = shown_heads(frames, request.skeleton, solution, sights)
        stands = marks[:, 1:].any(axis=1) | still_pins(rig, frames)
        led = led_of(rig, read, frames, request.targets, masked.any(axis=-1))
        clip = clip_report(
            rig, timing, report, stands, heads, jumps=jumps, sudden_turns=leaps, keys=kept, led=led
        )
        jumped = jumps_text(rig, numbers, jumps, leaps, self.frames == 'ALONE')
        jumped = jumped or self.snapped_text(rig, numbers, request, solution, report)
        return report, clip, jumped, [note for note in notes if note]

    def snapped_text(
        self, rig: Rig, numbers: list[int], request: Request, solution: Solution, report: Report
    ) -> str:
        """Return in words where one motion snaps, unless smoothness is asked for, which eases that."""
        if self.smoothness or self.frames != 'TOGETHER' or request.settings.method != 'SUPERPOSE':
            return ""
        snaps = find_snaps(request.pose, solution.pose, report.missed.any(axis=1))
        return snaps_text(rig, numbers, snaps)

    @staticmethod
    def doubts_texts(rig: Rig, numbers: list[int], follows: Followed, loose: Mask) -> list[str]:
        """Return in words which targets were exchanged, bridged and doubted, which contacts are ``loose``
        (frames, effectors), and where.
        """
        doubtful = {"Exchanged": follows.exchanged, "Bridged": follows.masked.any(axis=-1)}
        doubtful |= {DOUBTED: follows.doubted.any(axis=-1), "Contacts move too fast to be held": loose}
        return [doubts_text(what, rig, numbers, mask) for what, mask in doubtful.items()]

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

    @staticmethod
    def slide_text(
        scene: Scene,
        frames: list[FrameSnapshot],
        solution: Solution,
        before: int,
        held: tuple[Goal, ...],
        apart: float,
    ) -> str:
        """Return in words how far what is ``held`` is from its place at most; ``before``: other goals.

        ``apart``: how far limbs step within one contact at most.
        """
        places = sum(isinstance(goal, Place) for goal in held)
        lengths = world_lengths(frames, solution.goal_residuals[:, before : before + places, 0])
        stepping = f", but step by up to {length_text(scene, apart)} where targets move" if apart else ""
        return f"Contacts hold to {length_text(scene, lengths.max())}{stepping}" if places else ""

    def left_out(self, scene: Scene, numbers: list[int]) -> str:
        """Return in words that the last frame is not baked, where that is so."""
        _, last = frame_ends(scene, self.range, self.frame_start, self.frame_end)
        return f"Step leaves out the last frame, {last}" if numbers[-1] < last else ""

    @staticmethod
    def outside_texts(unturned: dict[str, int], locked: dict[str, int], numbers: list[int]) -> list[str]:
        """Return in words which bones are outside their limits, and from which frame on.

        Those that are not turned, by their first frames, and those that locks hold, by their first rows.
        """
        held = {bone: numbers[row] for bone, row in locked.items()}
        return [
            f"Outside limits, {why}: {names_text(list(bones))}, first at frame {min(bones.values())}"
            for why, bones in (("not turned", unturned), ("held by locks", held))
            if bones
        ]

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
        more = {"jumps": jumps, "strays": strays, "notes": notes, "clip": clip}
        store(context.scene, ob, rig, report, message, is_pose=False, **more)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_bake,))
