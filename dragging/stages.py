# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A move that goes far is led there in stages, as a slower mouse would lead it.

In a single step the body would change to another way of posing it, and stay on that.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import ceil

import numpy as np

from ..solvers import Request, Targets, solve_in_parts
from ..solvers.geometry import slerp
from ..solvers.pauses import VERY_LATE, Pausing, quiet
from .following import Places

# As a share of the extent: how far a stage goes. And the most stages of a move.
_STAGE, _STAGES = 0.04, 8


def stages_of(
    before: Places, targets: Targets, moved: list[int], way: float, extent: float
) -> Iterator[Targets]:
    """Yield what a move asks for on its ``way``, from where effectors were asked to be ``before``.

    ``moved``: the rows of those that are led; ``extent``: the body's.
    """
    stages = min(ceil(way / (_STAGE * extent)), _STAGES) if extent > 0 else 0
    for share in np.arange(1, stages) / stages:
        points, turns = targets.positions.copy(), targets.rotations.copy()
        points[0, moved] = before[0][moved] + share * (points[0, moved] - before[0][moved])
        turns[0, moved] = slerp(before[1][moved], turns[0, moved], share)
        yield replace(targets, positions=points, rotations=turns)


def led_through(
    request: Request, stages: Iterable[Targets], near: Callable[[Request], Request]
) -> Pausing[Request]:
    """Return the request from the pose that the stages lead to, as many as there is time for.

    ``near``: makes of a request what is asked of the solver.
    """
    for targets in stages:
        if (yield) == VERY_LATE:
            break
        work = solve_in_parts(near(replace(request, targets=targets)), shares=False)
        request = replace(request, pose=(yield from quiet(work)).pose)
    return request
