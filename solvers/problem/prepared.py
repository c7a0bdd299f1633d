# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a problem is before its rows are known: all that follows from skeleton, bones and tolerances alone."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from operator import is_
from typing import Any, TypeVar

import numpy as np

from ..errors import EffectorError, SkeletonError, check_kinds, in_tuple
from ..geometry import Array, Indices, Mask, altered, einsum, matvec, norm, quaternion_to_matrix
from ..goals import (
    Effector,
    Frame,
    Goal,
    GoalGroup,
    check_goals,
    frame_goals,
    frames_of,
    group_goals,
    order_of,
    points_of,
)
from ..limits import Limit, group_limits
from ..model import Skeleton, Tree, gone_with_limbs, plan
from ..posture import comforts
from ..request import Request
from ..settings import Settings
from .problem import Problem

_Asked = TypeVar("_Asked", bound=Request)
_IDENTITY = np.eye(3)
# What an effector's turn carries round, in characteristic lengths: about a hand, so that a miss in rotation
# counts as what it does to the hand. More, and a foot that cannot turn as asked pulls the whole leg askew.
_ARM = 1 / 3
# A bone turns the more readily the longer it is (exponent of length over mean length; shorter than a
# fifth counts as that). The last bone of a path has no length of its own here and counts as short, as
# hands, feet and heads are. docs/measurements.md has the figures.
LENGTH_EXPONENT = 1.5
_LEAST_LENGTH = 0.2
_TIP_LENGTH = 0.4


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """What solves of one ``skeleton`` with the same effectors, tolerances and frames have in common.

    ``frames``: the carried frames that goals of other kinds look at. ``problem``: the problem without rows
    and without goals of other kinds. ``asked``: the same problem with the ``goals`` of the request that it
    was prepared for. These goals have been checked for so many ``rows``.
    """

    skeleton: Skeleton
    effectors: tuple[Effector, ...]
    frames: tuple[Frame, ...]
    tolerances: tuple[float, float]
    problem: Problem
    goals: tuple[Goal, ...] = ()
    asked: Problem | None = None
    rows: int = 0

    def has_checked(self, request: Request) -> bool:
        """Return whether the request's goals are known to fit its skeleton and its rows."""
        is_alike = self.skeleton is request.skeleton and self.rows == len(request)
        return is_alike and self.asking(request.goals) is not None

    def asking(self, goals: tuple[Goal, ...]) -> Problem | None:
        """Return the problem with the goals, if these very ones are its own."""
        is_own = len(goals) == len(self.goals) and all(map(is_, goals, self.goals))
        return self.asked if is_own else None


def prepare(
    skeleton: Skeleton,
    effectors: Sequence[Effector],
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    goals: Sequence[Goal] = (),
    before: Prepared | None = None,
) -> Prepared:
    """Return what solves of the skeleton have in common, to be handed on from one to the next.

    ``before``: what was prepared last; it is returned if it still serves. Poses and targets make no
    difference to that, nor does what goals ask of the frames that they look at.

    Raises SkeletonError for a bone that is not there, and EffectorError for what are no effectors, or where
    there are none, and no goals.
    """
    effectors, frames = in_tuple(effectors, "The effectors", EffectorError), _frames_of(goals, before)
    check_kinds(effectors, Effector, "The effectors", EffectorError)
    check_kinds([skeleton], Skeleton, "The skeleton", SkeletonError)
    if not (effectors or frames):
        raise EffectorError("There are no effectors")
    tolerances = settings.tolerance, settings.angle_tolerance
    wanted = effectors, frames, tolerances
    if before is not None and (before.effectors, before.frames, before.tolerances) == wanted:
        if before.skeleton is skeleton:
            return before
        if _differ_in_comfort(skeleton, before.skeleton):
            problem = _rested(before.problem, skeleton)
            asked = before.asked and altered(before.asked, comforts=problem.comforts)
            return replace(before, skeleton=skeleton, problem=problem, asked=asked)
    points = points_of(effectors, None)
    return Prepared(skeleton, *wanted, _without_targets(skeleton, effectors, points, frames, tolerances))


def _frames_of(goals: Sequence[Goal], before: Prepared | None) -> tuple[Frame, ...]:
    """Return the carried frames of all goals, those known of these very ones from ``before``."""
    if before is not None and before.asking(tuple(goals)) is not None:
        return before.frames
    return frames_of(goals)


def _differ_in_comfort(skeleton: Skeleton, other: Skeleton) -> bool:
    """Return whether nothing else tells two skeletons apart, of which one was made of the other."""
    rest = (field.name for field in fields(Skeleton) if field.init and field.name != "comforts")
    return all(getattr(skeleton, name) is getattr(other, name) for name in rest)


def _rested(problem: Problem, skeleton: Skeleton) -> Problem:
    """Return the problem with the comforts of the skeleton."""
    place = {skeleton.names[bone]: i for i, bone in enumerate(problem.tree.bones)}
    readiness = _readiness(problem.tree, _segments(problem.tree, problem.offsets))
    return altered(problem, comforts=comforts(skeleton.comforts, place, problem.mobility, readiness))


def with_prepared(request: _Asked) -> _Asked:
    """Return the request with its problem prepared, so that requests like it need not prepare theirs.

    Raises SkeletonError like ``prepare``, and GoalError for goals that cannot be asked.
    """
    skeleton, effectors, goals = request.skeleton, request.effectors, request.goals
    prepared = prepare(skeleton, effectors, request.settings, goals, request.prepared)
    if prepared.asking(goals) is None:
        check_goals(skeleton, goals, len(request))
        asked = _with_goals(prepared.problem, effectors, goals, None)
        prepared = replace(prepared, goals=goals, asked=asked, rows=len(request))
    return replace(request, prepared=prepared)


def make_problem(request: Request) -> Problem:
    """Return the arrays of a checked request."""
    effectors, targets, goals = request.effectors, request.targets, request.goals
    asked = None
    if targets.offsets is None:
        prepared = prepare(request.skeleton, effectors, request.settings, goals, request.prepared)
        problem = prepared.problem
        asked = prepared.asking(goals) if targets.weights is None else None
    else:
        problem = _with_points(request)
    if asked is None:
        asked = _with_goals(problem, effectors, goals, targets.weights)
    return altered(asked, frames=asked.frames.aimed(targets))


def _with_goals(
    problem: Problem, effectors: tuple[Effector, ...], goals: tuple[Goal, ...], factors: Array | None
) -> Problem:
    """Return the problem with goals of other kinds; ``factors`` of weights as of ``_weights``."""
    if not goals and factors is None:
        return problem
    groups = group_goals(goals, len(effectors), problem.arm)
    positions, rotations, scale = _weights(effectors, factors, groups)
    frames = problem.frames.weighing(positions, problem.arm[:, None, None] ** 2 * rotations)
    groups = tuple(
        group.weighed(np.broadcast_to(scale[:, None], (len(scale), len(group.ranks)))) for group in groups
    )
    return altered(problem, frames=frames, goals=groups, order=order_of(goals))


def _with_points(request: Request) -> Problem:
    """Return the problem of a request without its targets, but with the points that these have on bones."""
    tolerances = request.settings.tolerance, request.settings.angle_tolerance
    points = points_of(request.effectors, request.targets.offsets)
    return _without_targets(request.skeleton, request.effectors, points, frames_of(request.goals), tolerances)


def _without_targets(
    skeleton: Skeleton,
    effectors: tuple[Effector, ...],
    own: Array,
    others: tuple[Frame, ...],
    tolerances: tuple[float, float],
) -> Problem:
    """Return the problem with no rows yet, positions counting alike in all axes, and no goals of other kinds.

    ``own`` (b, effectors, 3): the points of the effectors. ``others``: the frames that other goals look at.
    """
    bones = *(skeleton.index(e.bone) for e in effectors), *(skeleton.index(bone) for bone, _ in others)
    tree = plan(skeleton.topology, bones, tuple(e.falloff for e in effectors))
    beside = np.array([point for _, point in others], dtype=np.float64).reshape(1, -1, 3)
    points = np.concatenate([own, np.broadcast_to(beside, (len(own), *beside.shape[1:]))], axis=1)
    offsets = skeleton.offsets.take(tree.bones, axis=1)
    segments = _segments(tree, offsets)
    paths = matvec(tree.frames.moves, segments) + np.sqrt(einsum("bei,bei->be", points, points))
    paths = paths[:, : len(effectors) or None]
    # About a limb segment, and the same however finely the limb is divided.
    length = _or_one(paths.sum(axis=-1) / (4 * np.maximum(np.count_nonzero(paths, axis=-1), 1)))
    arm = _ARM * length
    mobility = _mobility(skeleton, tree, effectors)
    freedom = skeleton.freedom[tree.bones]
    shifts = tree.frames.moves[:, tree.roots, None, None] * freedom[tree.roots]
    positions, rotations, _ = _weights(effectors, None, ())
    weights = positions, arm[:, None, None] ** 2 * rotations
    readiness = _readiness(tree, segments)
    bend = np.sqrt(mobility * readiness)
    stepped = np.broadcast_to(bend, (len(length), bend.shape[1]))
    felt = bend[:, None] * tree.frames.felt
    place = {skeleton.names[bone]: i for i, bone in enumerate(tree.bones)}
    kept = _kept_limits(skeleton, place, mobility)
    limits = group_limits(kept, place)
    return Problem(
        tree=tree,
        tolerance=tolerances[0] * _or_one(paths.max(axis=-1)),
        angle_tolerance=tolerances[1],
        length=length,
        arm=arm,
        offsets=offsets,
        rests=quaternion_to_matrix(skeleton.rests.take(tree.bones, axis=1)),
        points=points,
        mobility=mobility,
        freedom=freedom,
        centred=(freedom == _IDENTITY).all(axis=(-2, -1)),
        **_movable(tree, mobility, bend),
        compliance=np.concatenate([stepped, np.repeat(length[:, None], len(tree.roots), axis=1)], axis=1),
        moves=tree.frames.moves * felt,
        turns=tree.frames.turns * felt,
        shifts=shifts,
        anchored=not freedom[tree.roots].any(axis=(-2, -1)).all(),
        limits=limits,
        cushions=_cushions(kept, place),
        comforts=comforts(skeleton.comforts, place, mobility, readiness),
        price=np.empty(0),
        frames=frame_goals(effectors, weights, length, shifts[: len(effectors)]),
    )


def _movable(tree: Tree, mobility: Array, bend: Array) -> dict[str, Any]:
    """Return what a problem has of the bones that may turn and of the roots; ``bend`` (b, n)."""
    turning, leaders, roots = np.flatnonzero(mobility > 0), _leaders(tree, mobility), len(tree.roots)
    scales = bend.take(turning, axis=1), np.ones((len(bend), roots))
    return {
        "turning": turning,
        "moving": np.append(turning, len(tree.bones) + np.arange(roots)),
        "units": np.concatenate(scales, axis=1)[..., None],
        "below": tree.carries[np.ix_(turning, turning)].astype(float),
        "bundle": np.equal.outer(turning, leaders).astype(float),
        "bundled": _bundled(leaders),
    }


def _pulled(tree: Tree, effectors: tuple[Effector, ...]) -> Mask:
    """Return the bones (n,) that move or turn what a goal looks at, or an effector which weighs anything."""
    moved = np.array([e.position_weight > 0 for e in effectors], dtype=bool)
    turned = np.array([e.rotation_weight > 0 and any(e.rotation_axes) for e in effectors], dtype=bool)
    of_effectors = (tree.effectors.moves & moved[:, None]) | (tree.effectors.turns & turned[:, None])
    pulled: Mask = np.any(of_effectors, axis=0) | np.any(tree.frames.moves[len(effectors) :], axis=0)
    return pulled


def _mobility(skeleton: Skeleton, tree: Tree, effectors: tuple[Effector, ...]) -> Array:
    """Return how readily bones (n,) turn, apart from their lengths: from 0 to 1."""
    mobility = np.where(_pulled(tree, effectors), 1 - skeleton.stiffness[tree.bones], 0.0)
    mobility[gone_along(skeleton, tree, mobility)] = 0.0
    return mobility


def gone_along(skeleton: Skeleton, tree: Tree, mobility: Array) -> list[int]:
    """Return which of the tree's bones go with their limbs: a joint turns there whose twist they share later.

    ``mobility`` (n,): how readily each of the tree's bones turns.
    """
    place = {bone: at for at, bone in enumerate(tree.bones.tolist())}
    shared = [(place.get(joint), bones) for joint, bones in gone_with_limbs(skeleton)]
    turned = (bones for at, bones in shared if at is not None and mobility[at] > 0)
    return [place[bone] for bones in turned for bone in bones if bone in place]


def _segments(tree: Tree, offsets: Array) -> Array:
    """Return how far bones' heads are from their parents', (b, n); 0 for roots."""
    return norm(offsets) * (tree.parents >= 0)


def _readiness(tree: Tree, segments: Array) -> Array:
    """Return how readily each bone turns, (b, n): by the length it puts between itself and its children."""
    lengths = np.zeros_like(segments)
    np.maximum.at(lengths.T, tree.parents[tree.inner], segments.take(tree.inner, axis=1).T)
    mean = _or_one(lengths.sum(axis=-1) / np.maximum(np.count_nonzero(lengths, axis=-1), 1))[:, None]
    relative = np.where(tree.is_tip, _TIP_LENGTH, lengths / mean)
    return np.maximum(relative, _LEAST_LENGTH) ** LENGTH_EXPONENT


def _kept_limits(skeleton: Skeleton, place: dict[str, int], mobility: Array) -> list[Limit]:
    """Return the limits of bones that may turn; a locked one stays where it is, inside its limit or not."""
    return [limit for limit in skeleton.limits if limit.bone in place and mobility[place[limit.bone]] > 0]


def _cushions(limits: Sequence[Limit], place: dict[str, int]) -> Array:
    widths = np.zeros(len(place))
    for limit in limits:
        widths[place[limit.bone]] = limit.cushion
    return widths


def _weights(
    effectors: tuple[Effector, ...], factors: Array | None, groups: Sequence[GoalGroup]
) -> tuple[Array, Array, Array]:
    """Return the weights of positions (b, E), of rotations (b, E, 3), and what weights are scaled by, (b,).

    ``factors`` (b, E, 2). The largest weight is from 1 to 2, since only ratios mean anything: scaled by a
    power of two they keep every digit, and their squares stay within range.
    """
    positions = np.array([[e.position_weight for e in effectors]])
    rotations = np.array([[[e.rotation_weight * axis for axis in e.rotation_axes] for e in effectors]])
    rotations = rotations.reshape(1, -1, 3)
    if factors is not None:
        positions, rotations = positions * factors[..., 0], rotations * factors[..., 1:]
    given = [positions, rotations.reshape(len(rotations), -1), *(group.weights for group in groups)]
    heaviest = [weights.max(axis=1, initial=0.0) for weights in given]
    _, exponent = np.frexp(np.max(np.broadcast_arrays(*heaviest), axis=0))
    scale = 1 - exponent
    return (
        np.ldexp(positions, scale[:, None]),
        np.ldexp(rotations, scale[:, None, None]),
        np.ldexp(1.0, scale),
    )


def _or_one(lengths: Array) -> Array:
    """Return the lengths, or 1 where a rig has none to go by."""
    return np.where(lengths > 0, lengths, 1.0)


def _leaders(tree: Tree, mobility: Array) -> Indices:
    """Return with which bone each turns as one, (n,), or -1: a locked one with the one it inherits from."""
    leaders = np.arange(len(mobility))
    for bone in np.flatnonzero(mobility == 0):
        leaders[bone] = leaders[tree.joints[bone]] if tree.joints[bone] >= 0 else -1
    return leaders


def _bundled(leaders: Indices) -> tuple[Indices, Indices]:
    """Return the bones that turn, those with one leader together, and where each leader's start."""
    bones = np.argsort(leaders, kind="stable")[np.count_nonzero(leaders < 0) :]
    return bones, np.unique(leaders[bones], return_index=True)[1]
