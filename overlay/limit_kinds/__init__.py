# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How limits are drawn: a file per kind."""

from ...solvers import Cones, Ellipse, EulerLimit, Hinge
from ...solvers.limits import Limit
from .cones import DrawnCones
from .ellipse import DrawnEllipse
from .euler import DrawnEuler
from .hinge import DrawnHinge
from .kind import AT_LIMIT, DrawnKind, Ranges

_KINDS: dict[type, type[DrawnKind]] = {
    Hinge: DrawnHinge,
    Cones: DrawnCones,
    Ellipse: DrawnEllipse,
    EulerLimit: DrawnEuler,
}


def drawn_kind(limit: Limit) -> type[DrawnKind]:
    """Return how limits of this one's kind are drawn."""
    return _KINDS[type(limit)]


__all__ = ["AT_LIMIT", "DrawnKind", "Ranges", "drawn_kind"]
