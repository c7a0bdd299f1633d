# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel shows of how it went, left on the armature, its effectors and goals."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from math import radians

import numpy as np
from bpy.types import Object, PropertyGroup, Scene

from ..armature import Rig, effectors_of, is_effector
from ..armature.reduction.reducing import ReducedKeys
from ..armature.setup.ranks import MOVED
from .clip import ClipReport, clip_report_of, to_json
from .reasons import Reason, reasons_of
from .refusals import forget_refusal, refusal_of
from .report import Report
from .stand import is_outdated, stand_of
from .words import (
    ALONG,
    KEYS,
    gave_way_text,
    keys_text,
    left_text,
    lifted_text,
    short_miss_text,
    strays_text,
    tilt_text,
)


def store(
    scene: Scene,
    ob: Object,
    rig: Rig,
    report: Report,
    message: str,
    *,
    is_pose: bool = True,
    is_evaluated: bool = True,
    jumps: str = "",
    notes: Sequence[str] = (),
    clip: ClipReport | None = None,
    is_next: bool = False,
) -> None:
    """Leave a report on the armature, for the panel: its worst frame, a ``message`` and ``notes``.

    ``is_pose``: the report is of the present pose, and not of keys; ``is_evaluated``: Blender shows that
    pose. ``clip``: how each frame of a bake went; ``jumps``: where it jumps.
    ``is_next``: the last report was of the same effectors and goals, so that all it said is said anew.
    """
    if not is_next:
        forget(ob)
    unlisted, setup = _store_effectors(scene, ob, rig, report, clip), ob.superpose
    for name in ("fitted", "found"):  # of another pose
        if getattr(setup, name):
            setattr(setup, name, "")
    for column, setting in enumerate(rig.goals, len(rig.effectors)):
        _store_goal(scene, setup.goals[setting.index], report, column)
    setup.is_solved = True
    setup.is_missed, setup.solved_frame = bool(report.missed.any()), scene.frame_current
    setup.rmsd = report.rmsd.max()
    distances, angles = report.left
    setup.position_residual, setup.rotation_residual = distances.max(), angles.max()
    setup.message, setup.jumps = message, jumps
    setup.strays = strays_text(scene, ob, rig, clip.frames if clip else (), report.strays)
    told = gave_way_text(scene, report), lifted_text(report), tilt_text(rig, report.tilt)
    setup.notes = "\n".join(filter(None, (*notes, *told, *rig.notes)))
    setup.reasons = map(asdict, unlisted)
    setup.clip_report = to_json(clip) if clip else ""
    setup.stand = stand_of(ob, rig, is_evaluated=is_evaluated) if is_pose else ""


def _store_effectors(
    scene: Scene, ob: Object, rig: Rig, report: Report, clip: ClipReport | None
) -> list[Reason]:
    """Leave how each effector went; return why what is held, but not listed, is missed."""
    worst, worst_rows, unlisted = _worst_of(report), report.badness.argmax(axis=0), []
    for column, effector in enumerate(rig.effectors):
        bone, reasons = ob.pose.bones[effector.bone], reasons_of(scene, ob, rig, report, column)
        if not is_effector(bone):
            unlisted += (reason for reason in reasons if reason not in unlisted)
            continue
        result = bone.superpose
        _store_effector(scene, result, report, column, worst[column], _stays(rig, report, column))
        result.reasons = map(asdict, reasons)
        result.is_of_frame = clip is not None
        if clip:
            result.worst_frame = clip.frames[worst_rows[column]]
    return unlisted


def _worst_of(report: Report) -> list[tuple[bool | float, ...]]:
    """Return of each column whether it was missed or gave way in any frame, and what is left of it.

    What is left is that of the worst frame if there is one, else the most: frames that gave way as was asked
    for may leave more than those that are missed.
    """
    is_off, worst = (report.missed | report.gave_way).any(axis=0), report.badness.argmax(axis=0)
    columns = np.arange(len(worst))
    left = (np.where(is_off, of[worst, columns], of.max(axis=0)) for of in (report.distances, report.angles))
    marks = report.missed.any(axis=0), report.gave_way.any(axis=0), *left, report.out_of_reach.max(axis=0)
    return list(zip(*(of.tolist() for of in marks), strict=True))


def _stays(rig: Rig, report: Report, column: int) -> bool:
    """Return whether nothing was asked of an effector but to stay: without a target, beside others that are
    animated, or while others are moved.
    """
    ranks = [effector.rank for effector in rig.effectors]
    is_left = MOVED in ranks or rig.targetless[column] or not report.asked[column]
    return bool(is_left and ranks[column] != MOVED)


def _store_effector(
    scene: Scene,
    result: PropertyGroup,
    report: Report,
    column: int,
    worst: tuple[bool | float, ...],
    stays: bool,
) -> None:
    """Leave the ``worst`` of all frames in the effector's settings; ``stays``: all that it was asked for."""
    result.is_solved, result.is_along = True, bool(report.along[column])
    result.is_missed, result.gave_way, *lengths = worst
    result.position_residual, result.rotation_residual, result.out_of_reach = lengths
    result.held_back = "\n".join(report.kept_off[column].held_back)
    left = result.position_residual, result.rotation_residual, report.visible.min()
    result.miss = short_miss_text(scene, *left)
    off = "Missed" if result.is_missed else "Gave way" if result.gave_way else ""
    result.left = ALONG if result.is_along else left_text(scene, *left, off, stays)


def _store_goal(scene: Scene, goal: PropertyGroup, report: Report, column: int) -> None:
    """Leave the worst of all frames in the goal's settings."""
    goal.is_missed = bool(report.missed[:, column].any())
    left = report.distances[:, column].max(), report.angles[:, column].max()
    goal.miss = short_miss_text(scene, *left, report.visible.min())


def store_found(ob: Object, words: str) -> None:
    """Leave what was found in the targets, for the panel to say before the last report."""
    forget_refusal(ob)
    ob.superpose.found = words


def store_keys(scene: Scene, ob: Object, kept: ReducedKeys) -> None:
    """Leave in the report of the last bake, if there is one, how many keys stay, before what it said."""
    setup, report = ob.superpose, clip_report_of(ob)
    if report is None:
        return
    setup.clip_report = to_json(replace(report, keys=kept))
    lines = (setup.message, *setup.notes.splitlines())
    setup.notes = "\n".join(line for line in lines if line and not line.startswith(KEYS))
    setup.message, setup.found = keys_text(scene, kept), ""


def store_comparison(scene: Scene, ob: Object, about: str, rows: Sequence[dict], visible: float) -> None:
    """Leave a comparison's table on the armature, for the panel; lengths can be seen from ``visible`` on."""
    setup = ob.superpose
    setup.compared = about
    setup.contestants = [
        {
            "name": row["solver"],
            "solved": row["solved"],
            "miss": short_miss_text(scene, row["worst_length"], radians(row["worst_degrees"]), visible),
            "milliseconds": row["milliseconds"],
            "cannot": "; ".join(filter(None, (row["cannot"], row["out_of_time"] and "Ran out of time"))),
        }
        for row in rows
    ]


def is_told(ob: Object) -> bool:
    """Return whether there is a report of the armature that is true of its pose."""
    return ob.superpose.is_solved and not refusal_of(ob) and not is_outdated(ob)


def forget_pose(ob: Object) -> None:
    """Take back what the panel shows of an earlier pose; what a bake left is of its keys, and stays."""
    forget_refusal(ob)
    if not ob.superpose.clip_report:
        forget(ob)


def forget(ob: Object) -> None:
    """Take back what the panel shows of an earlier report, which no longer holds."""
    forget_refusal(ob)
    for owner in (ob, *effectors_of(ob)):
        owner.superpose.is_solved = False
    for goal in ob.superpose.goals:
        goal.is_missed, goal.miss = False, ""
    for name in ("message", "jumps", "strays", "notes", "reasons_json", "clip_report", "fitted", "found"):
        setattr(ob.superpose, name, "")
