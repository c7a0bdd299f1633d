# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of a skeleton as groups, one for each sort."""

from collections.abc import Sequence

import numpy as np

from .group import Group
from .protocol import Limit


def group_limits(limits: Sequence[Limit], place: dict[str, int]) -> tuple[Group, ...]:
    """Return the limits of the bones in ``place`` (name to index), grouped by sort."""
    alike: dict[str, list[Limit]] = {}
    for limit in sorted((limit for limit in limits if limit.bone in place), key=lambda x: place[x.bone]):
        alike.setdefault(limit.sort, []).append(limit)
    return tuple(
        chosen[0].grouped(
            chosen, np.array([place[x.bone] for x in chosen]), np.array([float(x.cushion) for x in chosen])
        )
        for chosen in alike.values()
    )
