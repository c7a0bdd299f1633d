# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths, angles and what was missed, in words that a user reads."""

from collections.abc import Sequence
from math import degrees, radians

import bpy
import numpy as np
from bpy.types import Object, Scene

from ..armature import VISIBLE_TURN, Rig, what_moves_bone, what_moves_target
from ..armature.reduction.reducing import ReducedKeys
from ..solvers import Jumps, Request, Solution
from ..solvers.geometry import Mask, angle_between, quaternion_to_matrix
from ..solvers.motion import spans_of
from .clip import ClipReport
from .report import Report, Stray

SHOWN = 4  # names in a message
ALONG = "Goes with the body"  # what is said of an effector that is not asked for
KEYS = "Keys: "  # what a line about fewer keys begins with
_FAR, _NEARLY_ALL = radians(30), 0.75  # a turn that no target is off by for long, and of how many frames
_MOVES = 1e-3  # of a quaternion: what turns less stands still
_SAME = 1e-3  # radians, which cannot be seen
_POPS = 1.5  # times as much as joints turn from frame to frame
_LEAST = {'METRIC': 1e-6, 'IMPERIAL': 2.54e-5, 'NONE': 1e-6}  # metres: a micrometre, a thousandth of an inch


def length_text(scene: Scene, length: float, digits: int = 2) -> str:
    """Return a length in scene units, as the user has units shown; none is below the smallest unit."""
    units = scene.unit_settings
    return metres_text(length * units.scale_length, units.system, digits)


def metres_text(metres: float, system: str = 'METRIC', digits: int = 2) -> str:
    """Return a length in the unit that suits it; none is below the smallest unit of the system."""
    least = _LEAST[system]
    shown = least * round(metres / least) if metres < least else metres
    return bpy.utils.units.to_string(system, 'LENGTH', shown, precision=digits).strip()


def angle_text(angle: float) -> str:
    """Return an angle in radians as degrees, to two digits, and none beyond a thousandth."""
    value = round(degrees(angle), 3)
    return f"{value:.0f}°" if value >= 10 else f"{value:.2g}°"


def miss_text(scene: Scene, distance: float, angle: float, visible: float = 0.0) -> str:
    """Return a distance in scene units and an angle in radians, as the user has units shown.

    What cannot be seen is left out: the angle, and beside one that can a distance of up to ``visible``.
    """
    if angle <= VISIBLE_TURN:
        return _missed_text(scene, distance)
    turn = angle_text(angle)
    return f"{_missed_text(scene, distance)}, {turn}" if distance > visible else turn


def _missed_text(scene: Scene, distance: float) -> str:
    """Return how far something is off, in scene units: on a tiny rig a miss is not nothing."""
    system, shown = scene.unit_settings.system, length_text(scene, distance)
    if distance == 0 or shown != length_text(scene, 0.0):
        return shown
    return f"under {metres_text(_LEAST[system], system)}"


def met_text(scene: Scene, distance: float, angle: float, visible: float) -> str:
    """Return what is left where nothing was missed, if it can be seen; distances can from ``visible`` on.

    It can where targets give way to smooth motion, or a tolerance is large.
    """
    is_seen = distance > visible or angle > VISIBLE_TURN
    return f"all within {miss_text(scene, distance, angle, visible)}" if is_seen else "all met"


def keys_text(scene: Scene, kept: ReducedKeys) -> str:
    """Return in a line how many keys are kept, and how far from all of them the clip is."""
    if kept.none_fewer:
        why = "a constraint or quick turns of a bone may be why"
        return f"{KEYS}all {kept.full} stay: no smaller number that keeps the bounds was found; {why}"
    share = f"{KEYS}{kept.kept} of {kept.full} ({kept.kept / kept.full:.0%})"
    if kept.kept == kept.full:
        return share
    off = f"{length_text(scene, kept.distance)}, {angle_text(kept.angle)}"
    return f"{share}, off by up to {off}; most at frame {kept.frame:g}, '{kept.bone}'"


def look_text(scene: Scene, report: ClipReport, frame: int) -> str:
    """Return in a few words why a frame needs a look: what is missed worst, and what turns."""
    row, parts = report.frames.index(frame), []
    if (column := report.worst_miss_in(row)) is not None:
        there = report.distances[row, column], report.angles[row, column], report.visible[row, 0]
        left = miss_text(scene, *there)
        parts.append(f"{report.names[column]} {left}")
    for verb, found in (("jumps", report.jumps), ("turns", report.sudden_turns)):
        here = (turn for turn in found if turn.frame == frame)
        parts += [f"'{turn.bone}' {verb} by {angle_text(turn.angle)}" for turn in here]
    return "; ".join(parts)


def short_miss_text(scene: Scene, distance: float, angle: float, visible: float) -> str:
    """Return the distance or the angle, what is more times that which can be seen: ``visible`` of lengths."""
    is_turned_more = angle > VISIBLE_TURN and angle * visible > distance * VISIBLE_TURN
    return angle_text(angle) if is_turned_more else length_text(scene, distance)


def count_text(count: int, thing: str) -> str:
    """Return how many there are of a thing: 1 bone, 2 bones."""
    return f"{count} {thing}{'s' * (count != 1)}"


def names_text(names: Sequence[str]) -> str:
    """Return the first names, quoted, and how many more there are."""
    quoted, more = ", ".join(f"'{name}'" for name in names[:SHOWN]), len(names) - SHOWN
    return f"{quoted} and {more} more" if more > 0 else quoted


def stay_text(words: Sequence[str]) -> str:
    """Return what to say of targets that stay, each with its reason in ``words``, or nothing."""
    return f"Not all targets were moved: {', '.join(words)}" if words else ""


def spans_text(numbers: Sequence[int], mask: Mask) -> str:
    """Return which of the frames ``numbers`` a mask (frames,) has: the first spans, and how many more."""
    spans = spans_of(mask)
    shown = [_span_text(numbers[span.first], numbers[span.last]) for span in spans[:SHOWN]]
    more = f" and {len(spans) - SHOWN} more" if len(spans) > SHOWN else ""
    return f"{', '.join(shown)}{more}"


def _span_text(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def unlike_text(effectors: Sequence[str]) -> str:
    """Return what becomes of effectors whose trunk is not proportioned like that of whom they follow."""
    return f"{names_text(effectors)} by rotation alone, as the trunks are not alike"


def still_text(rig: Rig, request: Request, solution: Solution) -> str:
    """Return in words that how a body was animated has given way to targets that all stand still."""
    places, before = request.targets.positions[:, ~rig.targetless], request.pose.rotations
    was_moving = (np.ptp(before, axis=0) > _MOVES).any()
    has_changed = (np.abs(solution.pose.rotations - before) > _MOVES).any()
    if not (rig.is_keyed and places.size and was_moving and has_changed) or np.ptp(places, axis=0).any():
        return ""
    return "No target is animated, so targets hold their bones still in all frames. Bake Pins keeps the keys"


def loop_text(rig: Rig, period: int, step: int, solution: Solution) -> str:
    """Return in words whether a clip that is played in a loop ends as it begins, or pops there.

    It begins again after ``period`` frames, which are a ``step`` apart in the scene.
    """
    turns = quaternion_to_matrix(solution.pose.rotations)
    steps = angle_between(turns[:period], np.roll(turns[:period], 1, axis=0))
    ends = angle_between(turns[period:], turns[:1])  # of the frame that is the first again, if it is baked
    is_elsewhere = bool((ends > _SAME).any())
    over = ends[0] if is_elsewhere else steps[0]
    bone, back = int(over.argmax()), float(over.max())
    if is_elsewhere or back > _POPS * steps[1:].max():
        return f"'{rig.names[bone]}' turns by {angle_text(back)} where the clip begins again"
    return f"A loop of {count_text(period * step, 'frame')}: it ends as it begins"


def turned_away_text(report: Report) -> str:
    """Return in words which effectors are turned far from their targets nearly throughout, and what to do.

    Where targets are the wrong way round in all frames no neighbours tell.
    """
    effectors = slice(report.placed.shape[1] if len(report.missed) > 1 else 0)
    far = (report.missed & (report.angles > _FAR))[:, effectors].mean(axis=0) > _NEARLY_ALL
    by = np.median(report.angles[:, effectors], axis=0)
    parts = [f"{report.names[column]} by {angle_text(by[column])}" for column in np.flatnonzero(far)]
    remedy = "turn those that are the wrong way round, or set Rotation Weight to 0"
    return f"Turned away from their targets nearly throughout: {', '.join(parts)}; {remedy}" if parts else ""


def doubts_text(what: str, rig: Rig, numbers: Sequence[int], mask: Mask) -> str:
    """Return in words in which frames effectors have a mask (frames, effectors); ``what`` these are.

    Those that have it in the same frames are named together.
    """
    bones: dict[str, list[str]] = {}
    for column in np.flatnonzero(mask.any(axis=0)):
        where = spans_text(numbers, mask[:, column])
        bones.setdefault(where, []).append(f"'{rig.effectors[column].bone}'")
    parts = [f"{', '.join(names)} at {where}" for where, names in bones.items()]
    return f"{what}: {'; '.join(parts)}" if parts else ""


def left_text(
    scene: Scene, distance: float, angle: float, visible: float, off: str, stays: bool = False
) -> str:
    """Return in a line what one effector leaves; distances can be seen from ``visible`` on.

    ``off``: what it did where that is more than can be seen, missed or gave way, else nothing. ``stays``: it
    was asked for nothing but to stay, so that there is nothing to meet.
    """
    if off:
        return f"{off} by {miss_text(scene, distance, angle, visible)}"
    if distance > visible or angle > VISIBLE_TURN:
        return f"Within {miss_text(scene, distance, angle, visible)}"
    return "Stayed in place" if stays else f"Met: {length_text(scene, distance)}, {angle_text(angle)} off"


def summary(scene: Scene, report: Report) -> str:
    """Return in a line how the first row's solve went; counted is what the lists show as met or missed."""
    left, missed = [of.max() for of in report.left], int(report.missed[0].sum())
    count = int(np.count_nonzero(~report.along & ~report.gave_way[0]))
    kind = "goal" if any(not name.startswith("'") for name in report.names) else "effector"
    counted = count_text(count, kind)
    if missed:
        return f"Missed {missed} of {counted}, by up to {miss_text(scene, *left, report.visible.min())}"
    return f"Solved {counted}: {met_text(scene, *left, report.visible.min())}"


def lifted_text(report: Report) -> str:
    """Return in a line which pinned feet stand with lifted heels; nothing for none."""
    return f"Heel lifted: {names_text(report.lifted)}" if report.lifted else ""


def tilt_text(rig: Rig, tilt: float) -> str:
    """Return in a line how far, radians, axes are off where rotations are met; nothing for 0.

    And that misses of goals, which are lengths and angles in the armature, are seen otherwise.
    """
    if not tilt:
        return ""
    by_mean = ", and goals' misses are told by its mean scale" if rig.goals else ""
    words = f"'{rig.object_name}' is scaled unevenly: where rotations are met, axes are up to"
    return f"{words} {angle_text(tilt)} off{by_mean}"


def gave_way_text(scene: Scene, report: Report) -> str:
    """Return in a line what only follows and gave way, the first few, and by how much; nothing for none."""
    columns = np.flatnonzero(report.gave_way.any(axis=0))
    if not len(columns):
        return ""
    left = (np.where(report.gave_way, of, 0.0).max(axis=0) for of in (report.distances, report.angles))
    misses = [miss_text(scene, *pair, report.visible.min()) for pair in zip(*left, strict=True)]
    parts = [f"{report.names[column]} by {misses[column]}" for column in columns[:SHOWN]]
    more = [f"and {len(columns) - SHOWN} more"] if len(columns) > SHOWN else []
    return f"Gave way: {', '.join([*parts, *more])}"


def strays_text(scene: Scene, ob: Object, rig: Rig, numbers: Sequence[int], strays: Sequence[Stray]) -> str:
    """Return a line for each effector that is shown elsewhere than solved: how far, in which frames, and why.

    ``numbers``: the frames that were solved, none for a single pose.
    """
    return "\n".join(_stray_text(scene, ob, rig, numbers, stray) for stray in strays)


def _stray_text(scene: Scene, ob: Object, rig: Rig, numbers: Sequence[int], stray: Stray) -> str:
    where, others = f" at frame {numbers[stray.worst]}" if numbers else "", len(stray.rows) - 1
    more = f" and {count_text(others, 'other')}" if others else ""
    miss = miss_text(scene, stray.distance, stray.angle)
    return f"'{rig.effectors[stray.effector].bone}' is {miss} off{where}{more}: {cause_text(ob, rig, stray)}"


def cause_text(ob: Object, rig: Rig, stray: Stray) -> str:
    """Return what most likely keeps the pose that was solved from being what is shown."""
    effector = rig.effectors[stray.effector].bone
    if stray.driven:
        return f"'{stray.driven}', which it drives, does not come along"
    settings = ob.pose.bones[effector].superpose
    if stray.bone or settings.target is None:
        return what_moves_bone(ob, stray.bone or effector)
    return what_moves_target(ob, effector)


def jumps_text(rig: Rig, numbers: Sequence[int], jumps: Jumps, sudden_turns: Jumps, alone: bool) -> str:
    """Return in a line where a bake of the frames ``numbers`` jumps, and what to do about it.

    If it jumps nowhere, the line says where it turns suddenly, because no other way comes as near. If it does
    not turn suddenly either, there is no line.
    """
    if len(jumps.rows):
        cure = "solve its frames Together" if alone else "slow its targets down there, or lower Step"
        return f"{_farthest_text(rig, numbers, jumps, 'jumps')}: {cure}"
    told = len(sudden_turns.rows) and _farthest_text(rig, numbers, sudden_turns, "turns")
    return f"{told}: targets leave no other way there" if told else ""


def snaps_text(rig: Rig, numbers: Sequence[int], snaps: Jumps) -> str:
    """Return in a line where a bake of the frames ``numbers`` snaps, and what eases that."""
    cure = "where targets come into reach or leave it: Smoothness 0.1 eases that"
    return f"{_farthest_text(rig, numbers, snaps, 'snaps')}, {cure}" if len(snaps.rows) else ""


def _farthest_text(rig: Rig, numbers: Sequence[int], found: Jumps, does: str) -> str:
    worst, others = int(found.angles.argmax()), len(found.rows) - 1
    bone, angle = rig.names[found.bones[worst]], angle_text(found.angles[worst])
    more = f" and {count_text(others, 'other')}" if others else ""
    return f"'{bone}' {does} by {angle} at frame {numbers[found.rows[worst]]}{more}"
