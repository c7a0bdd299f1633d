# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals of all kinds beside effectors have, and how they are checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GoalError
from ..geometry import Array, Indices, Mask, Rows, are_numbers, is_number, is_whole, norm
from ..model import LONGEST, Skeleton, frozen
from .weighed import WeighedGoals

Point = tuple[float, float, float]
Frame = tuple[str, Point]
HEAD: Point = (0.0, 0.0, 0.0)
_SHORTEST = 1e-100  # squares of shorter lengths are nothing


@dataclass(frozen=True, eq=False, kw_only=True)
class AnimatedGoal:
    """Something asked of the body. Numbers that can be animated have a row per problem, or one for all.

    ``weight``: how much what is left counts; ``weights`` (batch or 1,): factors on that. ``rank``: 1 for what
    must hold, 2 for what should, and so on: a goal never costs one of a lower number anything.

    Every kind says which points of bones it looks at (``frames``), what it is called in messages (``title``)
    and which group takes it up. Raises GoalError where its numbers cannot be used.
    """

    weight: float = 1.0
    weights: Array = field(default_factory=lambda: np.ones(1))
    rank: int = 2

    # The names of the numbers that can be animated, and what follows their batch axis.
    ANIMATED: ClassVar[dict[str, tuple[int | None, ...]]] = {"weights": ()}
    # The names of the weights that are one number each.
    WEIGHTS: ClassVar[tuple[str, ...]] = ("weight",)
    # What messages call those that users see under another name.
    CALLED: ClassVar[dict[str, str]] = {"weights": "a weight"}

    def __post_init__(self) -> None:
        for name, tail in self.ANIMATED.items():
            if getattr(self, name) is not None or self.__dataclass_fields__[name].default is not None:
                object.__setattr__(self, name, self._read(name, tail))
        weights = (getattr(self, name) for name in self.WEIGHTS)
        self.refuse(not all(map(is_number, weights)), "has a weight that is no number")
        for name, value in self._animated().items():
            complaint = f"has {len(value)} rows of {name}, not {self.batch}"
            self.refuse(len(value) not in (1, self.batch), complaint)
        self.check_numbers("a weight", self.weighed)
        self.refuse(bool((self.weighed < 0).any()), "has a negative weight")
        self.refuse(not is_whole(self.rank), "has a rank that is no whole number")
        self.refuse(self.rank < 1, f"has rank {self.rank}; the first is 1")
        offsets = [offset for _, offset in self.frames()]
        self.refuse(not are_numbers(*offsets), "has an offset that is no number")
        self.refuse(any(np.shape(offset) != (3,) for offset in offsets), "has an offset that is not 3 long")
        self.check_numbers("an offset", offsets)

    @property
    def title(self) -> str:
        """What the goal is called in messages."""
        raise NotImplementedError

    def frames(self) -> tuple[Frame, ...]:
        """Return the points that the goal looks at: bones, and where on them, in their frames."""
        raise NotImplementedError

    @property
    def group_type(self) -> type[WeighedGoals]:
        """The group that takes up goals of this kind."""
        raise NotImplementedError

    @property
    def weighed(self) -> Array:
        """The weights with their factors, (rows,) or more."""
        return self.weight * self.weights

    @cached_property
    def batch(self) -> int:
        """How many rows the goal has, 1 where they are for any number of problems."""
        return max(len(value) for value in self._animated().values())

    def rows(self, keep: Rows) -> Self:
        """Return the goal of the rows ``keep``."""
        own: dict[str, Any] = {
            name: value[keep] for name, value in self._animated().items() if len(value) > 1
        }
        return replace(self, **own) if own else self

    def but_in(self, rows: Mask) -> Self:
        """Return the goal, which weighs nothing in the ``rows`` (batch,) of a mask."""
        left_out = rows.reshape(-1, *(1 for _ in self.ANIMATED["weights"]))
        return replace(self, weights=np.where(left_out, 0.0, self.weights))

    @classmethod
    def grouped(cls, goals: Sequence[Self], frames: Indices, arm: Array) -> WeighedGoals:
        """Return goals that look at these frames (m, c) as a group; ``arm`` (b,)."""
        return goals[0].group_type.of(goals, frames, arm)

    def check(self, skeleton: Skeleton, batch: int) -> None:
        """Raise SkeletonError for a bone that is not there, GoalError for neither ``batch`` rows nor one."""
        for bone, _ in self.frames():
            skeleton.index(bone)
        self.refuse(self.batch not in (1, batch), f"has {self.batch} rows for {batch} poses")

    @classmethod
    def check_together(cls, goals: Sequence[Self]) -> None:
        """Raise GoalError for goals of this kind that cannot be used beside each other."""

    def refuse(self, bad: bool, complaint: str) -> None:
        """Raise GoalError with the complaint, if it is justified."""
        if bad:
            raise GoalError(f"The {self.title} {complaint}")

    def check_directions(self, what: str, vectors: ArrayLike) -> None:
        """Refuse vectors (..., 3) that point nowhere; ``what`` they are."""
        self.refuse(bool((norm(np.asarray(vectors)) < _SHORTEST).any()), f"has {what} that is zero")

    def _read(self, name: str, tail: tuple[int | None, ...]) -> Array:
        """Return an animated number as an array (rows, *tail); one row may come without its axis."""
        value = frozen(getattr(self, name), what=f"The {name} of the {self.title}", error=GoalError)
        value = value[None] if value.ndim == len(tail) else value
        fits = value.ndim == len(tail) + 1 and all(
            wanted in (None, found) for wanted, found in zip(tail, value.shape[1:], strict=True)
        )
        shown = ", ".join(["batch or 1", *(str(size or "any") for size in tail)])
        self.refuse(not fits or not value.size, f"needs {name} of shape ({shown}), not {value.shape}")
        self.check_numbers(self.CALLED.get(name, f"a value of {name}"), value)
        return value

    def check_numbers(self, what: str, values: ArrayLike) -> None:
        """Refuse values that no solve can reckon with; ``what`` they are."""
        self.refuse(not are_numbers(values), f"has {what} that is no number")
        self.refuse(not np.isfinite(values).all(), f"has {what} that is not finite")
        self.refuse(bool((np.abs(values) > LONGEST).any()), f"has {what} that is more than {LONGEST:g}")

    def _animated(self) -> dict[str, Array]:
        return {name: value for name in self.ANIMATED if (value := getattr(self, name)) is not None}


def on_bones(values: Iterable[Any], count: int, what: str) -> tuple[Any, ...]:
    """Return tuples of so many things, the first a bone and the second an offset on it.

    Raises GoalError saying ``what`` they should be where one of the values is none.
    """
    try:
        found = tuple((bone, tuple(offset), *more) for bone, offset, *more in values)
    except (TypeError, ValueError) as error:
        raise GoalError(f"{what} each") from error
    if any(len(value) != count for value in found):
        raise GoalError(f"{what} each")
    return found
