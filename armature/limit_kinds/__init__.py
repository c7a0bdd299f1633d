# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of limits: a file per kind, which reads, stores, saves, mirrors and makes limits of it."""

from ...solvers.limits import Limit
from .angles import direction, in_degrees, in_radians, short
from .cones import ConesKind, add_cone
from .ellipse import EllipseKind
from .euler import EulerKind
from .hinge import HingeKind
from .kind import LimitKind

# In the order in which buttons offer them.
KINDS: dict[str, type[LimitKind]] = {
    kind.NAME: kind for kind in (HingeKind, ConesKind, EllipseKind, EulerKind)
}
_BY_LIMIT = {kind.LIMIT: kind for kind in KINDS.values()}


def kind_of(limit: Limit) -> type[LimitKind]:
    """Return the kind of a limit of the solver's."""
    return _BY_LIMIT[type(limit)]


__all__ = ["KINDS", "LimitKind", "add_cone", "direction", "in_degrees", "in_radians", "kind_of", "short"]
