# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows while something else is moved: springs, which give way to comfort softly.

Were they held for as long as they can be, the pose would depend on whether they have been: it would leap
where they give way, and not come back the way it went.
"""

from dataclasses import replace

from ..armature.setup.ranks import FOLLOWING
from ..solvers import Settings, Targets
from ..solvers.geometry import Array, slerp

# What follows gives way by as much as that, in characteristic lengths, for a standard deviation of comfort.
_SLACK = 0.025
# Beside the end of a limb, which leaves others where they are as long as it is moved a little: the share of
# its square that is there from the beginning, and the share of the way to where comfort counts in full from
# which on all of it is.
_FIRM, _SOFT = 0.25, 0.5


def with_springs(settings: Settings, share: float, ends_limb: bool) -> Settings:
    """Return the settings in which what follows is springs.

    ``share``: how far what is moved is on its way; ``ends_limb``: whether it is the end of a limb.
    """
    softness = min(max(_FIRM, (share / _SOFT) ** 2), 1.0) if ends_limb else 1.0
    return replace(settings, springs=FOLLOWING, slack=_SLACK * softness**0.5)


def drawn_to_targets(targets: Targets, rows: list[int], points: Array, turns: Array, share: float) -> Targets:
    """Return the targets with those of the ``rows`` a ``share`` of the way from where effectors began.

    ``points`` (effectors, 3), ``turns`` (effectors, 4): of all effectors. What was off its target from the
    beginning would else move a body before anything is moved.
    """
    positions, rotations = targets.positions.copy(), targets.rotations.copy()
    positions[0, rows] = points[rows] + share * (positions[0, rows] - points[rows])
    rotations[0, rows] = slerp(turns[rows], rotations[0, rows], share)
    return replace(targets, positions=positions, rotations=rotations)
