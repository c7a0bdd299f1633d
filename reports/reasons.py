# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why an effector misses its target, in words that say what could be done about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from bpy.types import Object, Scene

from ..armature import Rig, is_effector
from ..armature.problem.lacks import Lack, Lacks
from ..armature.setup.ranks import MOVED, MUST
from .report import Report
from .words import SHOWN, cause_text, length_text, miss_text

Kind = Literal[
    'STRAY',
    'SHORT',
    'LONG',
    'LIMIT',
    'PIN',
    'EFFECTOR',
    'OWN',
    'GOAL',
    'CONTACT',
    'SPEED',
    'TARGET',
    'HASTE',
    'COMFORT',
    'STUCK',
]


@dataclass(frozen=True)
class Reason:
    """Of a ``kind``: what it is ``about``, a bone or a goal by its name in the list, and in ``words``."""

    kind: Kind
    about: str
    words: str


def reasons_of(scene: Scene, ob: Object, rig: Rig, report: Report, column: int) -> tuple[Reason, ...]:
    """Return why the effector of a column is off its target in its worst row; nothing where it is not."""
    if not (report.missed | report.gave_way)[:, column].any():
        return ()
    found = tuple(_reasons(scene, ob, rig, report, column)) or tuple(_short_limb(scene, report, column))
    if not found and report.in_haste:
        return (Reason('HASTE', "", "the search goes on when the mouse rests"),)
    if not found and report.is_unsought:
        stayed = Reason('TARGET', "", "posed by hand, and the target did not go along")
        return (stayed,) if report.missed[:, column].any() else ()
    if not found and rig.comforts and len(report.missed) == 1 and not report.missed[0, column]:
        return (Reason('COMFORT', "", "it only follows, and gave way to comfort"),)
    is_near = report.distances[:, column].max() <= report.visible.min()
    more = "turns it nearer" if is_near else "comes nearer"
    # Moved as a whole, the body would come nearer.
    stays = "" if is_near or rig.free_location.any() else "the root stays, and "
    return found or (Reason('STUCK', "", f"{stays}no pose was found that {more}"),)


def why_text(reasons: tuple[Reason, ...]) -> str:
    """Return the reasons in one line."""
    return "; ".join(reason.words for reason in reasons)


def missed_lines(scene: Scene, ob: Object, rig: Rig, report: Report) -> list[str]:
    """Return which effectors the first row missed, by how much and why: the first few, and how many more."""
    lines, missed = [], np.flatnonzero(report.missed[0])
    for column in missed[:SHOWN]:
        left = report.distances[0, column], report.angles[0, column]
        miss = miss_text(scene, *left, report.visible.min())
        why = why_text(reasons_of(scene, ob, rig, report, column)) if column < len(rig.effectors) else ""
        lines.append(f"{report.names[column]} is missed by {miss}{f': {why}' if why else ''}")
    more = len(missed) - len(lines)
    return [*lines, f"{more} more {'are' if more > 1 else 'is'} missed"] if more else lines


def _reasons(scene: Scene, ob: Object, rig: Rig, report: Report, column: int) -> Iterator[Reason]:
    for stray in report.strays:
        if stray.effector == column:
            yield Reason('STRAY', stray.bone, f"not as solved: {cause_text(ob, rig, stray)}")
    if column in report.behind:
        yield Reason('TARGET', "", f"{report.behind[column]}, so it stayed")
    yield from _short(scene, rig, report, column)
    kept_off = report.kept_off[column]
    if kept_off.lagging:
        yield Reason('SPEED', kept_off.lagging, f"'{kept_off.lagging}' turns no faster")
    names = kept_off.held_back
    if kept_off.confined:
        yield Reason('LIMIT', names[0], f"'{names[0]}' turns no other way")
        names = names[1:]
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        ends = "their limits" if len(names) > 1 else "its limit"
        yield Reason('LIMIT', names[0], f"'{names[0]}'{more} at {ends}")
    if kept_off.held_by >= 0:
        yield from _held(ob, rig, kept_off.held_by, column)


def _short(scene: Scene, rig: Rig, report: Report, column: int) -> Iterator[Reason]:
    """Yield that bones are too short or long for an effector: in any pose, while another stays, for all at
    once.
    """
    worst = int(report.out_of_reach[:, column].argmax())
    beyond = report.out_of_reach[worst, column]
    # Where more than a root that stays ties it, another may give way: then lengths are no bound for each.
    is_alone = report.placed[worst].sum() == 1 and not rig.free_location.any()
    if beyond > 0 and is_alone:
        yield Reason('SHORT', "", f"too short by at least {length_text(scene, beyond)}")
    elif lack := _known(report, column, Lacks.to_others):
        yield _lacking(scene, lack, f"while '{lack.end}' stays")
    elif beyond > 0 and not report.in_haste:
        yield Reason('SHORT', "", "too short for all targets at once")


def _short_limb(scene: Scene, report: Report, column: int) -> Iterator[Reason]:
    """Yield that an effector's limb is too short or long where it begins, in the pose that there is."""
    if lack := _known(report, column, Lacks.in_limb):
        yield _lacking(scene, lack, f"from '{lack.end}' on")


def _known(report: Report, column: int, find: Callable[[Lacks, int], Lack | None]) -> Lack | None:
    """Return what is found to be too short or long for an effector, once that is known, if it can be seen."""
    if report.lacks is None or report.in_haste or column in report.behind:
        return None
    lack = find(report.lacks, column)
    return lack if lack and lack.length > report.visible.min() else None


def _lacking(scene: Scene, lack: Lack, where: str) -> Reason:
    kind: Kind = 'LONG' if lack.is_long else 'SHORT'
    return Reason(kind, "", f"too {kind.lower()} by at least {length_text(scene, lack.length)} {where}")


def _held(ob: Object, rig: Rig, holder: int, column: int) -> Iterator[Reason]:
    """Yield what keeps an effector off: another one, or what is counted after them, as a goal or a sole."""
    beyond = holder - len(rig.effectors) - len(rig.goals)
    if beyond >= 0:
        feet = [sole.foot for sole in rig.soles for _ in range(sole.count)]
        yield from _stands(rig.effectors[column].bone, feet[beyond] if beyond < len(feet) else "")
    elif holder >= len(rig.effectors):
        setting = rig.goals[holder - len(rig.effectors)]
        does = "must hold" if setting.rank == MUST else "pulls the other way"
        yield Reason('GOAL', ob.superpose.goals[setting.index].name, f"{setting.words} {does}")
    elif holder == column:
        yield Reason('OWN', "", "its rotation comes first, unless Rotation Weight is 0")
    else:
        yield _other(ob, rig, holder, column)


def _other(ob: Object, rig: Rig, holder: int, column: int) -> Reason:
    """Return that another effector keeps one off: by its pin, as it is moved, or by its rank or its share.

    A bone that is dragged need not be in the list, which then has nothing to show.
    """
    other = rig.effectors[holder]
    about = other.bone if is_effector(ob.pose.bones[other.bone]) else ""
    if other.rank == MOVED:
        return Reason('EFFECTOR', about, f"'{other.bone}' is moved, and comes first")
    if rig.holds[holder] == 'PINNED':
        return _pin(other.bone)
    does = "comes first" if other.rank < rig.effectors[column].rank else "pulls the other way"
    return Reason('EFFECTOR', about, f"'{other.bone}' {does}")


def _stands(bone: str, foot: str) -> Iterator[Reason]:
    """Yield that a foot, whose pin holds its sole, keeps another bone off, or without one a contact."""
    if not foot:
        yield Reason('CONTACT', "", "a contact must hold")
    elif foot != bone:
        yield _pin(foot)


def _pin(bone: str) -> Reason:
    return Reason('PIN', bone, f"the pin of '{bone}' holds")
