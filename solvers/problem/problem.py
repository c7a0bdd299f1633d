# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch of problems as arrays: what the objective needs, computed once before the first step.

The objective, for effector points p, rotations R and targets t, T::

    E = sum_e w_e |A_e (p_e - t_e)|^2 + 4 a^2 sum_k r_ek q_k^2       q = vector part of T^T R

which for equal weights per axis is ``w |p - t|^2 + r a^2 |R - T|^2 / 2`` (Frobenius). The arm a is a share of
the rig's characteristic length, so that a weight means the same on an ant and on a ship.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..geometry import Array, Indices, cross_matrix, matvec, quaternion_to_matrix
from ..goals import Effector, Targets, plain_axes
from ..limits import Group, Limit, group_limits
from ..model import Skeleton, Tree, plan
from ..posture import Comforts, Pace, comforts
from ..settings import Settings

_IDENTITY = np.eye(3)
# What an effector's turn carries round, in characteristic lengths: about a hand, so that a miss in rotation
# counts as what it does to the hand. More, and a foot that cannot turn as asked pulls the whole leg askew.
_ARM = 1 / 3
# A bone turns the more readily the longer it is (exponent of length over mean length; shorter than a
# fifth counts as that). The last bone of a path has no length of its own here and counts as short, as
# hands, feet and heads are. docs/method.md has the measurements.
_LENGTH_EXPONENT = 1.5
_LEAST_LENGTH = 0.2
_TIP_LENGTH = 0.4


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """Arrays over ``n`` bones, ``k`` of them roots, and ``E`` effectors; rows of the batch are independent.

    Whatever depends on lengths has a row per problem, or one for all: ``b`` is batch or 1. An effector
    within ``tolerance`` (b,), a length, and ``angle_tolerance``, radians, of its target has met it.
    ``arm`` (b,) is a; ``length`` (b,) is about a limb segment.
    - ``offsets`` (b, n, 3), ``rests`` (b, n, 3, 3), ``points`` (E, 3) as in Skeleton and Effector.
    - ``mobility`` (n,): 1 - stiffness; 0 where no effector that weighs anything is felt. ``freedom``
      (n, 3, 3); ``centred`` (n,): wholly free roots.
    - ``position_weights`` (E,), ``rotation_weights`` (b, E, 3) times arm squared, and their square roots
      ``position_roots`` (E, 1), ``rotation_roots`` (b, E, 3).
    - ``axes`` (b, E, 3, 3); ``majorants`` (b, E, 1): no less than the largest eigenvalue of axes^T axes.
    - ``goals`` (batch, E, 3), ``goal_rotations`` (batch, E, 3, 3).
    - ``compliance`` (b, n + k): square root of the metric of a step, radians for bones and lengths for root
      translations; ``moves``, ``turns`` (b, E, n): the tree's, times compliance and falloff.
    - ``lever_maps`` (b, E, 3, 3, 3): from a lever arm to each row of its Jacobian block;
      ``translation_columns`` (b, E, 3, k, 3).
    - ``anchored``: whether some root may not be moved at all.
    - ``bundle`` (m, n): 1 where bone b belongs to rigid group m (one bone each unless some are locked);
      ``bundled``: the bones of all groups, one group after the other, and where in that each group starts.
    - ``limits``: what bones may not do, grouped by kind; ``unlimited``: the other bones; ``cushions`` (n,):
      the width of soft rims, radians. ``comforts``: how bones would rather be; ``price`` (b,): what a squared
      standard deviation from there may cost, beside the root of the objective; ``pace``: how far comfort may
      turn bones, if not all the way.
    """

    tree: Tree
    tolerance: Array
    angle_tolerance: float
    length: Array
    arm: Array
    offsets: Array
    rests: Array
    points: Array
    mobility: Array
    freedom: Array
    centred: Array
    position_weights: Array
    rotation_weights: Array
    position_roots: Array
    rotation_roots: Array
    axes: Array
    majorants: Array
    goals: Array
    goal_rotations: Array
    compliance: Array
    moves: Array
    turns: Array
    lever_maps: Array
    translation_columns: Array
    anchored: bool
    bundle: Array
    bundled: tuple[Indices, Indices]
    limits: tuple[Group, ...]
    unlimited: Indices
    cushions: Array
    comforts: Comforts
    price: Array
    pace: Pace | None = None

    @property
    def has_comfort(self) -> bool:
        """Whether there is anything to choose by among poses that meet the targets."""
        return len(self.comforts.bones) > 0 or self.cushions.any()

    def sums(self, values: Array) -> Array:
        """Return the sums (..., m, c) over rigid groups of what bones have, (..., n, c)."""
        if len(self.bundle) == len(self.mobility):
            return values
        bones, starts = self.bundled
        return np.add.reduceat(values.take(bones, axis=-2), starts, axis=-2)

    def rows(self, keep: Array) -> "Problem":
        """Return the problem of the rows ``keep``; what all rows share is left alone."""
        shared = (
            *("tolerance", "length", "arm", "offsets", "rests", "rotation_weights", "rotation_roots", "axes"),
            *("majorants", "compliance", "moves", "turns", "lever_maps", "translation_columns", "price"),
        )
        batched = {name: value[keep] for name in shared if len(value := getattr(self, name)) > 1}
        limits = tuple(group.rows(keep) for group in self.limits)
        goals = {"goals": self.goals[keep], "goal_rotations": self.goal_rotations[keep]}
        comforts, pace = self.comforts.rows(keep), self.pace and self.pace.rows(keep)
        return replace(self, limits=limits, comforts=comforts, pace=pace, **goals, **batched)


def make_problem(
    skeleton: Skeleton, effectors: tuple[Effector, ...], targets: Targets, settings: Settings
) -> Problem:
    """Return the arrays of a checked problem.

    What does not depend on the targets is kept with the skeleton: a drag asks for it at every move.
    """
    key = (effectors, settings.tolerance, settings.angle_tolerance)
    if key not in skeleton.derived:
        skeleton.derived.clear()
        skeleton.derived[key] = _without_targets(skeleton, effectors, settings)
    problem = skeleton.derived[key]
    goals = {"goals": targets.positions, "goal_rotations": quaternion_to_matrix(targets.rotations)}
    if targets.axes is plain_axes(len(effectors)):
        return replace(problem, **goals)
    return replace(problem, **goals, **_by_axes(problem, targets.axes))


def _without_targets(skeleton: Skeleton, effectors: tuple[Effector, ...], settings: Settings) -> Problem:
    """Return the problem with no rows yet, positions counting alike in all axes."""
    names = skeleton.places
    tree = plan(
        skeleton.topology, tuple(names[e.bone] for e in effectors), tuple(e.falloff for e in effectors)
    )
    points = np.array([e.offset for e in effectors], dtype=np.float64)
    offsets = skeleton.offsets.take(tree.bones, axis=1)
    squares = np.einsum("bni,bni->bn", offsets, offsets)
    segments = np.sqrt(squares) * (tree.parents >= 0)
    paths = matvec(tree.moves, segments) + np.sqrt(np.einsum("ei,ei->e", points, points))
    # About a limb segment, and the same however finely the limb is divided.
    length = _or_one(paths.sum(axis=-1) / (4 * np.maximum(np.count_nonzero(paths, axis=-1), 1)))
    arm = _ARM * length
    mobility = np.where(_pulled(tree, effectors), 1 - skeleton.stiffness[tree.bones], 0.0)
    freedom = skeleton.freedom[tree.bones]
    position_weights, rotation_weights = _weights(effectors, arm)
    position_roots = np.sqrt(position_weights)
    readiness = _readiness(tree, segments)
    bend = np.sqrt(mobility * readiness)
    felt = bend[:, None] * tree.felt
    place = {skeleton.names[bone]: i for i, bone in enumerate(tree.bones)}
    kept = _kept_limits(skeleton, place, mobility)
    limits = group_limits(kept, place)
    leaders = _leaders(tree, mobility)
    problem = Problem(
        tree=tree,
        tolerance=settings.tolerance * _or_one(paths.max(axis=-1)),
        angle_tolerance=settings.angle_tolerance,
        length=length,
        arm=arm,
        offsets=offsets,
        rests=quaternion_to_matrix(skeleton.rests.take(tree.bones, axis=1)),
        points=points,
        mobility=mobility,
        freedom=freedom,
        centred=(freedom == _IDENTITY).all(axis=(-2, -1)),
        position_weights=position_weights,
        rotation_weights=rotation_weights,
        position_roots=position_roots[:, None],
        rotation_roots=np.sqrt(rotation_weights),
        axes=np.empty((0, len(effectors), 3, 3)),
        majorants=np.empty((0, len(effectors), 1)),
        goals=np.empty((0, len(effectors), 3)),
        goal_rotations=np.empty((0, len(effectors), 3, 3)),
        compliance=np.concatenate([bend, np.repeat(length[:, None], len(tree.roots), axis=1)], axis=1),
        moves=tree.moves * felt,
        turns=tree.turns * felt,
        lever_maps=np.empty((0, len(effectors), 3, 3, 3)),
        translation_columns=np.empty((0, len(effectors), 3, len(tree.roots), 3)),
        anchored=not freedom[tree.roots].any(axis=(-2, -1)).all(),
        bundle=np.equal.outer(np.flatnonzero(mobility > 0), leaders).astype(float),
        bundled=_bundled(leaders),
        limits=limits,
        unlimited=np.setdiff1d(np.arange(len(place)), [bone for group in limits for bone in group.bones]),
        cushions=_cushions(kept, place),
        comforts=comforts(skeleton.comforts, place, mobility, readiness),
        price=np.empty(0),
    )
    return replace(problem, **_by_axes(problem, plain_axes(len(effectors))))


def _by_axes(problem: Problem, axes: Array) -> dict[str, Array]:
    """Return the arrays that depend on the axes (b, E, 3, 3) in which positions count."""
    weighted = problem.position_roots[..., None] * axes
    return {
        "axes": axes,
        "majorants": _majorants(axes),
        "lever_maps": _lever_maps(weighted),
        "translation_columns": _translation_columns(problem.tree, weighted, problem.freedom, problem.length),
    }


def _pulled(tree: Tree, effectors: tuple[Effector, ...]) -> NDArray[np.bool_]:
    """Return the bones (n,) that move or turn an effector which weighs anything."""
    moved = np.array([e.position_weight > 0 for e in effectors])
    turned = np.array([e.rotation_weight > 0 and any(e.rotation_axes) for e in effectors])
    return ((tree.moves & moved[:, None]) | (tree.turns & turned[:, None])).any(axis=0)


def _readiness(tree: Tree, segments: Array) -> Array:
    """Return how readily each bone turns, (b, n): by the length it puts between itself and its children."""
    lengths = np.zeros_like(segments)
    np.maximum.at(lengths, (slice(None), tree.parents[tree.inner]), segments.take(tree.inner, axis=1))
    mean = _or_one(lengths.sum(axis=-1) / np.maximum(np.count_nonzero(lengths, axis=-1), 1))[:, None]
    relative = np.where(tree.is_tip, _TIP_LENGTH, lengths / mean)
    return np.maximum(relative, _LEAST_LENGTH) ** _LENGTH_EXPONENT


def _kept_limits(skeleton: Skeleton, place: dict[str, int], mobility: Array) -> list[Limit]:
    """Return the limits of bones that may turn; a locked one stays where it is, inside its limit or not."""
    return [limit for limit in skeleton.limits if limit.bone in place and mobility[place[limit.bone]] > 0]


def _cushions(limits: Sequence[Limit], place: dict[str, int]) -> Array:
    widths = np.zeros(len(place))
    for limit in limits:
        widths[place[limit.bone]] = limit.cushion
    return widths


def _weights(effectors: tuple[Effector, ...], arm: Array) -> tuple[Array, Array]:
    """Return the weights of positions (E,), and of rotations (b, E, 3) times arm squared.

    The largest is from 1 to 2, since only their ratios mean anything: divided by a power of two they keep
    every digit, and their squares stay within range.
    """
    positions = np.array([e.position_weight for e in effectors])
    rotations = np.array([[e.rotation_weight * axis for axis in e.rotation_axes] for e in effectors])
    _, exponent = np.frexp(max(positions.max(), rotations.max()))
    return np.ldexp(positions, 1 - exponent), arm[:, None, None] ** 2 * np.ldexp(rotations, 1 - exponent)


def _or_one(lengths: Array) -> Array:
    """Return the lengths, or 1 where a rig has none to go by."""
    return np.where(lengths > 0, lengths, 1.0)


def _majorants(axes: Array) -> Array:
    """Return the largest row sum of axes^T axes: bounds its eigenvalues, and exact for multiples of one."""
    return np.abs(np.swapaxes(axes, -1, -2) @ axes).sum(axis=-1).max(axis=-1, keepdims=True)


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


def _lever_maps(weighted_axes: Array) -> Array:
    """Return maps (b, E, 3, 3, 3): ``a @ maps[k]`` is row k, ``a x C_k``, of ``C [-a]x`` for an arm ``a``."""
    return cross_matrix(weighted_axes)


def _translation_columns(tree: Tree, weighted_axes: Array, freedom: Array, length: Array) -> Array:
    moved_by = tree.moves[:, tree.roots, None, None] * freedom[tree.roots]
    return length[:, None, None, None, None] * np.einsum("beij,ekjl->beikl", weighted_axes, moved_by)
