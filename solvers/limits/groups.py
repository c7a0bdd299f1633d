# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of a skeleton as groups, one for each kind and sort."""

from collections.abc import Sequence

import numpy as np

from .group import Group
from .protocol import Limit


def group_limits(limits: Sequence[Limit], place: dict[str, int]) -> tuple[Group, ...]:
    """Return the limits of the bones in ``place`` (name to index), grouped by kind."""
    alike: dict[tuple[type[Limit], str], list[Limit]] = {}
    for limit in sorted((limit for limit in limits if limit.bone in place), key=lambda x: place[x.bone]):
        alike.setdefault((type(limit), limit.sort), []).append(limit)
    return tuple(
        kind.grouped(
            chosen, np.array([place[x.bone] for x in chosen]), np.array([float(x.cushion) for x in chosen])
        )
        for (kind, _), chosen in alike.items()
    )
