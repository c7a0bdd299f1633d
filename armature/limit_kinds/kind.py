# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kind of limit answers. So what reads, saves and makes limits need not know which kinds there are."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from bpy.types import PropertyGroup

from ...solvers.geometry import Array, twist_about
from ...solvers.limits import ALONG, Limit
from ..entries import Entry
from .angles import like, within_half_turn


class LimitKind:
    """A kind of limit between what bones store, what files say, and the solver's class ``LIMIT``.

    A *turn* (4,) is a bone's rotation relative to rest, a quaternion in its parent's frame. Angles are
    radians, in files degrees.
    """

    # As bones and files store it, as users see it, and what the button that gives a bone one says.
    NAME: ClassVar[str]
    LABEL: ClassVar[str]
    ADDS: ClassVar[str]
    LIMIT: ClassVar[type]

    @classmethod
    def read(cls, bone: str, stored: PropertyGroup) -> Limit:
        """Return the limit that the bone stores; raises LimitError naming the bone if it allows nothing."""
        raise NotImplementedError

    @classmethod
    def store(cls, stored: PropertyGroup, limit: Limit) -> None:
        """Store the limit in what is as if new; the kind and the soft rim are set already."""
        raise NotImplementedError

    @classmethod
    def around(cls, bone: str, turn: Array, order: str) -> Limit:
        """Return a limit as joints have it, wide enough to allow the turn.

        ``order``: the Euler order that the user knows the bone by.
        """
        raise NotImplementedError

    @classmethod
    def with_end(cls, limit: Limit, end: str, turn: Array, axis: int) -> Limit:
        """Return the limit with one end of its range, 'lower' or 'upper', where the turn is.

        ``axis``: which, where it has three. Raises LimitError where the range would be reversed.
        """
        unit = np.array(cls.axis(limit)) / np.linalg.norm(cls.axis(limit))
        angle = within_half_turn(float(twist_about(turn, unit)))
        return replace(limit, **{end: like(angle, getattr(limit, end))})

    @classmethod
    def axis(cls, limit: Limit) -> tuple[float, ...]:
        """Return the axis, of any length, about which its range is: by default the bone's own length."""
        return ALONG

    @classmethod
    def mirrored(cls, limit: Limit, other: str, image: Array) -> Limit:
        """Return the mirror image of the limit for the bone ``other``.

        That one's turns are ``image @ turn @ image.T``.
        Raises RigError naming the bones where it cannot be said in this kind.
        """
        raise NotImplementedError

    @classmethod
    def as_json(cls, limit: Limit) -> dict[str, Any]:
        """Return what a file says of the limit besides its kind and its soft rim."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, bone: str, entry: Entry) -> Limit:
        """Return the limit that a file has; raises RigError or LimitError."""
        raise NotImplementedError
