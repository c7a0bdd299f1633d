# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals of a problem as groups, one for each kind and number of frames."""

from collections.abc import Sequence

import numpy as np

from ..errors import GoalError, named_kind
from ..geometry import Array, Indices
from ..model import Skeleton
from .protocol import Frame, Goal, GoalGroup


def frames_of(goals: Sequence[Goal]) -> tuple[Frame, ...]:
    """Return the carried frames of all goals, one goal's after the other's."""
    return tuple(frame for goal in goals for frame in goal.frames())


def check_goals(skeleton: Skeleton, goals: Sequence[Goal], batch: int) -> None:
    """Raise GoalError or SkeletonError for goals that do not fit each other, the skeleton or the batch."""
    for goal in goals:
        if not hasattr(goal, "frames"):
            raise GoalError(f"The goals must be goals of other kinds than effectors, not {named_kind(goal)}")
        goal.check(skeleton, batch)
    kinds: dict[type[Goal], list[Goal]] = {}
    for goal in goals:
        kinds.setdefault(type(goal), []).append(goal)
    for kind, own in kinds.items():
        kind.check_together(own)


def group_goals(goals: Sequence[Goal], first: int, arm: Array) -> tuple[GoalGroup, ...]:
    """Return the goals as groups; their frames, as ``frames_of`` has them, begin at index ``first``."""
    counts = [len(goal.frames()) for goal in goals]
    starts = first + np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return tuple(
        type(goals[members[0]]).grouped(
            [goals[member] for member in members],
            starts[members][:, None] + np.arange(counts[members[0]]),
            arm,
        )
        for members in _kinds(goals)
    )


def order_of(goals: Sequence[Goal]) -> Indices:
    """Return where in the groups' goals, one group's after the other's, each goal is."""
    return np.argsort(np.concatenate([np.empty(0, np.int64), *_kinds(goals)]))


def _kinds(goals: Sequence[Goal]) -> list[Indices]:
    """Return which goals make each group."""
    members: dict[tuple[type, int], list[int]] = {}
    for number, goal in enumerate(goals):
        members.setdefault((type(goal), len(goal.frames())), []).append(number)
    return [np.array(numbers) for numbers in members.values()]
