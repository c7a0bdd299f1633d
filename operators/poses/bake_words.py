# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What there is to say of a bake beside what it misses."""

from collections.abc import Mapping, Sequence

from bpy.types import Scene

from ...armature import Rig, world_lengths
from ...armature.recording.followed import Followed
from ...reports import Report, doubts_text, length_text, names_text, snaps_text
from ...solvers import Place, Request, Solution
from ...solvers.clip import find_snaps
from ...solvers.geometry import Mask
from .clips import SolvedClip

_DOUBTED = "Doubtful, but followed: Clean Targets or mask"


def snapped_text(
    rig: Rig, numbers: Sequence[int], request: Request, solution: Solution, report: Report
) -> str:
    """Return in words where one motion snaps."""
    if request.settings.method != 'SUPERPOSE':
        return ""
    snaps = find_snaps(request.pose, solution.pose, report.missed.any(axis=1))
    return snaps_text(rig, numbers, snaps)


def doubts_texts(rig: Rig, numbers: Sequence[int], follows: Followed, loose: Mask) -> list[str]:
    """Return in words which targets were exchanged, bridged and doubted, which contacts are ``loose``
    (frames, effectors), and where.
    """
    doubtful = {"Exchanged": follows.exchanged, "Bridged": follows.masked.any(axis=-1)}
    doubtful |= {_DOUBTED: follows.doubted.any(axis=-1), "Contacts move too fast to be held": loose}
    return [doubts_text(what, rig, numbers, mask) for what, mask in doubtful.items()]


def slide_text(scene: Scene, found: SolvedClip) -> str:
    """Return in words how far what is held at contacts is from its place at most."""
    first = len(found.request.goals) - len(found.held)
    places = sum(isinstance(goal, Place) for goal in found.held)
    if not places:
        return ""
    lengths = found.solution.goal_residuals[:, first : first + places, 0]
    hold = f"Contacts hold to {length_text(scene, world_lengths(found.frames, lengths).max())}"
    stepping = f", but step by up to {length_text(scene, found.apart)} where targets move"
    return hold + stepping if found.apart else hold


def left_out_text(numbers: Sequence[int], last: int) -> str:
    """Return in words that the last frame is not baked, where that is so."""
    return f"Step leaves out the last frame, {last}" if numbers[-1] < last else ""


def outside_texts(
    unturned: Mapping[str, int], locked: Mapping[str, int], numbers: Sequence[int]
) -> list[str]:
    """Return in words which bones are outside their limits, and from which frame on.

    Those that are not turned, by their first frames, and those that locks hold, by their first rows.
    """
    held = {bone: numbers[row] for bone, row in locked.items()}
    return [
        f"Outside limits, {why}: {names_text(list(bones))}, first at frame {min(bones.values())}"
        for why, bones in (("not turned", unturned), ("held by locks", held))
        if bones
    ]
