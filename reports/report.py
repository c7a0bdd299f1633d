# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a solve went, in numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..armature import (
    VISIBLE_DISTANCE,
    VISIBLE_TURN,
    FrameSnapshot,
    Rig,
    Seen,
    Sight,
    figure_extents,
    world_lengths,
)
from ..armature.problem.lacks import Lacks
from ..armature.problem.varying import weights_in
from ..armature.rig.soles import Sole
from ..solvers import Skeleton, Solution, joints_at_limits
from ..solvers.geometry import Array, Mask

# What single precision may make of a place, as a part of its distance from the origin.
_COARSE = 1e-6


@dataclass(frozen=True)
class Stray:
    """What Blender shows elsewhere than it was solved to be.

    - ``effector``: its number; ``rows``: where it was missed for that
    - ``worst``: the worst of these rows; ``distance`` (scene units) and ``angle``: how far it is off there
    - ``bone``: the first bone on its way from the root that is shown elsewhere; nothing if the target is
    - ``driven``: the deforming bone that is elsewhere, if a control drives it and is where it should be
    """

    effector: int
    rows: tuple[int, ...]
    worst: int
    distance: float
    angle: float
    bone: str = ""
    driven: str = ""


class KeptOff(NamedTuple):
    """What keeps one effector off its target.

    - ``held_back``: the bones whose limits do, the strongest first
    - ``confined``: the first of them is at no end of its limit, but would have to turn about an axis that the
      limit does not leave it
    - ``held_by``: which effector or goal pulls against it, or -1
    - ``lagging``: which of the bones that carry it lags most, or nothing
    """

    held_back: tuple[str, ...] = ()
    confined: bool = False
    held_by: int = -1
    lagging: str = ""


@dataclass(frozen=True, eq=False)
class Report:
    """What is left of effectors and then of other goals, all (frames, effectors + goals).

    - ``names``: how messages call them
    - ``distances`` and ``out_of_reach`` in scene units, ``angles`` in radians; what has no weight reads 0
    - ``missed``: whether that can be seen; ``gave_way``: whether what only follows is off by what can be
      seen, which is no miss
    - ``rmsd`` (frames,) in scene units
    - ``kept_off`` (effectors,): what keeps each off in its worst frame
    - ``asked`` (columns,): what is asked for and does not only follow; ``along`` (columns,): what takes no
      part
    - ``placed`` (frames, effectors): those whose place counts
    - ``lifted``: feet that stand, but for their heels
    - ``behind``: by column, why a target did not go along
    - ``visible`` (frames, 1): from where on, scene units, distances can be seen
    - ``strays``: which were missed because Blender shows something else than what was solved
    - ``lacks``: what is too short in the worst frame of each that is off
    - ``in_haste``: more is sought in a moment; ``is_unsought``: the pose is as somebody left it
    - ``tilt``: how far uneven scale of the armature object may show axes off rotations that count, radians
    """

    names: tuple[str, ...]
    distances: Array
    angles: Array
    out_of_reach: Array
    rmsd: Array
    missed: Mask
    gave_way: Mask
    asked: Mask
    along: Mask
    kept_off: tuple[KeptOff, ...]
    visible: Array
    placed: Mask
    lifted: tuple[str, ...] = ()
    behind: Mapping[int, str] = field(default_factory=dict)
    strays: tuple[Stray, ...] = ()
    lacks: Lacks | None = None
    in_haste: bool = False
    is_unsought: bool = False
    tilt: float = 0.0

    @property
    def left(self) -> tuple[Array, Array]:
        """Distances and angles of what is asked for, 0 for what only follows."""
        return np.where(self.asked, self.distances, 0.0), np.where(self.asked, self.angles, 0.0)

    @property
    def badness(self) -> Array:
        """By how many times what can be seen each is off, place and angle together; 0 for what is not."""
        left = times_visible(self.distances, self.angles, self.visible)
        return np.where(self.missed | self.gave_way, left, 0.0)

    @property
    def missed_by(self) -> Array:
        """By how many times what can be seen each was missed; 0 for what was not, or only gave way."""
        return np.where(self.missed, self.badness, 0.0)

    @property
    def worst_miss(self) -> tuple[int, int]:
        """The frame, and which effector or goal was missed worst."""
        frame, column = np.unravel_index(np.argmax(self.missed_by), self.missed.shape)
        return int(frame), int(column)


def report_of(
    rig: Rig,
    frames: Sequence[FrameSnapshot],
    skeleton: Skeleton,
    solution: Solution,
    sights: Sequence[Sight] = (),
) -> Report:
    """Return how the frames' solution went, by what ``sights`` show of it if it was looked at."""
    seen = Seen(rig, frames, sights, skeleton, solution) if sights else None
    count, rest = len(rig.effectors), len(rig.goals)
    scales, weighs = world_lengths(frames, 1.0), weights_in(rig, frames) > 0
    visible = visible_distance(frames)
    effectors = seen.left if seen else _solved_effectors(weighs, scales, solution)
    others = seen.goals_left if seen else _solved_goals(rig, scales, solution)
    ankles = (effectors[0] > visible) | (effectors[1] > VISIBLE_TURN)
    by_soles = _by_soles(rig, weighs, *effectors, others[0][:, rest:])
    distances, angles = (
        np.hstack([of, besides[:, :rest]]) for of, besides in zip(by_soles, others, strict=True)
    )
    limits = _stray_limits(seen, visible) if seen else visible
    astray = np.zeros(distances.shape, bool)
    if seen:
        astray[:, :count], astray[:, count:] = _astray(seen, limits), True
    gave_way = solution.stopped == "SMOOTHED"  # as was asked for
    is_sought = solution.stopped != "UNSOUGHT"  # else nothing but where targets are keeps anything off
    unmet = ~(solution.converged | gave_way)[:, None] | astray
    off = ((distances > visible) | (angles > VISIBLE_TURN)) & unmet
    left = times_visible(distances, angles, visible)
    blamed = _worst_rows((off & is_sought[:, None])[:, :count], left[:, :count])
    beyond = _beyond(distances[:, :count], scales * solution.out_of_reach, visible)
    judgement = judged(rig, off)
    stay = judgement["asked"] & (distances <= visible)
    return Report(
        names=names_of(rig),
        distances=distances,
        angles=angles,
        out_of_reach=np.hstack([beyond, np.zeros((len(beyond), rest))]),
        rmsd=scales[:, 0] * solution.rmsd,
        **judgement,
        kept_off=_kept_off(rig, skeleton, solution, blamed),
        visible=visible,
        placed=np.broadcast_to(weighs[..., 0], (len(frames), count)),
        lifted=_lifted(rig, ankles & ~off[:, :count]),
        strays=_strays(seen, (astray & off)[:, :count], left, limits) if seen else (),
        lacks=Lacks(rig, frames, skeleton, solution, blamed, stay[:, :count]) if is_sought.any() else None,
        is_unsought=not is_sought.any(),
        tilt=tilt_of(rig, frames),
    )


def _kept_off(rig: Rig, skeleton: Skeleton, solution: Solution, blamed: Sequence[int]) -> tuple[KeptOff, ...]:
    """Return what keeps each effector off, in its row of those ``blamed``, -1 for what is not off."""
    touched = {row: _at_limits(skeleton, solution, row) for row in set(blamed) if row >= 0}
    return tuple(
        KeptOff(
            _held_back(rig, solution, touched[row], row, column),
            _is_confined(solution, touched[row], row, column),
            int(solution.held_by[row, column]),
            _slowest(rig, solution, row, column),
        )
        if row >= 0
        else KeptOff()
        for column, row in enumerate(blamed)
    )


def _worst_rows(off: Mask, left: Array) -> list[int]:
    """Return the row in which each column is ``off`` most, or -1."""
    worst = np.argmax(np.where(off, left, -1.0), axis=0)
    return [int(row) if off[row, column] else -1 for column, row in enumerate(worst)]


def times_visible(distances: Array, angles: Array, visible: Array) -> Array:
    """Return by how many times what can be seen something is off, place and angle together."""
    return distances / np.where(visible > 0, visible, 1.0) + angles / VISIBLE_TURN


def judged(rig: Rig, off: Mask) -> dict[str, Mask]:
    """Return what is missed, gave way, is asked for and takes no part, by a ``Report``'s names.

    ``off`` (frames, columns): where effectors and goals are off by what can be seen.
    """
    parts = np.array([*rig.parts, *('ASKED' for _ in rig.goals)])
    asked, along = parts == 'ASKED', parts == 'ALONG'
    return {"missed": off & asked, "gave_way": off & ~asked, "asked": asked, "along": along}


def names_of(rig: Rig) -> tuple[str, ...]:
    """Return how messages call effectors and then other goals."""
    return (*(f"'{effector.bone}'" for effector in rig.effectors), *(goal.words for goal in rig.goals))


def with_behind(report: Report, behind: Mapping[int, str], distances: Array, angles: Array) -> Report:
    """Return the report of one row with what is left of the columns whose targets stayed ``behind``, and why.

    ``distances`` (columns,) in scene units, and ``angles`` in radians.
    """
    columns = list(behind)
    lengths, turns, missed = report.distances.copy(), report.angles.copy(), report.missed.copy()
    lengths[0, columns], turns[0, columns] = distances, angles
    missed[0, columns] = (distances > report.visible[0]) | (angles > VISIBLE_TURN)
    return replace(report, distances=lengths, angles=turns, missed=missed, behind=behind)


def of_believed(report: Report, masked: Mask) -> Report:
    """Return the report without what is left of effectors where ``masked`` (frames, effectors, 2)."""
    left_out = np.pad(masked.any(axis=-1), ((0, 0), (0, report.missed.shape[1] - masked.shape[1])))
    left = {name: np.where(left_out, 0.0, getattr(report, name)) for name in ("distances", "angles")}
    off = {name: getattr(report, name) & ~left_out for name in ("missed", "gave_way")}
    return replace(report, **off, **left)


def _solved_goals(rig: Rig, scales: Array, solution: Solution) -> tuple[Array, Array]:
    """Return what is left of the first goals, which are the user's own, and then of soles."""
    left = solution.goal_residuals[:, : len(rig.goals) + sum(sole.count for sole in rig.soles)]
    return scales * left[..., 0], left[..., 1]


def _solved_effectors(weighs: Mask, scales: Array, solution: Solution) -> tuple[Array, Array]:
    """Return what is left of the effectors; ``scales`` (frames, 1): scene units in one of the armature's.

    ``weighs`` (frames or 1, effectors, 2): which of their positions and rotations count.
    """
    distances = np.where(weighs[..., 0], scales * solution.position_residuals, 0.0)
    return distances, np.where(weighs[..., 1], solution.rotation_residuals, 0.0)


def _by_soles(rig: Rig, weighs: Mask, distances: Array, angles: Array, left: Array) -> tuple[Array, Array]:
    """Return what is left, both (frames, effectors), with that of soles for feet that hold by theirs.

    They do where both place and turn count, ``weighs`` (frames or 1, effectors, 2). ``left`` (frames, goals
    of soles): how far balls, toes and heels are from where they should be.
    """
    distances, angles, begin = distances.copy(), angles.copy(), 0
    for row, sole in _feet(rig):
        holds, of_sole = weighs[:, row].all(axis=-1), left[:, begin : begin + sole.count].max(axis=1)
        distances[:, row] = np.where(holds, of_sole, distances[:, row])
        angles[:, row] = np.where(holds, 0.0, angles[:, row])
        begin += sole.count
    return distances, angles


def _lifted(rig: Rig, away: Mask) -> tuple[str, ...]:
    """Return the feet that hold by their soles while their ankles are ``away`` (frames, effectors)."""
    return tuple(sole.foot for row, sole in _feet(rig) if away[:, row].any())


def _feet(rig: Rig) -> list[tuple[int, Sole]]:
    """Return the rows of the effectors that hold by their soles, and what these are."""
    return [(rig.row_of(sole.foot), sole) for sole in rig.soles]


def _stray_limits(seen: Seen, visible: Array) -> Array:
    """Return from where on (frames, 1), scene units, a place counts as another: far away they are coarse."""
    away = np.array([[np.abs(frame.armature_to_world[:3, 3]).max()] for frame in seen.frames])
    return np.maximum(visible, _COARSE * away)


def _astray(seen: Seen, limits: Array) -> Mask:
    """Return where (frames, effectors) effector, target or driven joint are elsewhere than solved."""
    pairs = (seen.strays, seen.target_strays, (seen.lags, np.zeros(seen.lags.shape)))
    return np.any([(lengths > limits) | (angles > VISIBLE_TURN) for lengths, angles in pairs], axis=0)


def _strays(seen: Seen, astray: Mask, left: Array, limits: Array) -> tuple[Stray, ...]:
    """Return the strays of effectors that were missed (frames, effectors) so; ``left``: how badly."""
    return tuple(
        _stray(seen, int(effector), np.flatnonzero(astray[:, effector]), left[:, effector], limits)
        for effector in np.flatnonzero(astray.any(axis=0))
    )


def _stray(seen: Seen, effector: int, rows: NDArray[np.int64], left: Array, limits: Array) -> Stray:
    worst = int(rows[np.argmax(left[rows])])
    place, limit = (worst, effector), float(limits[worst, 0])
    distances, angles = seen.left
    lengths, turns = seen.strays
    is_bone = lengths[place] > limit or turns[place] > VISIBLE_TURN
    return Stray(
        effector,
        tuple(rows.tolist()),
        worst,
        float(distances[place]),
        float(angles[place]),
        seen.first_astray(*place, limit, VISIBLE_TURN) if is_bone else "",
        seen.sights[worst].driven[effector] if not is_bone and seen.lags[place] > limit else "",
    )


def _beyond(distances: Array, out_of_reach: Array, visible: Array) -> Array:
    """Return what no pose could spare an effector, if it can be seen; of two too far apart only one need be
    missed by that.
    """
    return np.where((distances > 0.999 * out_of_reach) & (out_of_reach > visible), out_of_reach, 0.0)


def _at_limits(skeleton: Skeleton, solution: Solution, row: int) -> Mask:
    """Return which bones (bones,) are at their limits in one row."""
    rows = slice(row, row + 1)
    return joints_at_limits(skeleton.rows(rows), solution.pose.rows(rows), VISIBLE_TURN)[0]


def _held_back(rig: Rig, solution: Solution, touched: Mask, row: int, column: int) -> tuple[str, ...]:
    """Return the bones whose limits keep one effector off: of those ``touched``, on its way to the root.

    None where it is known that something else does, and no limit.
    """
    most, holder = int(solution.limited_by[row, column]), int(solution.held_by[row, column])
    if most < 0 <= holder:
        return ()
    at_limits = [bone for bone in rig.way_up(int(rig.places[column])) if touched[bone] and bone != most]
    return tuple(rig.names[bone] for bone in ([most] if most >= 0 else []) + at_limits)


def _is_confined(solution: Solution, touched: Mask, row: int, column: int) -> bool:
    """Return whether what keeps an effector off most is a joint that is at no end of its limit.

    ``touched``: which bones (bones,) are.
    """
    most = int(solution.limited_by[row, column])
    return most >= 0 and not touched[most]


def tilt_of(rig: Rig, frames: Sequence[FrameSnapshot]) -> float:
    """Return the largest angle, radians, between a direction and where uneven scale of the object shows it.

    0 where it cannot be seen, or no rotation counts and there are no goals of other kinds.
    """
    linear = np.array([frame.armature_to_world[:3, :3] for frame in frames], dtype=np.float64)
    stretches = np.linalg.svd(linear, compute_uv=False)
    largest, least = stretches[:, 0], stretches[:, 2]
    tilt = float(np.arcsin((largest - least) / (largest + least)).max())
    counts = bool(rig.goals) or weights_in(rig, frames)[:, ~rig.targetless, 1].any()
    return tilt if counts and tilt > VISIBLE_TURN else 0.0


def _slowest(rig: Rig, solution: Solution, row: int, column: int) -> str:
    """Return the bone that lags most of those that carry an effector in a row, or nothing."""
    bone = int(solution.lagged_by[row, column])
    return rig.names[bone] if bone >= 0 else ""


def visible_distance(frames: Sequence[FrameSnapshot]) -> Array:
    """Return the smallest distances (frames, 1), scene units, that can be seen in the whole figure."""
    return VISIBLE_DISTANCE * world_lengths(frames, figure_extents(frames)[:, None])
