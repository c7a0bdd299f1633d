# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses for all targets at once, in which heels lift where flat feet would miss something.

So a solve, and a frame, find what a drag finds. Where flat feet meet all that is asked, soles are not used.
Heels of contacts lift in the same way.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..armature import VISIBLE_DISTANCE, VISIBLE_TURN, FrameSnapshot, Rig, figure_extents
from ..armature.frames.frame_snapshot import column
from ..armature.problem.soles import goals_of_soles
from ..armature.problem.stacking import measured
from ..armature.recording.lifting import with_heels_lifted
from ..armature.setup.ranks import LIFTED
from ..solvers import Goal, Pose, Request, Solution, Targets, in_pose, is_met
from ..solvers.geometry import Array, Indices, Mask, norm
from ..solvers.goals import weights_of
from ..solvers.model import chosen_poses, replaced_poses
from .asked import on_soles

# Solves what is asked. Poses in the mask (rows,) stay; the flag says whether it begins near its end.
Solve = Callable[[Request, Mask, bool], Generator[int, None, Solution]]
# Goes on from a solution in which all was held until it had to give way; the mask says where that met all.
GoOn = Callable[[Request, Solution, Mask], Generator[int, None, Solution]]
# Heels lift where that leaves less than this share of what flat feet leave, squared.
_BETTER = 0.8
# A length, for a body of one joint, which has none: so that any miss of it can be seen.
_LEAST = 1e-30
# What a solution says beside what its pose leaves.
_HOW = ("iterations", "stopped", "out_of_reach", "held_by", "limited_by", "lagged_by")


@dataclass(frozen=True, eq=False)
class Solved:
    """A ``solution``, and the ``rig`` and the ``request`` that it is measured by."""

    rig: Rig
    request: Request
    solution: Solution


def solved(
    rig: Rig,
    frames: Sequence[FrameSnapshot],
    request: Request,
    solve: Solve,
    *,
    as_one: bool = False,
    keeps: bool = False,
) -> Generator[int, None, Solved]:
    """Return what ``solve`` finds for the ``request`` of the frames, giving what it gives.

    If flat feet miss something, pinned feet hold by their soles, as long as that leaves clearly less. This is
    decided frame by frame or, ``as_one`` motion, for all frames together. ``keeps``: poses that are there and
    meet all that is asked stay: over lifted heels always, over flat feet only in one motion. Raises RigError
    or SolverError.
    """
    flat = yield from solve(request, _met(request, keeps and as_one), False)
    standing = _standing(rig, request)
    rows = np.flatnonzero(_left(rig, request.targets, VISIBLE_DISTANCE * figure_extents(frames), flat) > 1)
    if not (standing.soles and len(rows)):
        return Solved(rig, request, flat)
    asked = _asked(standing, frames, request)
    if as_one:
        rows = np.arange(len(frames))
    part = asked.rows(rows)
    found = yield from _lifted(standing, part, flat.rows(rows), solve, as_one, keeps)
    seen = _seen(part)
    before = _left(rig, part.targets, seen, flat.rows(rows))
    nearer = _left(standing, part.targets, seen, found) < _BETTER * before
    nearer |= as_one and nearer.any()
    if not nearer.any():
        return Solved(rig, request, flat)
    return Solved(standing, asked, _merged(asked, flat, rows[nearer], found.rows(nearer)))


def gone_on_with(
    found: Solved,
    frames: Sequence[FrameSnapshot],
    held: Sequence[Goal],
    go_on: GoOn,
    *,
    as_one: bool,
    stays: bool,
) -> Generator[int, None, Solved]:
    """Return what is ``found``, or what it comes to where it misses something.

    Heels lift off contacts, which ``held`` holds, if that leaves clearly less of what these keep off. In
    frames of one motion, ``as_one``, what is recorded gives way in any case: if it were held to the last it
    would pop. ``stays``: all frames may be as a bake has left them.
    """
    rig, request, seen = found.rig, found.request, _seen(found.request)
    before = _left(rig, request.targets, seen, found.solution)
    met = before <= 1
    if met.all() and not stays:
        return found
    missed = ~met & _kept_off(request, held, found.solution)
    asked = with_heels_lifted(request, held, missed, column(frames, "armature_to_world")[:, 2, :3])
    if asked is not None:
        lifted = yield from _from_there(asked, found, held, met, go_on)
        if _left(rig, asked.targets, seen, lifted).sum() <= _BETTER * before.sum():
            return Solved(rig, asked, lifted)
    if not as_one:
        return found
    return Solved(rig, request, (yield from _from_there(request, found, held, met, go_on)))


def _from_there(
    asked: Request, found: Solved, held: Sequence[Goal], met: Mask, go_on: GoOn
) -> Generator[int, None, Solution]:
    """Return what comes of what is asked, going on from what was ``found``.

    Where all that counts was ``met`` (frames,), and now gives way, that is for smooth motion. What else is
    missed is kept off as before: by ``held``, the last goals of both requests, or by a limit.
    """
    before = found.solution
    solution = yield from go_on(asked, before, met)
    measured = in_pose(asked, solution, solution.pose)
    more, first = len(asked.goals) - len(found.request.goals), _first_held(found.request, held)
    held_by = np.where(before.held_by >= first, before.held_by + more, before.held_by)
    return replace(
        measured,
        stopped=np.where(met & ~measured.converged, "SMOOTHED", measured.stopped),
        held_by=np.where(measured.held_by < 0, held_by, measured.held_by),
        limited_by=np.where(measured.limited_by < 0, before.limited_by, measured.limited_by),
    )


def _first_held(request: Request, held: Sequence[Goal]) -> int:
    """Return where ``held``, the last goals of the request, are among its effectors and goals."""
    return len(request.effectors) + len(request.goals) - len(held)


def _kept_off(request: Request, held: Sequence[Goal], solution: Solution) -> Mask:
    """Return in which frames (frames,) ``held``, the last goals, keep other bones off their targets."""
    standing = {bone for goal in held for bone, _ in goal.frames()}
    others = np.array([effector.bone not in standing for effector in request.effectors], dtype=bool)
    kept_off: Mask = (others & (solution.held_by >= _first_held(request, held))).any(axis=1)
    return kept_off


def _lifted(
    standing: Rig,
    asked: Request,
    flat: Solution,
    solve: Solve,
    as_one: bool,
    keeps: bool,
) -> Generator[int, None, Solution]:
    """Return what is found of feet that hold by their soles, after what was found ``flat``."""
    stays = _met(_but_ankles(standing, asked), keeps)
    given, rows = in_pose(asked, flat, asked.pose), np.flatnonzero(~stays | as_one)
    if not len(rows):
        return given
    part = asked.rows(rows)
    begin = chosen_poses(stays[rows], part.pose, _begin(standing, part, flat.rows(rows)))
    found = yield from solve(replace(part, pose=begin), stays[rows], True)
    return _merged(asked, given, rows, found)


def _met(request: Request, keeps: bool) -> Mask:
    """Return which poses (rows,) meet what is asked of them, where they are to be kept for that."""
    return is_met(request) if keeps else np.zeros(len(request), dtype=bool)


def _standing(rig: Rig, request: Request) -> Rig:
    """Return the rig whose pinned feet hold by their soles, as far as the method knows of other goals."""
    return on_soles(rig, frozenset(), LIFTED) if request.settings.method == "SUPERPOSE" else rig


def _asked(standing: Rig, frames: Sequence[FrameSnapshot], request: Request) -> Request:
    """Return what is asked of the frames with feet that hold by their soles: after the user's own goals."""
    soles = goals_of_soles(standing, frames, *measured(standing, frames), request.targets)
    own, others = request.goals[: len(standing.goals)], request.goals[len(standing.goals) :]
    return replace(request, effectors=standing.effectors, goals=(*own, *soles, *others))


def _but_ankles(standing: Rig, asked: Request) -> Request:
    """Return what is asked without the ankles of feet that hold by their soles."""
    feet = {sole.foot for sole in standing.soles}
    nothing = {"position_weight": 0.0, "rotation_weight": 0.0}
    effectors = (replace(one, **nothing) if one.bone in feet else one for one in asked.effectors)
    return replace(asked, effectors=tuple(effectors))


def _begin(standing: Rig, asked: Request, flat: Solution) -> Pose:
    """Return for each frame its own pose, or that over flat feet if it leaves less, for whatever reason."""
    judged = replace(flat, stopped=np.full(len(flat.stopped), "STALLED"))
    own, found = (in_pose(asked, judged, pose) for pose in (asked.pose, flat.pose))
    before, after = (_left(standing, asked.targets, _seen(asked), each) for each in (own, found))
    is_own = before <= after
    return chosen_poses(is_own, asked.pose, flat.pose)


def _merged(asked: Request, flat: Solution, rows: Indices, found: Solution) -> Solution:
    """Return the solution over flat feet with the ``rows`` as they were found, all as it is ``asked``."""
    how = {}
    for name in _HOW:
        before, after = getattr(flat, name), getattr(found, name)
        how[name] = before.astype(np.result_type(before, after))
        how[name][rows] = after
    return in_pose(asked, replace(flat, **how), replaced_poses(flat.pose, rows, found.pose))


def _seen(request: Request) -> Array:
    """Return the least lengths (frames,) that can be seen of the body, however it is posed.

    A measure that the pose has a say in would take either pose for the better one in turns.
    """
    skeleton = request.skeleton
    lengths = norm(skeleton.offsets)
    reach = np.zeros_like(lengths)
    for bone, parent in enumerate(skeleton.parents):
        reach[:, bone] = reach[:, parent] + lengths[:, bone] if parent >= 0 else 0.0
    return np.maximum(VISIBLE_DISTANCE * reach.max(axis=1), _LEAST)


def _left(rig: Rig, targets: Targets, seen: Array, solution: Solution) -> Array:
    """Return what the solution leaves of all that is asked for (frames,): squares of what can be ``seen``,
    lengths (frames,) of the armature's space; of what has weight in the ``targets``.

    Of feet that hold by their soles only those count.
    """
    goals = solution.goal_residuals[:, : len(rig.goals) + sum(sole.count for sole in rig.soles)]
    feet = {sole.foot for sole in rig.soles}
    asked = [
        part == 'ASKED' and one.bone not in feet for one, part in zip(rig.effectors, rig.parts, strict=True)
    ]
    counted = (weights_of(rig.effectors, targets.weights) > 0) & np.array(asked, dtype=bool)[:, None]
    lengths = np.hstack([counted[..., 0] * solution.position_residuals, goals[..., 0]]) / seen[:, None]
    angles = np.hstack([counted[..., 1] * solution.rotation_residuals, goals[..., 1]]) / VISIBLE_TURN
    is_met = solution.converged | (solution.stopped == "SMOOTHED")
    return np.where(is_met, 0.0, ((lengths + angles) ** 2).sum(axis=1))
